"""Days as people write them, in English and the larger western European languages.

A day that can be read in two ways is no day: ``03/04/2026`` is in March or in April, and "next Friday" on a Tuesday is this
week's or the week after's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType

from .text import folded

_MONTHS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, names in enumerate(
            (
                "january jan januar januari janvier enero gennaio janeiro ene gen janv stycznia ocak января",
                "february feb februar februari février febrero febbraio fevereiro febr fév fev lutego şubat февраля",
                "march mar märz maart mars marzo março mär mrz mrt marca марта",
                "april apr avril abril aprile avr abr kwietnia nisan апреля",
                "may mai mei mayo maggio maio mag maja mayıs мая",
                "june jun juni juin junio giugno junho giu czerwca haziran июня",
                "july jul juli juillet julio luglio julho lug juil lipca temmuz июля",
                "august aug août agosto augusti augustus ago sierpnia ağustos августа",
                "september sep sept septembre septiembre settembre setembro set września eylül сентября",
                "october oct oktober octobre octubre ottobre outubro okt ott out października ekim октября",
                "november nov novembre noviembre novembro listopada kasım ноября",
                "december dec dezember décembre diciembre dicembre dezembro dez déc dic grudnia aralık декабря",
            ),
            start=1,
        )
        for name in names.split()
    }
)
_WEEKDAYS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, names in enumerate(
            (
                "monday montag maandag lundi lunes lunedì segunda-feira måndag mandag",
                "tuesday dienstag dinsdag mardi martes martedì terça-feira tisdag tirsdag",
                "wednesday mittwoch woensdag mercredi miércoles mercoledì quarta-feira onsdag",
                "thursday donnerstag donderdag jeudi jueves giovedì quinta-feira torsdag",
                "friday freitag vrijdag vendredi viernes venerdì sexta-feira fredag",
                "saturday samstag sonnabend zaterdag samedi sábado sabato lördag lørdag",
                "sunday sonntag zondag dimanche domingo domenica söndag søndag",
            )
        )
        for name in names.split()
    }
)
_OFFSETS: Mapping[str, int] = MappingProxyType(
    {
        name: days
        for days, names in (
            (0, "today heute vandaag aujourd'hui hoy oggi hoje idag"),
            (1, "tomorrow demain domani amanhã imorgon"),
        )
        for name in names.split()
    }
)
"""Words for a day by itself. ``morgen`` and ``mañana`` are left out: they are the morning too."""

_NEXT = "next|coming|nächsten|nächster|kommenden|kommender|volgende|aanstaande|próximo|próxima|prossimo|prossima|nästa|næste|neste"
_NEXT_AFTER = "prochain|prochaine|próximo|próxima|prossimo|prossima|que viene"
_LEAST_DAYS_AHEAD = 3
"""Nearer than this, "next Monday" may be the one after."""

_MONTH_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY_NAMES = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_DAY = re.compile(
    rf"""(?P<characters>(?<!\d)\d{{4}}\s*[年년]\s*\d{{1,2}}\s*[月월]\s*\d{{1,2}}\s*[日일])
    | (?<![\w./-])(?:(?P<before>{_WEEKDAY_NAMES}|mon|tues?|wed|thu|thurs?|fri|sat|sun)\.?,?\s+
        (?:the\s+|den\s+)?(?=\d|(?:{_MONTH_NAMES})\b))?(?:
      (?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}})
    | (?P<ymd>\d{{4}}[/.]\d{{1,2}}[/.]\d{{1,2}})
    | (?P<numeric>\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}})
    | (?P<day_first>\d{{1,2}}(?:st|nd|rd|th|\.|er|º)?\s+(?:of\s+|de\s+)?(?:{_MONTH_NAMES})\.?,?\s+(?:de\s+)?\d{{4}})
    | (?P<month_first>(?:{_MONTH_NAMES})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}})
    | (?P<next>(?:{_NEXT})\s+(?:{_WEEKDAY_NAMES})|(?:{_WEEKDAY_NAMES})\s+(?:{_NEXT_AFTER}))
    | (?P<weekday>(?:{_WEEKDAY_NAMES}))
    | (?P<offset>{"|".join(_OFFSETS)})
    )(?![\w/-]|\.\d)""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A day found in a text, with where it stands. ``day`` is None where it can be read in two ways, or is no day."""

    day: date | None
    begin: int
    end: int
    text: str


def days_in(text: str, today: date | None) -> tuple[Day, ...]:
    """Find every day named in ``text``.

    Args:
        today: what "tomorrow" counts from; None if it is not known, and then no relative day is read.
    """
    return tuple(
        Day(day=_day_of(match, today), begin=match.start(), end=match.end(), text=match.group())
        for match in _DAY.finditer(text)
    )


def is_weekday(word: str) -> bool:
    """Whether a word, folded, is the name of a day of the week."""
    return word in _WEEKDAYS


def _day_of(match: re.Match[str], today: date | None) -> date | None:
    """The day that is written; None if it can be read in two ways, or falls on another weekday than is written."""
    day = _written(match, today)
    if day is None or match["before"] is None:
        return day
    before = folded(match["before"])
    weekday = _WEEKDAYS.get(before, next((at for name, at in _WEEKDAYS.items() if name.startswith(before[:3])), None))
    return day if day.weekday() == weekday else None


def _written(match: re.Match[str], today: date | None) -> date | None:
    text = match.group() if match["before"] is None else match.string[match.end("before") : match.end()]
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    match match.lastgroup:
        case "iso" | "ymd" | "characters":
            return _date(*numbers)
        case "numeric":
            return _numeric(*numbers, year_digits=len(re.findall(r"\d+", text)[-1]))
        case "day_first":
            return _date(numbers[1], _month_in(text), numbers[0])
        case "month_first":
            return _date(numbers[1], _month_in(text), numbers[0])
        case "next":
            return None if today is None else _next(_weekday_in(text), today)
        case "offset":
            return None if today is None else today + timedelta(days=_OFFSETS[folded(text)])
        case _:
            return None


def _numeric(first: int, second: int, year: int, *, year_digits: int) -> date | None:
    """Day and month in the order that is the only possible one."""
    if year_digits != 4:
        return None
    if first == second or first > 12:
        return _date(year, second, first)
    return _date(year, first, second) if second > 12 else None


def _next(weekday: int, today: date) -> date | None:
    """The coming such day, if it is in the week after and not just ahead: then there is no other reading."""
    ahead = (weekday - today.weekday()) % 7 or 7
    coming = today + timedelta(days=ahead)
    return coming if weekday <= today.weekday() and ahead >= _LEAST_DAYS_AHEAD else None


def _month_in(text: str) -> int:
    return next(_MONTHS[word] for raw in re.findall(r"[^\W\d_]+", text) if (word := folded(raw)) in _MONTHS)


def _weekday_in(text: str) -> int:
    return next(_WEEKDAYS[word] for raw in text.split() if (word := folded(raw)) in _WEEKDAYS)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
