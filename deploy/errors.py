"""The errors of what operators run: configuration, the app they name, the files they give, the commands themselves.

OverwinterError
├── ConfigError               config.invalid         faults of the configuration, all of them together
├── CannotListenError         config.cannot-listen   an address that is to be listened at is taken, or not this machine's
├── AppLoadError
│   ├── AppTargetError        assembly.app-target    what was given is no MODULE:APP
│   ├── AppModuleError        assembly.app-module    there is no such module or file
│   ├── AppImportError        assembly.app-import    importing it failed
│   ├── AppAttributeError     assembly.app-attribute the module has nothing of that name
│   └── AppTypeError          assembly.app-type      what has that name is no App
├── InputInvalidError         input.invalid          a file or a text given to a command cannot be used
├── BotUnknownError           bot.unknown            the app has no bot of that name, or several and none was named
├── MailUnknownError          mail.unknown           there is no such mail in the quarantine
├── MailNotReleasedError      mail.not-released      the same reason holds it back as before, or another
├── AuditBrokenError          audit.broken           an entry was changed, taken out or put in, or some are missing
├── DemoFailedError           demo.failed            the demonstration did not come to its end
└── BenchFailedError          bench.failed           the measurement did not come to its end
"""

from __future__ import annotations

from collections.abc import Sequence

from ..store.errors import OverwinterError


class ConfigError(OverwinterError):
    """The configuration has faults.

    Attributes:
        faults: one line each: where the value came from, what is wrong with it, what is expected.
    """

    code = "config.invalid"

    def __init__(self, faults: Sequence[str]) -> None:
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"the configuration has {len(faults)} fault{'' if len(faults) == 1 else 's'}:\n{lines}")
        self.faults = tuple(faults)


class CannotListenError(OverwinterError):
    """The service cannot listen where it is to."""

    code = "config.cannot-listen"


class AppLoadError(OverwinterError):
    """The app could not be loaded."""

    code = "assembly.app"


class AppTargetError(AppLoadError):
    """Name the app as MODULE:APP, such as office:app or bots/office.py:app."""

    code = "assembly.app-target"


class AppModuleError(AppLoadError):
    """There is no such module."""

    code = "assembly.app-module"


class AppImportError(AppLoadError):
    """The module could not be imported."""

    code = "assembly.app-import"


class AppAttributeError(AppLoadError):
    """The module has nothing of that name."""

    code = "assembly.app-attribute"


class AppTypeError(AppLoadError):
    """What has that name is no App."""

    code = "assembly.app-type"


class InputInvalidError(OverwinterError):
    """What was given to the command cannot be used."""

    code = "input.invalid"


class BotUnknownError(OverwinterError):
    """The app has no such bot."""

    code = "bot.unknown"


class MailUnknownError(OverwinterError):
    """There is no such mail in the quarantine. ``overwinter mail quarantine list`` shows what there is."""

    code = "mail.unknown"


class MailNotReleasedError(OverwinterError):
    """The mail leads nowhere still."""

    code = "mail.not-released"


class AuditBrokenError(OverwinterError):
    """The audit is not as it was written."""

    code = "audit.broken"


class DemoFailedError(OverwinterError):
    """The demonstration did not come to its end."""

    code = "demo.failed"


class BenchFailedError(OverwinterError):
    """The measurement did not come to its end."""

    code = "bench.failed"
