"""Real mail: Postfix takes it by SMTP, Dovecot keeps it and gives it out by IMAP, and Postfix hands ours over by LMTP.

Everything lies in one folder and listens on loopback. ``person@corp.example`` and ``agent@ask.example.net`` have a mailbox each,
with the password ``secret``, and whatever stands behind a ``+`` is kept in ``Delivered-To``. Mail to ``agent@lmtp.example.net``
goes to an LMTP listener of the test's.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from overwinter.channels.mail.servers import ImapServer, SmtpServer, Tls

READY_WITHIN_S = 60.0
PASSWORD = "secret"

DOVECOT = """
base_dir = {folder}/dovecot/run
state_dir = {folder}/dovecot/state
log_path = {folder}/dovecot/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_username_format = %Lu
auth_failure_delay = 0
mail_location = maildir:{folder}/mail/%u
mail_uid = {user}
mail_gid = {user}
first_valid_uid = 1
imap_idle_notify_interval = 29 mins
recipient_delimiter = +
lmtp_save_to_detail_mailbox = no
namespace inbox {{
  inbox = yes
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={user} home={folder}/mail/%u allow_all_users=yes
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {delivery}
  }}
}}
"""
POSTFIX_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.ask.example.net
mydestination =
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
virtual_mailbox_domains = corp.example, ask.example.net, lmtp.example.net
virtual_transport = lmtp:inet:127.0.0.1:{delivery}
transport_maps = inline:{{ lmtp.example.net=lmtp:inet:127.0.0.1:{ours} }}
lmtp_destination_recipient_limit = 10
recipient_delimiter = +
default_transport = error:no mail leaves this machine
relay_transport = error:no mail leaves this machine
alias_maps =
alias_database =
local_recipient_maps =
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
"""
POSTFIX_MASTER = """
127.0.0.1:{smtp} inet n - n - - smtpd
pickup    unix  n - n 60   1 pickup
cleanup   unix  n - n -    0 cleanup
qmgr      unix  n - n 300  1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n -    - trivial-rewrite
bounce    unix  - - n -    0 bounce
defer     unix  - - n -    0 bounce
trace     unix  - - n -    0 bounce
verify    unix  - - n -    1 verify
flush     unix  n - n 1000? 0 flush
proxymap  unix  - - n -    - proxymap
smtp      unix  - - n -    - smtp
error     unix  - - n -    - error
retry     unix  - - n -    - error
discard   unix  - - n -    - discard
lmtp      unix  - - n -    - lmtp
anvil     unix  - - n -    1 anvil
scache    unix  - - n -    1 scache
postlog   unix-dgram n - n - 1 postlogd
"""


@dataclass(frozen=True)
class PostOffice:
    """The servers' ports.

    Attributes:
        ours: where Postfix expects the LMTP listener.
    """

    folder: Path
    smtp_port: int
    imap_port: int
    ours: int

    @property
    def smtp(self) -> SmtpServer:
        return SmtpServer(host="127.0.0.1", port=self.smtp_port, tls=Tls.NONE)

    def imap(self, user: str, *, idle_s: float = 240.0) -> ImapServer:
        return ImapServer(
            host="127.0.0.1", port=self.imap_port, tls=Tls.NONE, user=user, password=PASSWORD, idle_s=idle_s
        )


def missing_for_post_office() -> str | None:
    """What a machine lacks; None if the servers can be started."""
    missing = [name for name in ("postfix", "dovecot") if shutil.which(name) is None and not _in_sbin(name)]
    if missing:
        packages = "postfix dovecot-imapd dovecot-lmtpd"
        return f"there is no {' and no '.join(missing)}; Debian and Ubuntu: apt-get install {packages}"
    return None if os.geteuid() == 0 else "Postfix and Dovecot are started as root alone; run as root, as CI does"


@contextmanager
def post_office(folder: Path) -> Generator[PostOffice]:
    """Run both servers until the block ends.

    Args:
        folder: is made. Not below one of pytest's own: every other pytest closes those to all users but its own, and the
            servers are others.
    """
    smtp, imap, delivery, ours = _free_ports(4)
    user = _mail_user()
    names = {"folder": folder, "user": user, "password": PASSWORD}
    ports = {"smtp": smtp, "imap": imap, "delivery": delivery, "ours": ours}
    for name in ("dovecot", "mail", "postfix", "queue", "data"):
        (folder / name).mkdir(parents=True)
    for path in (folder, *folder.parents):
        path.chmod(path.stat().st_mode | 0o011)  # the servers' users have to come through
    shutil.chown(folder / "mail", user)
    shutil.chown(folder / "data", "postfix")
    config = folder / "dovecot" / "dovecot.conf"
    config.write_text(DOVECOT.format(**names, **ports))
    (folder / "postfix" / "main.cf").write_text(POSTFIX_MAIN.format(**names, **ports))
    (folder / "postfix" / "master.cf").write_text(POSTFIX_MASTER.format(**ports))
    office = PostOffice(folder=folder, smtp_port=smtp, imap_port=imap, ours=ours)
    try:
        _run(folder, "dovecot", "-c", str(config))
        _run(folder, "postfix", "-c", str(folder / "postfix"), "start")
        for port in (smtp, imap, delivery):
            _wait_for(port, folder)
        yield office
    finally:
        _run(folder, "postfix", "-c", str(folder / "postfix"), "stop", check=False)
        _stop_dovecot(folder)


def _run(folder: Path, *command: str, check: bool = True) -> None:
    said = folder / "said"
    with said.open("a") as file:
        # They leave daemons behind, which must hold none of our pipes: whoever reads one would wait for ever.
        done = subprocess.run(
            [_in_sbin(command[0]) or command[0], *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    told = f"{' '.join(command)} ended with {done.returncode}: {said.read_text()[-2000:]}"
    assert done.returncode == 0 or not check, told


def _stop_dovecot(folder: Path) -> None:
    pid_file = folder / "dovecot" / "run" / "master.pid"
    with suppress(FileNotFoundError, ProcessLookupError):
        pid = int(pid_file.read_text())
        os.kill(pid, signal.SIGTERM)
        end_s = time.perf_counter() + READY_WITHIN_S
        while pid_file.exists() and time.perf_counter() < end_s:
            time.sleep(0.02)  # noqa: TID251  a daemon of its own tells of its end through this file alone


def _wait_for(port: int, folder: Path) -> None:
    end_s = time.perf_counter() + READY_WITHIN_S
    while time.perf_counter() < end_s:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
            return
        time.sleep(0.02)  # noqa: TID251  another process says nothing while it starts
    logs = [path.read_text()[-2000:] for path in (folder / "postfix.log", folder / "dovecot" / "log") if path.exists()]
    raise AssertionError(f"nobody listens on port {port}: {logs}")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _mail_user() -> str:
    """Whose the mailboxes are: Dovecot gives mail to no user of root's."""
    return next(name for name in ("mail", "nobody", "daemon") if _is_user(name))


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _in_sbin(name: str) -> str | None:
    """Where Debian puts it, which is not in everybody's path."""
    path = Path("/usr/sbin") / name
    return str(path) if path.exists() else None
