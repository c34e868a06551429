"""Gates that are policies in Rego (regorus).

    package refunds
    import rego.v1

    default verdict := {"verdict": "ask", "reason": "nothing is known of such a refund"}
    verdict := true if to_number(input.arguments.amount) <= data.limits.small

The rule's value is the verdict: exactly ``true`` allows; an object says more::

    {"verdict": "allow" | "ask" | "deny", "reason": "..."}
    {"verdict": "schedule", "correlation_id": "...", "due_in_s": 3600 or "due_at": "2026-11-30T09:00:00Z",
     "deadline_in_s": 7200, "action_kind": "...", "reason": "..."}

Anything else asks: ``false``, undefined, a text, several values, an error, a file that has gone.

The policy is compiled when the gate is made, so that a broken one is found at start. That and all else is done in a process of its
own (``rego_process``), which is ended where it takes too long. Files are looked at before each verdict, and read again when they
have changed: policies and their data are edited without touching code, and a version that does not compile asks a person until
it is mended.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Collection, Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ...actors.asks import JsonValue
from ...channels.roles import ApprovalRole
from ..errors import PolicyInvalidError
from .beside import Beside
from .gates import DEFAULT_TIMEOUT
from .rego_process import RegoProcess
from .verdicts import Allow, Ask, Deny, GatedCall, Schedule, Verdict

_LARGEST = 2**63
"""The engine counts whole numbers beyond this as floats, which would make two different ones equal."""


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    verdict: Literal["allow", "ask", "deny"]
    reason: str = ""


class _Scheduled(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdict: Literal["schedule"]
    correlation_id: str
    due_in_s: float | None = Field(default=None, ge=0)
    due_at: AwareDatetime | None = None
    deadline_in_s: float | None = Field(default=None, gt=0)
    action_kind: str | None = None
    reason: str = ""


_OBJECT: TypeAdapter[_Said | _Scheduled] = TypeAdapter(Annotated[_Said | _Scheduled, Field(discriminator="verdict")])

_Stamp = tuple[tuple[str | int, ...], ...]

COMPILED_WITHIN = timedelta(seconds=10)
"""How long a policy may take to be compiled in any case: a call may have to be judged faster than a service can be started."""

_DIGESTED_BYTES = 256 * 1024
"""A file of so many bytes is told apart by its content: its time may be the same for two that were written at once."""


class Rego:
    """A policy in Rego.

    Attributes:
        data: what the policy reads as ``data``; None for nothing.

    Args:
        policy: a file, a folder of ``*.rego`` files, or the text of a policy.
        rule: the rule whose value is the verdict, as ``data.refunds.verdict``.
        data: a JSON file with an object, or the object itself, as it is now.
        timeout: how long it may be evaluated; the first time its process has to be started as well. To be compiled it may take
            at least ten seconds.

    Raises:
        PolicyInvalidError: (policy.invalid) it does not compile, or there is no such rule; says where.
    """

    def __init__(
        self,
        *,
        name: str,
        policy: Path | str,
        rule: str,
        asks: ApprovalRole,
        data: Path | Mapping[str, JsonValue] | None = None,
        tools: Collection[str] | None = None,
        shadow: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT,
    ) -> None:
        self.name = name
        self.asks = asks
        self.tools = tools
        self.shadow = shadow
        self.timeout = timeout
        self._policy = policy
        self._data = data if isinstance(data, Path) else deepcopy(dict(data or {}))
        self._rule = rule
        self._stamp = self._stamp_now()
        self._fault: PolicyInvalidError | None = None
        self._process = RegoProcess()
        self._beside = Beside[JsonValue](most=1)
        self._compile()

    def reload(self) -> None:
        """Look now whether the policy and its data compile as they are.

        Raises:
            PolicyInvalidError: (policy.invalid) until they are mended, this gate asks a person about every call.
        """
        self._compile()

    async def judge(self, call: GatedCall) -> Verdict:
        asked = _input_of(call)
        _check_exact(asked)
        text = json.dumps(asked, ensure_ascii=False, allow_nan=False)
        text.encode()  # a lone surrogate is no JSON either
        has_begun = False

        def evaluate() -> JsonValue:
            nonlocal has_begun
            has_begun = True
            return self._value(text)

        try:
            found = await self._beside.run(evaluate)
        except asyncio.CancelledError:
            if has_begun:
                self._process.interrupt()
            raise
        return _verdict_of(found, rule=self._rule)

    def _value(self, asked: str) -> JsonValue:
        """The rule's value, by the files as they are now."""
        stamp = self._stamp_now()
        if stamp != self._stamp:
            self._stamp, self._fault = stamp, None
        if self._fault is not None:
            raise self._fault
        if not self._process.has(stamp):
            try:
                self._load(stamp)
            except PolicyInvalidError as error:
                self._fault = error
                raise
        try:
            return self._process.value(self._rule, asked)
        except PolicyInvalidError as error:
            raise PolicyInvalidError(f"{self._rule} cannot be evaluated: {error}") from error

    def _load(self, stamp: _Stamp) -> None:
        sources, data = self._sources(), self._data_text()
        try:
            self._process.load(stamp, sources, data)
        except PolicyInvalidError as error:
            raise PolicyInvalidError(f"policy {self.name}: {error}") from error

    def _compile(self) -> None:
        """Find out whether it can be used.

        What the rule says of nothing at all does not matter, but it is there, and so is every function that is called for it.
        """
        sources, data = self._sources(), self._data_text()
        process = RegoProcess()
        within_s = max(self.timeout, COMPILED_WITHIN).total_seconds()
        late = threading.Timer(min(within_s, threading.TIMEOUT_MAX), process.interrupt)
        late.start()
        told = ""
        try:
            process.load(None, sources, data)
            told = _fault_of(process, self._rule)
        except PolicyInvalidError as error:
            raise PolicyInvalidError(f"policy {self.name}: {error}") from error
        except EOFError as error:
            raise PolicyInvalidError(
                f"policy {self.name}: {self._rule} does not come to an end, or calls itself without one"
            ) from error
        finally:
            late.cancel()
            late.join()
            process.end()
        if "not a valid rule path" in told:
            raise PolicyInvalidError(f"policy {self.name} has no rule {self._rule}")
        if "could not find function" in told:
            raise PolicyInvalidError(f"policy {self.name}: it does not compile: {told}")

    def _sources(self) -> list[tuple[str, str]]:
        if not isinstance(self._policy, Path):
            return [(f"{self.name}.rego", self._policy)]
        files = _files_of(self._policy)
        if not files:
            raise PolicyInvalidError(f"policy {self.name}: there is no file in {self._policy}")
        try:
            return [(file.name, file.read_text()) for file in files]
        except (OSError, UnicodeDecodeError) as error:
            raise PolicyInvalidError(f"policy {self.name} cannot be read: {error}") from error

    def _data_text(self) -> str:
        try:
            return json.dumps(self._data_now(), ensure_ascii=False, allow_nan=False)
        except (ValueError, TypeError) as error:
            raise PolicyInvalidError(f"the data of policy {self.name} cannot be used: {error}") from error

    def _data_now(self) -> JsonValue:
        data = self._data
        if isinstance(data, Path):
            try:
                data = json.loads(data.read_text())
            except (OSError, ValueError, RecursionError) as error:
                raise PolicyInvalidError(f"the data of policy {self.name} cannot be read: {error}") from error
        if not isinstance(data, dict):
            raise PolicyInvalidError(f"the data of policy {self.name} is no JSON object")
        _check_exact(cast("JsonValue", data))
        return cast("JsonValue", data)

    def _stamp_now(self) -> _Stamp:
        """What tells the files apart from those that were read."""
        paths = [path for path in (self._policy, self._data) if isinstance(path, Path)]
        return tuple(_stamp_of(file) for path in paths for file in (*_files_of(path), path))


