"""The errors of the runtime.

OverwinterError
├── PauseError
│   ├── PauseUnknownError               pause.unknown               no such pause, or another tenant's
│   ├── PauseNotPendingError            pause.not-pending           closed already; says by whom
│   ├── PauseWrongAnswererError         pause.wrong-answerer        others are asked, or another credential is wanted
│   ├── PauseNotOwnerError              pause.not-owner             only the session's owner may answer
│   ├── PauseAlreadyVotedError          pause.already-voted         several people are needed; this one has answered
│   ├── PauseInvalidAnswerError         pause.invalid-answer        not exactly one of decision and reply
│   ├── PauseInvalidDecisionError       pause.invalid-decision      the decision does not fit the question
│   ├── PauseUninterpretableReplyError  pause.uninterpretable-reply the reply settles nothing; still pending
│   ├── PauseNoReplyInterpreterError    pause.no-reply-interpreter  its role reads no free text
│   ├── PauseTimedOutError              pause.timed-out             its deadline passed (raised in the step)
│   ├── PauseCancelledError             pause.cancelled             closed without an answer (raised in the step)
│   ├── PauseUndeliverableError         pause.undeliverable         its channel refused it (raised in the step)
│   └── PauseStillOpenError             pause.still-open            a ledger that has to be ready and still waits
├── SessionError
│   ├── SessionUnknownError             session.unknown
│   ├── SessionEndedError               session.ended               takes no more messages
│   ├── SessionNotRestedError           session.not-rested          still moving when its caller's time was up
│   ├── SessionDefinitionChangedError   session.definition-changed  why a session is blocked
│   ├── SessionNotBlockedError          session.not-blocked         there is no changed code to accept for it
│   ├── SessionQuestionChangedError     session.question-changed    its question is not the one that the code to accept asks
│   ├── SessionNotDeployedError         session.not-deployed        there is no code to accept for it
│   ├── SessionIndeterminateError       session.indeterminate       why a session that kills its process has failed
│   └── SessionCorruptError             session.corrupt             its rows cannot be read back
├── TriggerError
│   ├── TriggerInvalidError             trigger.invalid             it can never fire as it is given
│   ├── TriggerUnknownError             trigger.unknown             no such trigger
│   ├── TriggerTakenError               trigger.taken               another one has its name
│   └── TriggerDeclaredError            trigger.declared            an app declares it, so it cannot be taken away
├── ActionError
│   ├── ActionUnknownError              action.unknown              nothing of that id was committed
│   ├── ActionMismatchError             action.mismatch             not the ticket that was committed
│   ├── ActionNotWaitingError           action.not-waiting          performed, cancelled, expired, or its session is over
│   ├── ActionNotDueError               action.not-due              too early
│   └── ActionExpiredError              action.expired              too late
├── WorkspacePathError                  workspace.path              it leads out of the workspace, or to too much
├── StepNotIndeterminateError           step.not-indeterminate      nothing there waits to be settled
├── LeaseLostError                      lease.lost                  another supervisor has the session
├── EffectConflictError                 effect.conflict             same key, other content
├── ChannelError
│   ├── ChannelRejectedError            channel.rejected            will never work
│   └── ChannelUnreachableError         channel.unreachable         may work later
│       └── ChannelHeldUpError          channel.held-up             is tried until it works
├── ModelUnavailableError               model.unavailable
├── BudgetExceededError                 budget.exceeded             no model is called any more
└── PiiRefusedError                     pii.refused                 a value that may not leave would have
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
    """This question is answered by others, or with another kind of credential."""

    code = "pause.wrong-answerer"


class PauseNotOwnerError(PauseError):
    """Only the owner of the session may answer this question."""

    code = "pause.not-owner"


class PauseAlreadyVotedError(PauseError):
    """You have answered this question, which needs others as well; your answer stands."""

    code = "pause.already-voted"


class PauseInvalidAnswerError(PauseError):
    """Give exactly one of a decision and a reply, and no empty reply."""

    code = "pause.invalid-answer"


class PauseInvalidDecisionError(PauseError):
    """The decision does not fit the question, which still waits."""

    code = "pause.invalid-decision"


class PauseUninterpretableReplyError(PauseError):
    """The reply does not settle the question, which still waits. Answer it in clearer words.

    Attributes:
        cause: what went wrong while it was read, for logs; None where nothing did.
        so_far: what of it was understood, for the person who replied; None for nothing.
    """

    code = "pause.uninterpretable-reply"

    def __init__(self, message: str | None = None, *, cause: str | None = None, so_far: str | None = None) -> None:
        super().__init__(message)
        self.cause = cause
        self.so_far = so_far


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


class PauseStillOpenError(PauseError):
    """The session still waits for something. Answer what is open, or cancel it."""

    code = "pause.still-open"


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


class SessionNotRestedError(SessionError):
    """The session did not come to rest in the time given. What was recorded stays recorded; wait again, or look later."""

    code = "session.not-rested"
    retryable = True


class SessionDefinitionChangedError(SessionError):
    """The deployed code differs from the one the session runs. Deploy that again, accept the new one, or cancel the session.

    Attributes:
        stored: the fingerprint that the session's execution began with; None where it had not begun.
        current: that of the deployed code; None where the program, or its version, is not deployed.
        question: the key of the step whose question is another one now; empty where none is.
        unasked: the key of a step that has a recorded answer, and to which the code does not come; empty where there is none.
    """

    code = "session.definition-changed"

    def __init__(
        self,
        message: str | None = None,
        *,
        session_id: str = "",
        stored: str | None = None,
        current: str | None = None,
        question: str = "",
        unasked: str = "",
    ) -> None:
        super().__init__(message)
        self.session_id = session_id
        self.stored = stored
        self.current = current
        self.question = question
        self.unasked = unasked


class SessionNotBlockedError(SessionError):
    """The session is not blocked by a changed definition, so there is nothing to accept."""

    code = "session.not-blocked"


class SessionQuestionChangedError(SessionError):
    """The deployed code asks something else where the session has asked, so accepting it does not help the session."""

    code = "session.question-changed"


class SessionNotDeployedError(SessionError):
    """Nothing of the name that the session runs is deployed, so there is nothing to accept."""

    code = "session.not-deployed"


class SessionIndeterminateError(SessionError):
    """The session was revived again and again and never came to rest; what its last step did is unknown."""

    code = "session.indeterminate"


class SessionCorruptError(SessionError):
    """The session's rows cannot be read back; other sessions go on."""

    code = "session.corrupt"


