"""The errors of the runtime.

OverwinterError
├── PauseError
│   ├── PauseUnknownError               pause.unknown               no such pause, or another tenant's
│   ├── PauseNotPendingError            pause.not-pending           closed already; says by whom
│   ├── PauseWrongAnswererError         pause.wrong-answerer        the other kind of credential is wanted
│   ├── PauseNotOwnerError              pause.not-owner             only the session's owner may answer
│   ├── PauseInvalidAnswerError         pause.invalid-answer        not exactly one of decision and reply
│   ├── PauseInvalidDecisionError       pause.invalid-decision      the decision does not fit the question
│   ├── PauseUninterpretableReplyError  pause.uninterpretable-reply the reply settles nothing; still pending
│   ├── PauseNoReplyInterpreterError    pause.no-reply-interpreter  its role reads no free text
│   ├── PauseTimedOutError              pause.timed-out             its deadline passed (raised in the step)
│   ├── PauseCancelledError             pause.cancelled             closed without an answer (raised in the step)
│   └── PauseUndeliverableError         pause.undeliverable         its channel refused it (raised in the step)
├── SessionError
│   ├── SessionUnknownError             session.unknown
│   ├── SessionEndedError               session.ended               takes no more messages
│   ├── SessionDefinitionChangedError   session.definition-changed  why a session is blocked
│   ├── SessionIndeterminateError       session.indeterminate       why a session that kills its process has failed
│   └── SessionCorruptError             session.corrupt             its rows cannot be read back
├── LeaseLostError                      lease.lost                  another supervisor has the session
├── StepError
│   ├── StepFailedError                 step.failed                 the same now and on replay
│   ├── StepUnserializableError         step.unserializable         a value that cannot be stored, with its path
│   ├── StepTooLargeError               step.too-large              a value over the size limit
│   └── ForeignAwaitError               step.foreign-await          awaited something that is not run's
├── EffectConflictError                 effect.conflict             same key, other content
├── ChannelError
│   ├── ChannelRejectedError            channel.rejected            will never work
│   └── ChannelUnreachableError         channel.unreachable         may work later
└── ModelUnavailableError               model.unavailable
"""

from __future__ import annotations

from ..store.errors import OverwinterError


class PauseError(OverwinterError):
    """An answer could not be recorded."""

    code = "pause.error"
    expose = True


class PauseUnknownError(PauseError):
    """There is no such question. Check the id; one that closed long ago is forgotten."""

    code = "pause.unknown"


class PauseNotPendingError(PauseError):
    """This question is closed already."""

    code = "pause.not-pending"


class PauseWrongAnswererError(PauseError):
    """This question is answered with another kind of credential."""

    code = "pause.wrong-answerer"


class PauseNotOwnerError(PauseError):
    """Only the owner of the session may answer this question."""

    code = "pause.not-owner"


class PauseInvalidAnswerError(PauseError):
    """Give exactly one of a decision and a reply, and no empty reply."""

    code = "pause.invalid-answer"


class PauseInvalidDecisionError(PauseError):
    """The decision does not fit the question, which still waits."""

    code = "pause.invalid-decision"


class PauseUninterpretableReplyError(PauseError):
    """The reply does not settle the question, which still waits. Answer it in clearer words."""

    code = "pause.uninterpretable-reply"


class PauseNoReplyInterpreterError(PauseError):
    """This question takes a decision only: its role has no interpreter to read free text."""

    code = "pause.no-reply-interpreter"


class PauseTimedOutError(PauseError):
    """The question's deadline passed with no answer."""

    code = "pause.timed-out"


class PauseCancelledError(PauseError):
    """The question was closed without an answer."""

    code = "pause.cancelled"


class PauseUndeliverableError(PauseError):
    """The question could not be delivered for good.

    Attributes:
        cause_code: the code of the channel's error; None where it had none.
    """

    code = "pause.undeliverable"

    def __init__(self, message: str | None = None, *, cause_code: str | None = None) -> None:
        super().__init__(message)
        self.cause_code = cause_code


class SessionError(OverwinterError):
    """A session cannot do what was asked."""

    code = "session.error"
    expose = True


class SessionUnknownError(SessionError):
    """There is no such session. ``overwinter sessions`` lists them."""

    code = "session.unknown"


class SessionEndedError(SessionError):
    """The session has ended and takes nothing more. Start another one."""

    code = "session.ended"


class SessionDefinitionChangedError(SessionError):
    """The deployed code differs from the one the session runs. Deploy that version again, or cancel the session."""

    code = "session.definition-changed"


class SessionIndeterminateError(SessionError):
    """The session was revived again and again and never came to rest; what its last step did is unknown."""

    code = "session.indeterminate"


class SessionCorruptError(SessionError):
    """The session's rows cannot be read back; other sessions go on."""

    code = "session.corrupt"


class LeaseLostError(OverwinterError):
    """Another supervisor has taken the session over; what this one wanted to write was refused."""

    code = "lease.lost"


class StepError(OverwinterError):
    """A step of a session failed."""

    code = "step.error"


class StepFailedError(StepError):
    """A step raised. The same error is raised again whenever the session is revived.

    Attributes:
        step: the step's key.
        kind: the class name of what was raised, as ``module.Class``.
        detail: its text.
        cause_code: its code, where it was an Overwinter error; else None.
    """

    code = "step.failed"

    def __init__(self, *, step: str, kind: str, detail: str, cause_code: str | None = None) -> None:
        super().__init__(f"step {step} raised {kind}: {detail}")
        self.step = step
        self.kind = kind
        self.detail = detail
        self.cause_code = cause_code


class StepUnserializableError(StepError):
    """A value cannot be stored and brought back the same; the text names where in it."""

    code = "step.unserializable"


class StepTooLargeError(StepError):
    """A value is larger than the limit for one step. Store it elsewhere and return where it is."""

    code = "step.too-large"


class ForeignAwaitError(StepError):
    """Only ``run.…`` may be awaited in durable code. Wrap other awaits in a function and use ``run.step``."""

    code = "step.foreign-await"


class EffectConflictError(OverwinterError):
    """The same id came again with other content; the first one stands."""

    code = "effect.conflict"


class ChannelError(OverwinterError):
    """A channel could not do what was asked."""

    code = "channel.error"


class ChannelRejectedError(ChannelError):
    """The channel refused the question for good."""

    code = "channel.rejected"


class ChannelUnreachableError(ChannelError):
    """The channel could not be reached; it is tried again.

    Attributes:
        retry_after_s: how long the vendor asked to wait; None if it did not say.
    """

    code = "channel.unreachable"
    retryable = True

    def __init__(self, message: str | None = None, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelUnavailableError(OverwinterError):
    """The model could not be reached after all retries."""

    code = "model.unavailable"
    retryable = True