def _fault_of(process: RegoProcess, rule: str) -> str:
    """What goes wrong with a rule where it is evaluated for nothing at all; empty if nothing does."""
    try:
        process.value(rule, "{}")
    except PolicyInvalidError as error:
        return str(error)
    return ""


def _input_of(call: GatedCall) -> dict[str, JsonValue]:
    """What a policy reads as ``input``."""
    return {
        "tool": call.tool,
        "arguments": call.arguments,
        "agent": call.agent,
        "session_id": call.session_id,
        "execution_id": call.execution_id,
        "tenant": call.tenant,
        "owner": call.owner,
        "surface": call.surface,
        "call_id": call.call_id,
        "requested_at": call.requested_at.isoformat(),
    }


def _check_exact(found: JsonValue) -> None:
    """Refuse what the engine would read as something else: no policy may judge another number than the one that runs."""
    match found:
        case bool():
            pass
        case int() if not -_LARGEST <= found < _LARGEST:
            raise PolicyInvalidError(f"the number {found} is too large to be judged exactly")
        case list():
            for part in cast("list[JsonValue]", found):
                _check_exact(part)
        case dict():
            for part in cast("dict[str, JsonValue]", found).values():
                _check_exact(part)
        case _:
            pass


def _verdict_of(found: Any, *, rule: str) -> Verdict:
    if found is True:
        return Allow()
    if found is None:
        raise PolicyInvalidError(f"{rule} is undefined for this call")
    if found is False:
        return Ask(reason=f"{rule} is false")
    if not isinstance(found, dict):
        raise PolicyInvalidError(
            f"{rule} is {json.dumps(found, default=repr)}, which is no verdict: true is one, or an object with verdict and reason"
        )
    try:
        said = _OBJECT.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise PolicyInvalidError(f"{rule} is an object, but no verdict: {first['msg']}") from error
    match said:
        case _Said(verdict="allow", reason=reason):
            return Allow(reason=reason)
        case _Said(verdict="deny", reason=reason):
            return Deny(reason=reason)
        case _Said(reason=reason):
            return Ask(reason=reason)
        case _Scheduled():
            return _schedule_of(said, rule=rule)


def _schedule_of(said: _Scheduled, *, rule: str) -> Schedule:
    if said.due_in_s is not None and said.due_at is not None:
        raise PolicyInvalidError(f"{rule} gives due_in_s and due_at; one of them says when")
    due: datetime | timedelta | None = said.due_at if said.due_in_s is None else timedelta(seconds=said.due_in_s)
    return Schedule(
        correlation_id=said.correlation_id,
        due=due,
        deadline=None if said.deadline_in_s is None else timedelta(seconds=said.deadline_in_s),
        action_kind=said.action_kind,
        reason=said.reason,
    )


def _files_of(path: Path) -> list[Path]:
    """Of a folder its policies; what is hidden in it is left there by editors and by copying."""
    if path.is_dir():
        return sorted(each for each in path.glob("*.rego") if not each.name.startswith("."))
    return [path] if path.exists() else []


def _stamp_of(file: Path) -> tuple[str | int, ...]:
    try:
        found = file.stat()
        content = file.read_bytes() if file.is_file() and found.st_size <= _DIGESTED_BYTES else b""
    except OSError:
        return (str(file),)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return str(file), found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, digest