class TriggerError(OverwinterError):
    """A trigger cannot do what was asked."""

    code = "trigger.error"
    expose = True


class TriggerInvalidError(TriggerError):
    """The trigger can never fire as it is given."""

    code = "trigger.invalid"


class TriggerUnknownError(TriggerError):
    """There is no such trigger. ``overwinter triggers list`` lists them."""

    code = "trigger.unknown"


class TriggerTakenError(TriggerError):
    """Another trigger has this name. Give it another one, or remove that."""

    code = "trigger.taken"


class TriggerDeclaredError(TriggerError):
    """An app declares this trigger and would at its next start again. Disable it, or take it out of the app."""

    code = "trigger.declared"


class WorkspacePathError(OverwinterError):
    """The path leads out of the workspace. Give one inside, relative to it, without ``..``."""

    code = "workspace.path"
    expose = True


class ActionError(OverwinterError):
    """A call that was put off is not performed; nothing has been written."""

    code = "action.error"
    expose = True


class ActionUnknownError(ActionError):
    """There is no such ticket. What was not committed cannot be performed."""

    code = "action.unknown"


class ActionMismatchError(ActionError):
    """The ticket is not the one that was committed, so nothing was performed. Ask for it again."""

    code = "action.mismatch"


class ActionNotWaitingError(ActionError):
    """Nothing waits for this ticket any more, so nothing was performed."""

    code = "action.not-waiting"


class ActionNotDueError(ActionError):
    """The ticket is not due yet, so nothing was performed. A supervisor performs it when it is."""

    code = "action.not-due"


class ActionExpiredError(ActionError):
    """The ticket's deadline has passed, so nothing was performed."""

    code = "action.expired"


class StepNotIndeterminateError(OverwinterError):
    """Nothing of that name waits to be settled. ``overwinter show`` says what does."""

    code = "step.not-indeterminate"
    expose = True


class LeaseLostError(OverwinterError):
    """Another supervisor has taken the session over; what this one wanted to write was refused."""

    code = "lease.lost"


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


class ChannelHeldUpError(ChannelUnreachableError):
    """What a person has said cannot be dealt with yet. It is kept, and tried until it can be, however often that is."""

    code = "channel.held-up"


class ModelUnavailableError(OverwinterError):
    """The model could not be reached after all retries."""

    code = "model.unavailable"
    retryable = True


class BudgetExceededError(OverwinterError):
    """The budget for calls of a model is used up, so none was called. Raise it to go on."""

    code = "budget.exceeded"
    expose = True


class PiiRefusedError(OverwinterError):
    """A value that may not leave would have gone into a question or to a model. Leave its field out."""

    code = "pii.refused"
    expose = True
