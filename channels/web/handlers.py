"""What the page's server does with a request: who asks, what for, and whether there were too many; then a page.

Only ``POST`` with a ticket, from the browser that was shown it, gets as far as an answer; see the folder's docstring for why.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping
from http import HTTPStatus

import structlog
from aiohttp import web

from ...actors.answering import Answering
from ...actors.answers import ChannelCredential, Received
from ...actors.clock import Clock
from ...actors.errors import (
    BudgetExceededError,
    EffectConflictError,
    PauseAlreadyVotedError,
    PauseInvalidAnswerError,
    PauseInvalidDecisionError,
    PauseNoReplyInterpreterError,
    PauseNotOwnerError,
    PauseNotPendingError,
    PauseUninterpretableReplyError,
    PauseUnknownError,
    PauseWrongAnswererError,
    PiiRefusedError,
)
from ...actors.ids import Ids
from ...actors.questions import AskedQuestion, Questions
from ...store.errors import StoreError
from ...store.rows import AnswererKind
from ...store.values import value
from .allowance import Allowance
from .bearers import Bearer, Bearers
from .forms import Filled, filled_again, filled_in
from .links import token_in
from .markup import HEADERS
from .pages import (
    ANSWER,
    CHOOSE,
    CONFIRM,
    NUMBER,
    STEP,
    TICKET,
    answered_page,
    busy_page,
    closed_page,
    confirm_page,
    question_page,
    trouble_page,
    unknown_page,
)
from .settings import PageSettings
from .tickets import DIGITS, DIGITS_SENT, LIFETIME_MS, Ticket, Tickets, is_cookie

COOKIE = "overwinter_answer"
_MOST_BYTES = 128 * 1024
"""Of a form that is sent."""

_log = structlog.get_logger("overwinter.web")


@value
class _Call:
    """A request whose link leads to a question.

    Attributes:
        cookie: of the browser; a new one if it showed none.
        is_known: the browser showed its cookie.
    """

    token: str
    bearer: Bearer
    asked: AskedQuestion
    cookie: str
    is_known: bool


class AnswerPage:
    """The handlers.

    Args:
        name: of the connection, under which answers are known that come twice.
    """

    def __init__(
        self,
        *,
        settings: PageSettings,
        bearers: Bearers,
        questions: Questions,
        answering: Answering,
        clock: Clock,
        ids: Ids,
        name: str,
    ) -> None:
        self._settings = settings
        self._bearers = bearers
        self._questions = questions
        self._answering = answering
        self._clock = clock
        self._ids = ids
        self._name = name
        self._tickets = Tickets(settings.keys, ids=ids, digits=DIGITS_SENT if settings.sends_numbers else DIGITS)
        self._looks = Allowance(at_once=60, per_minute=30, clock=clock)
        self._tries = Allowance(at_once=5, per_minute=1 / 3, clock=clock)

    def app(self) -> web.Application:
        """The routes; everything else is not found."""
        app = web.Application(client_max_size=_MOST_BYTES)
        path = self._settings.path + "{link}"
        app.router.add_get(path, self._look)
        app.router.add_post(path, self._answer)
        app.on_response_prepare.append(_harden)
        return app

    # -- requests ------------------------------------------------------------------------------------------------------
    async def _look(self, request: web.Request) -> web.Response:
        call = await self._call_of(request)
        if isinstance(call, web.Response):
            return call
        if not call.asked.is_open:
            return _shown(closed_page(call.asked))
        return self._question(call)

    async def _answer(self, request: web.Request) -> web.Response:
        call = await self._call_of(request)
        if isinstance(call, web.Response):
            return call
        if not call.asked.is_open:
            return _shown(closed_page(call.asked), HTTPStatus.CONFLICT)
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin" or not call.is_known:
            return self._question(call, note=_NO_COOKIE, status=HTTPStatus.FORBIDDEN)
        fields = {name: field for name, field in (await request.post()).items() if isinstance(field, str)}
        match fields.get(STEP):
            case step if step == CHOOSE:
                return await self._chosen(call, fields)
            case step if step == CONFIRM:
                return await self._confirmed(call, fields)
            case _:
                return self._question(call)

    async def _chosen(self, call: _Call, fields: Mapping[str, str]) -> web.Response:
        if self._ticket_of(call, fields, answer="") is None:
            return self._question(call, note=_TOO_OLD, given=fields)
        filled = filled_in(call.asked.ask.form, fields)
        if isinstance(filled, str):
            return self._question(call, note=filled, given=fields)
        ticket = self._issue(call, filled.text)
        if self._settings.sends_numbers:
            try:
                is_sent = await self._bearers.send_number(call.token, ticket.number, shown=filled.shown)
            except StoreError as error:
                return _busy_store(error)
            if not is_sent:
                return self._question(call, note=_TOO_MANY_SENT, given=fields)
        return self._confirm(call, filled, ticket)

    async def _confirmed(self, call: _Call, fields: Mapping[str, str]) -> web.Response:
        text = fields.get(ANSWER, "")
        ticket, filled = self._ticket_of(call, fields, answer=text), filled_again(text)
        if ticket is None or filled is None:
            return self._question(call, note=_TOO_OLD)
        if not self._tries.has(call.token):
            return _busy(self._tries.wait_s(call.token))
        typed = "".join(fields.get(NUMBER, "").split())
        if not hmac.compare_digest(typed.encode(), ticket.number.encode()):
            self._tries.take(call.token)
            if self._settings.sends_numbers:
                return self._confirm(call, filled, ticket, note="That is not the number that was sent.")
            other = self._issue(call, filled.text)
            return self._confirm(call, filled, other, note="That is not the number; here is another one.")
        return await self._give(call, filled, ticket.text)

    async def _give(self, call: _Call, filled: Filled, ticket: str) -> web.Response:
        try:
            await self._answering.answer(
                tenant=call.bearer.tenant,
                pause_id=call.bearer.pause_id,
                answer=filled.answer,
                credential=ChannelCredential(answered_by=call.bearer.answered_by),
                received=Received(channel=self._name, external_id=hashlib.sha256(ticket.encode()).hexdigest()),
            )
        except PauseNotPendingError:
            return _shown(closed_page(await self._now(call)), HTTPStatus.CONFLICT)
        except (PauseUninterpretableReplyError, PauseInvalidAnswerError, PauseInvalidDecisionError) as error:
            return self._question(call, note=f"That does not settle the question. {error}")
        except PauseAlreadyVotedError as error:
            return self._question(call, note=str(error))
        except PauseNoReplyInterpreterError:
            return self._question(call, note="This question takes no answer in one's own words.")
        except (BudgetExceededError, PiiRefusedError):
            return _shown(trouble_page(_UNREAD), HTTPStatus.SERVICE_UNAVAILABLE)
        except StoreError as error:
            return _busy_store(error)
        except (EffectConflictError, PauseUnknownError, PauseWrongAnswererError, PauseNotOwnerError):
            return _shown(unknown_page(), HTTPStatus.NOT_FOUND)
        now = await self._now(call)
        _log.info("page.answered", session_id=now.ask.session_id, by=call.bearer.answered_by)
        summary = now.summary or f"Your answer: {filled.shown}"
        return _shown(answered_page(now, summary=summary, is_open=now.is_open))

    # -- who asks, and what for ----------------------------------------------------------------------------------------
    async def _call_of(self, request: web.Request) -> _Call | web.Response:
        """The request with its question; what to answer where its link leads to none, or there were too many."""
        caller = _caller_of(request)
        if not self._looks.take(caller):
            return _busy(self._looks.wait_s(caller))
        token = token_in(request.match_info["link"], self._settings.keys)
        if token is None:
            return _shown(unknown_page(), HTTPStatus.NOT_FOUND)
        try:
            bearer = await self._bearers.find(token)
            asked = None if bearer is None else await self._asked_of(bearer)
        except StoreError as error:
            return _busy_store(error)
        if bearer is None or asked is None or asked.answerer is not AnswererKind.CHANNEL:
            return _shown(unknown_page(), HTTPStatus.NOT_FOUND)
        cookie = request.cookies.get(COOKIE)
        is_known = is_cookie(cookie)
        return _Call(
            token=token,
            bearer=bearer,
            asked=asked,
            cookie=cookie if cookie is not None and is_known else self._ids.uuid().hex,
            is_known=is_known,
        )

    async def _asked_of(self, bearer: Bearer) -> AskedQuestion | None:
        return await self._questions.find(tenant=bearer.tenant, pause_id=bearer.pause_id)

    async def _now(self, call: _Call) -> AskedQuestion:
        return await self._asked_of(call.bearer) or call.asked

    def _ticket_of(self, call: _Call, fields: Mapping[str, str], *, answer: str) -> Ticket | None:
        return self._tickets.taken(
            fields.get(TICKET, ""), token=call.token, cookie=call.cookie, answer=answer, now_ms=self._clock.now_ms()
        )

    # -- pages with forms ----------------------------------------------------------------------------------------------
    def _question(
        self,
        call: _Call,
        *,
        note: str = "",
        given: Mapping[str, str] | None = None,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> web.Response:
        ticket, name = self._issue(call, ""), call.bearer.answered_by
        shown = question_page(call.asked, ticket=ticket, name=name, note=note, given=given)
        return self._remembered(call, shown, status)

    def _confirm(self, call: _Call, filled: Filled, ticket: Ticket, *, note: str = "") -> web.Response:
        name, is_sent = call.bearer.answered_by, self._settings.sends_numbers
        shown = confirm_page(call.asked, filled, ticket=ticket, name=name, is_sent=is_sent, note=note)
        return self._remembered(call, shown)

    def _issue(self, call: _Call, answer: str) -> Ticket:
        return self._tickets.issue(token=call.token, cookie=call.cookie, answer=answer, now_ms=self._clock.now_ms())

    def _remembered(self, call: _Call, html: str, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
        """A page for the browser that bears the call's cookie."""
        response = _shown(html, status)
        response.set_cookie(
            COOKIE,
            call.cookie,
            max_age=LIFETIME_MS // 1000,
            path=self._settings.path,
            secure=self._settings.is_secure,
            httponly=True,
            samesite="Strict",
        )
        return response


