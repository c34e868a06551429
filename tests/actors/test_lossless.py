"""What pydantic would lose by its defaults is kept, at every depth."""

from __future__ import annotations

import dataclasses
import math
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, RootModel, Tag, TypeAdapter, field_serializer

from overwinter.actors.lossless import lossless
from overwinter.actors.sameness import difference

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ["Europe/Berlin", "UTC", "America/St_Johns", "Asia/Kathmandu", "Africa/Casablanca", "Australia/Lord_Howe"]

offsets = st.timedeltas(min_value=timedelta(hours=-23), max_value=timedelta(hours=23)).map(
    lambda offset: timezone(timedelta(seconds=round(offset.total_seconds())))
)
zones = st.none() | st.sampled_from([ZoneInfo(name) for name in ZONES]) | st.just(UTC) | offsets


def again(annotation: Any, value: Any) -> Any:
    write, read = lossless(annotation)
    return read(write(value))


def text_of(annotation: Any, value: Any) -> str:
    return lossless(annotation)[0](value).decode()


@given(st.datetimes(), zones, st.sampled_from([0, 1]))
def test_every_datetime_comes_back_with_its_zone_and_fold(at: datetime, zone: tzinfo | None, fold: int) -> None:
    value = at.replace(tzinfo=zone, fold=fold)
    assert difference(value, again(datetime, value)) is None


@given(st.timedeltas())
def test_every_timedelta_comes_back(value: timedelta) -> None:
    assert difference(value, again(timedelta, value)) is None


@given(st.binary())
def test_all_bytes_come_back(value: bytes) -> None:
    assert again(bytes, value) == value


@given(st.floats())
def test_every_float_comes_back(value: float) -> None:
    assert difference(value, again(float, value)) is None


def test_all_zones_come_back() -> None:
    write, read = lossless(list[datetime])
    values = [datetime(2026, 7, 1, 12, tzinfo=ZoneInfo(name)) for name in sorted(available_timezones())[::25]]
    assert difference(values, read(write(values))) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 3, 29, 2, 30), "2026-03-29T02:30:00"),  # noqa: DTZ001
        (datetime(2026, 3, 29, 2, 30, fold=1), "2026-03-29T02:30:00[fold=1]"),  # noqa: DTZ001
        (datetime(2026, 3, 29, 2, 30, tzinfo=UTC), "2026-03-29T02:30:00+00:00[+00:00]"),
        (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN), "2026-10-25T02:30:00+02:00[Europe/Berlin]"),
        (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1), "2026-10-25T02:30:00+01:00[Europe/Berlin][fold=1]"),
        (TypeAdapter(datetime).validate_python("2026-03-29T02:30:00Z"), "2026-03-29T02:30:00+00:00"),
    ],
)
def test_datetime_is_written_like_this(value: datetime, text: str) -> None:
    assert text_of(datetime, value) == f'"{text}"'
    assert difference(value, lossless(datetime)[1](f'"{text}"')) is None


def test_datetime_as_pydantic_writes_it_is_read_as_pydantic_reads_it() -> None:
    for text in ('"2026-03-29T02:30:00Z"', '"2026-03-29 02:30:00.5+05:30"', '"2026-03-29"', "1774751400"):
        assert difference(TypeAdapter(datetime).validate_json(text), lossless(datetime)[1](text)) is None


@pytest.mark.parametrize(
    "text",
    [
        '"soon"',
        '"soon[Europe/Berlin]"',
        '"2026-03-29T02:30:00+01:00[Atlantis/Port]"',
        '"2026-03-29T02:30:00+01:00[Europe]"',
        "{}",
    ],
)
def test_text_that_is_no_datetime_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="validation error"):
        lossless(datetime)[1](text)


def test_constraints_of_a_datetime_still_hold() -> None:
    naive = text_of(datetime, datetime(2026, 3, 29))  # noqa: DTZ001
    with pytest.raises(ValueError, match="timezone"):
        lossless(AwareDatetime)[1](naive)
    value = datetime(2026, 3, 29, tzinfo=BERLIN)
    assert difference(value, again(AwareDatetime, value)) is None


class Inner(BaseModel):
    model_config = ConfigDict(ser_json_bytes="utf8", ser_json_inf_nan="null", ser_json_timedelta="float")
    type: Literal["inner"] = "inner"
    raw: bytes = b"\xff"
    ratio: float = math.inf
    took: timedelta = timedelta(microseconds=1)
    at: datetime = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)
    metadata: datetime = datetime(2026, 3, 29, tzinfo=UTC)


class Other(BaseModel):
    type: Literal["other"] = "other"
    at: datetime | None = None


class Aliased(BaseModel):
    model_config = ConfigDict(strict=True, serialize_by_alias=True, extra="forbid")
    inner: Inner = Field(alias="Inner")
    by_time: dict[datetime, Inner] = Field(validation_alias="byTime", serialization_alias="by-time")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    inner: Inner
    at: datetime
    raw: bytes = b"\xfe"


class Row(NamedTuple):
    record: Record
    at: datetime


class Rows(RootModel[list[Row]]):
    pass


class Chain(BaseModel):
    at: datetime
    rest: Chain | None = None


AT = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)
RECORD = Record(inner=Inner(), at=AT)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (Inner, Inner()),
        (list[Inner], [Inner()]),
        (Aliased, Aliased.model_validate({"Inner": Inner(), "byTime": {AT: Inner()}})),
        (dict[str, Record], {"a": RECORD}),
        (Record, RECORD),
        (Rows, Rows([Row(RECORD, AT)])),
        (Inner | Other, Other(at=AT)),
        (list[Inner | Other], [Other(at=AT), Inner()]),
        (Annotated[Inner, Tag("inner")] | Annotated[Other, Tag("other")], Other(at=AT)),
        (Annotated[Inner | Other, Field(discriminator="type")], Other(at=AT)),
        (Chain, Chain(at=AT, rest=Chain(at=AT))),
        (datetime | None, AT),
        (int | datetime, AT),
        (tuple[datetime, ...], (AT, AT)),
        (dict[datetime, bytes], {AT: b"\xff"}),
    ],
    ids=str,
)
def test_nothing_is_lost_inside_whatever_the_configuration(annotation: Any, value: Any) -> None:
    assert difference(value, again(annotation, value)) is None


def test_model_itself_is_left_as_it_was() -> None:
    before = Inner().model_dump_json(exclude={"raw"})
    assert difference(Inner(), again(Inner, Inner())) is None
    assert Inner().model_dump_json(exclude={"raw"}) == before
    assert "[Europe/Berlin]" not in before


class OwnWay(BaseModel):
    at: datetime

    @field_serializer("at")
    def _as_seconds(self, at: datetime) -> float:
        return at.timestamp()


def test_serializer_of_an_author_is_left_alone() -> None:
    value = OwnWay(at=datetime(2026, 3, 29, tzinfo=UTC))
    assert text_of(OwnWay, value) == '{"at":1774742400.0}'