_TOO_OLD = "This form was open for too long, or came from another browser. Here is a new one."
_TOO_MANY_SENT = "Too many numbers were sent lately. Please wait an hour, or reply to the mail."
_NO_COOKIE = "Your browser did not send back the cookie of this page. Please allow cookies here and choose again, or reply by mail."
_UNREAD = (
    "It could not be read just now. An operator has to look at it; please choose approve or reject, or come back later."
)


async def _harden(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


def _shown(html: str, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    return web.Response(text=html, status=status, content_type="text/html", charset="utf-8")


def _busy(wait_s: int) -> web.Response:
    response = _shown(busy_page(wait_s), HTTPStatus.TOO_MANY_REQUESTS)
    response.headers["Retry-After"] = str(wait_s)
    return response


def _busy_store(error: StoreError) -> web.Response:
    if not error.retryable:
        raise error
    _log.warning("page.store-busy", code=error.code)
    return _shown(trouble_page("The service is busy. Please try again in a minute."), HTTPStatus.SERVICE_UNAVAILABLE)


def _caller_of(request: web.Request) -> str:
    """The address a request comes from; behind a server on this machine, the one that it names last."""
    remote = request.remote or ""
    try:
        is_local = ipaddress.ip_address(remote).is_loopback
    except ValueError:
        is_local = True  # a socket of this machine
    named = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    return named[:64] if is_local and named else remote
