"""What is stored comes back the same, or is refused where it would not."""

from __future__ import annotations

import dataclasses
import inspect
import math
import uuid
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, computed_field, field_validator

from overwinter.actors.errors import SessionCorruptError
from overwinter.actors.payloads import JSON, codec_of
from overwinter.actors.sameness import difference
from overwinter.actors.step_errors import StepTooLargeError, StepUnserializableError

CASES = Path(__file__).parents[1] / "cases" / "durable_resume.yaml"


class Colour(Enum):
    RED = "red"


class Order(BaseModel):
    order_id: str = Field(alias="orderId")
    _attempt: int = PrivateAttr(default=1)


class RushOrder(Order):
    courier: str = "bike"


@dataclasses.dataclass
class Parcel:
    items: list[str]
    weight: int = dataclasses.field(init=False, default=3)


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


CASE_VALUES: dict[str, tuple[object, Any]] = {
    'Decimal("0.10")': (Decimal, Decimal("0.10")),
    'datetime(2026,3,29,2,30,tzinfo=ZoneInfo("Europe/Berlin"),fold=1)': (
        datetime,
        datetime(2026, 3, 29, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1),
    ),
    "timedelta(days=1)": (timedelta, timedelta(days=1)),
    r'b"\x00\xff"': (bytes, b"\x00\xff"),
    'float("nan")': (float, float("nan")),
    "10**30": (int, 10**30),
    "UUID(int=1)": (uuid.UUID, uuid.UUID(int=1)),
    "{1,2}": (set[int], {1, 2}),
    "(1,2)": (tuple[int, int], (1, 2)),
    "Enum member": (Colour, Colour.RED),
    "PydanticModel with alias and private attr": (Order, Order(orderId="4471")),
    "dataclass with field(init=False)": (Parcel, Parcel(["lamp"])),
    "defaultdict(list)": (defaultdict[str, list[int]], defaultdict(list, {"a": [1]})),
    "Counter": (Counter[str], Counter("aab")),
    'Path("/x")': (Path, Path("/x")),
    r'"\ud800"': (str, "\ud800"),
    '{1:"int key"}': (dict[int, str], {1: "int key"}),
}
NEVER_TEXT = r'"\ud800"'
PLAIN = "10**30"


def comes_back(value: Any, annotation: object) -> bool:
    codec = codec_of(annotation)
    return difference(value, codec.load(codec.dump(value, where="result"))) is None


def refusal_of(value: Any, annotation: object = Any, *, where: str = "result") -> str:
    with pytest.raises(StepUnserializableError) as caught:
        codec_of(annotation).dump(value, where=where)
    return str(caught.value)


@pytest.mark.case("du14")
def test_every_value_of_the_case_is_tried_here() -> None:
    cases = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    values = next(case["input"]["values"] for case in cases if case["id"].startswith("du14"))
    assert values == list(CASE_VALUES)


@pytest.mark.case("du14")
@pytest.mark.parametrize("name", CASE_VALUES)
def test_annotated_value_comes_back_the_same_or_is_refused(name: str) -> None:
    annotation, value = CASE_VALUES[name]
    if name == NEVER_TEXT:
        assert refusal_of(value, annotation).startswith("result cannot be stored: UnicodeEncodeError")
    else:
        assert comes_back(value, annotation)


@pytest.mark.case("du14")
@pytest.mark.parametrize("name", CASE_VALUES)
def test_annotated_value_deep_inside_comes_back_or_its_place_is_named(name: str) -> None:
    annotation, value = CASE_VALUES[name]
    nested = {"items": [value] * 4}
    if name == NEVER_TEXT:
        text = refusal_of(nested, dict[str, list[str]], where="args")
        assert text.startswith("args.items[0] cannot be stored: ")
    else:
        assert comes_back(nested, dict[str, list[annotation]])  # pyright: ignore[reportInvalidTypeForm]


@pytest.mark.case("du14")
@pytest.mark.parametrize("name", CASE_VALUES)
@pytest.mark.parametrize("annotation", [Any, dict[str, Any], dict[str, list[Any]], dict], ids=str)
def test_value_without_a_type_is_refused_at_its_place(name: str, annotation: object) -> None:
    value = CASE_VALUES[name][1]
    nested = {"items": [1, 2, 3, value]}
    if name == PLAIN or (name == 'float("nan")' and annotation is not Any):
        assert comes_back(nested, annotation)
    else:
        assert refusal_of(nested, annotation, where="args").startswith("args.items[3]")


def test_refusal_without_a_type_says_what_to_do() -> None:
    assert refusal_of((1, 2)) == (
        "result cannot be stored: tuple comes back as list."
        " Without a type only plain JSON values are stored: annotate it, a result by the return type."
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(json_values)
def test_any_json_value_comes_back_the_same(value: Any) -> None:
    assert comes_back(value, Any)


@pytest.mark.parametrize("number", [2**63, -(2**64) - 1, 10**4299, -(10**4000)])
def test_whole_number_of_any_usual_length_comes_back(number: int) -> None:
    assert comes_back(number, Any)
    assert comes_back(number, int)


@pytest.mark.parametrize("annotation", [Any, int])
def test_whole_number_that_no_parser_reads_is_refused(annotation: object) -> None:
    assert refusal_of(10**5000, annotation).startswith("result cannot be stored: it does not fit")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_number_that_is_not_finite_needs_a_type(value: float) -> None:
    assert refusal_of([value]).startswith("result[0] cannot be stored: float comes back as NoneType")
    assert comes_back([value], list[float])


class Shout(str):
    """A str and more."""


@pytest.mark.parametrize("value", [(1,), {1}, Shout("hey"), {1: 2}, {True: 2}, b"x", Decimal(1), object(), Colour.RED])
def test_whatever_is_not_plain_json_is_refused_without_a_type(value: object) -> None:
    assert "Without a type only plain JSON values are stored" in refusal_of(value)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, "5"),
        (int, True),
        (int, 5.0),
        (float, 5),
        (bool, 1),
        (str, b"5"),
        (str, Shout("5")),
        (str, None),
        (None, 0),
        (list[int], (1, 2)),
        (tuple[int, ...], [1, 2]),
        (set[int], [1, 2]),
        (frozenset[int], {1, 2}),
        (dict[str, int], {1: 1}),
        (dict[int, str], {"1": "a"}),
        (dict[int | str, str], {1: "a", "1": "b"}),
        (dict[str, int], Counter("a")),
        (Decimal, 1),
        (Decimal, "0.10"),
        (datetime, "2026-03-29T02:30:00"),
        (uuid.UUID, str(uuid.UUID(int=1))),
        (Path, "/x"),
        (Colour, "red"),
        (Order, {"orderId": "4471"}),
        (Annotated[int, Field(gt=0)], -5),
    ],
    ids=repr,
)
def test_value_that_fits_its_type_by_conversion_only_is_refused(annotation: object, value: object) -> None:
    assert refusal_of(value, annotation).startswith("result")


def test_equal_unions_are_read_each_in_the_order_of_its_own_members() -> None:
    class Euros(BaseModel):
        amount: int

    class Cents(BaseModel):
        amount: int

    text = '{"amount":5}'
    for _ in range(2):
        assert codec_of(Euros | Cents).load(text) == Euros(amount=5)
        assert codec_of(Cents | Euros).load(text) == Cents(amount=5)
        assert codec_of(list[Euros | Cents]).load(f"[{text}]") == [Euros(amount=5)]
        assert codec_of(list[Cents | Euros]).load(f"[{text}]") == [Cents(amount=5)]


def test_subclass_of_the_declared_model_is_refused() -> None:
    rush = RushOrder(orderId="1")
    assert "RushOrder comes back as" in refusal_of(rush, Order)
    assert refusal_of({"orders": [rush]}, dict[str, list[Order]]).startswith("result.orders[0] cannot be stored")
    assert comes_back(rush, RushOrder)


def test_private_attribute_that_would_be_lost_is_refused() -> None:
    order = Order(orderId="1")
    order._attempt = 2  # pyright: ignore[reportPrivateUsage]
    assert refusal_of([order], list[Order]).startswith("result[0]._attempt cannot be stored: its value changes.")


def test_dataclass_field_outside_of_init_that_would_be_lost_is_refused() -> None:
    parcel = Parcel(["lamp"])
    parcel.weight = 7
    assert refusal_of(parcel, Parcel).startswith("result.weight cannot be stored: its value changes.")


class Secretive(BaseModel):
    shown: str
    hidden: str = Field(default="", exclude=True)


def test_excluded_field_is_refused_unless_its_default_brings_it_back() -> None:
    assert comes_back(Secretive(shown="a"), Secretive)
    assert refusal_of(Secretive(shown="a", hidden="b"), Secretive).startswith("result.hidden cannot be stored")


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    raw: bytes
    at: datetime
    price: Decimal
    ratio: float

    @computed_field
    @property
    def size(self) -> int:
        return len(self.raw)


def test_strict_model_comes_back_whatever_its_configuration() -> None:
    at = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1)
    value = Strict(raw=b"\xff\x00", at=at, price=Decimal("1.10"), ratio=-math.inf)
    assert comes_back(value, Strict)
    assert comes_back({"a": [value]}, dict[str, list[Strict]])


def test_value_that_its_own_type_does_not_accept_is_refused_at_its_place() -> None:
    text = refusal_of({"amounts": [1, -5]}, dict[str, list[Annotated[int, Field(gt=0)]]])
    assert text.startswith("result.amounts[1] cannot be stored: it does not fit")
    assert "Input should be greater than 0" in text


def test_place_of_a_fault_leaves_out_names_that_are_pydantics_own() -> None:
    annotation = dict[str, list[Annotated[int, Field(gt=0)] | Order]]
    assert refusal_of({"amounts": [1, -5]}, annotation).startswith("result.amounts[1] cannot be stored")


def test_refusal_does_not_show_the_value() -> None:
    assert "s3cret" not in refusal_of({"token": Shout("s3cret")}, dict[str, str])
    assert "s3cret" not in refusal_of({"token": "s3cret"}, dict[str, Annotated[str, Field(max_length=3)]])


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("annotation", [Any, list[Any], list], ids=str)
def test_deep_nesting_is_refused(annotation: object) -> None:
    assert refusal_of(nested(10_000), annotation).startswith("result[0][0]")


@pytest.mark.parametrize("levels", range(140, 270, 3))
def test_nesting_comes_back_or_is_refused_at_every_depth(levels: int) -> None:
    try:
        text = JSON.dump(nested(levels), where="result")
    except StepUnserializableError:
        assert levels > 190
    else:
        assert JSON.load(text) == nested(levels)


@pytest.mark.parametrize("annotation", [Any, dict[str, Any]], ids=str)
def test_value_that_contains_itself_is_refused(annotation: object) -> None:
    value: dict[str, Any] = {"rows": []}
    value["rows"].append(value)
    assert refusal_of(value, annotation).startswith("result.rows[0]… cannot be stored: ValueError: Circular reference")


def test_model_that_contains_itself_is_refused() -> None:
    tree = Tree(name="root")
    tree.children.append(tree)
    assert refusal_of(tree, Tree).startswith("result.children[0]…")


def test_recursive_model_comes_back() -> None:
    assert comes_back(Tree(name="root", children=[Tree(name="leaf")]), Tree)


@pytest.mark.case("du14")
@pytest.mark.parametrize("annotation", [Any, dict, dict[str, int], dict[str, Any], dict[str, str | int]], ids=str)
def test_key_that_is_half_a_surrogate_pair_is_refused(annotation: object) -> None:
    assert refusal_of({"\ud800": 1}, annotation).startswith("result")


def test_value_over_the_limit_is_refused() -> None:
    codec = codec_of(str, limit_bytes=10)
    assert codec.load(codec.dump("x" * 8, where="result")) == "x" * 8
    with pytest.raises(StepTooLargeError, match="result takes 11 bytes as JSON; the limit is 10"):
        codec.dump("x" * 9, where="result")


def test_limit_counts_bytes_and_not_letters() -> None:
    with pytest.raises(StepTooLargeError):
        codec_of(str, limit_bytes=10).dump("ö" * 5, where="result")


def test_text_is_compact_and_not_escaped() -> None:
    assert JSON.dump({"a": [1, "ö"]}, where="result") == '{"a":[1,"ö"]}'


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, '"five"'),
        (int, ""),
        (Any, "{"),
        (Any, "NaN"),
        (Any, '"\\ud800"'),
        (Order, "{}"),
        (Colour, '"green"'),
        (datetime, '"2026-03-29T02:30:00+02:00[Nowhere/Atall]"'),
        (datetime, '"soon[Europe/Berlin]"'),
        (list[int], "[" * 10_000),
    ],
    ids=str,
)
def test_text_that_does_not_fit_is_corrupt(annotation: object, text: str) -> None:
    with pytest.raises(SessionCorruptError):
        codec_of(annotation).load(text)


def test_corrupt_value_is_named_by_place_and_not_shown() -> None:
    with pytest.raises(SessionCorruptError) as caught:
        codec_of(dict[str, list[int]]).load('{"a":[1,"s3cret"]}')
    assert str(caught.value).startswith("a stored value does not fit dict[str, list[int]] at a.1: ")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("annotation", [Any, object, inspect.Parameter.empty, inspect.Signature.empty], ids=str)
def test_no_annotation_means_plain_json(annotation: object) -> None:
    assert codec_of(annotation) is JSON


def test_codec_of_the_same_annotation_is_made_once() -> None:
    assert codec_of(dict[str, list[Order]]) is codec_of(dict[str, list[Order]])
    assert codec_of(int, limit_bytes=5) is not codec_of(int)


def test_annotation_that_has_no_hash_works_too() -> None:
    annotation = Annotated[int, Field(json_schema_extra={"unit": "cent"}), ["a note"]]
    with pytest.raises(TypeError):
        hash(annotation)
    assert comes_back(5, annotation)
    assert refusal_of("5", annotation)


class Unknown:
    pass


def test_type_that_cannot_be_stored_is_refused_before_any_value() -> None:
    with pytest.raises(StepUnserializableError, match="values of Unknown cannot be stored"):
        codec_of(Unknown)


def test_value_that_a_validator_of_its_model_breaks_on_is_refused() -> None:
    class Fragile(BaseModel):
        names: dict[str, str]

        @field_validator("names")
        @classmethod
        def _has_owner(cls, names: dict[str, str]) -> dict[str, str]:
            return {"owner": names["owner"]}

    value = Fragile.model_construct(names={})
    assert refusal_of(value, Fragile).startswith("result cannot be stored: it does not fit")
    with pytest.raises(SessionCorruptError):
        codec_of(Fragile).load('{"names":{}}')


def test_validator_that_recurses_for_ever_is_a_refusal() -> None:
    def for_ever(value: int) -> int:
        return for_ever(value)

    text = refusal_of([5], list[Annotated[int, AfterValidator(for_ever)]])
    assert "(it is nested too deeply)" in text


def test_part_of_a_dataclass_that_has_no_json_is_named() -> None:
    assert refusal_of([Parcel(["a", "\ud800"])], list[Parcel]).startswith(
        "result[0].items[1] cannot be stored: Unicode"
    )


def test_letter_that_has_no_bytes_is_in_no_error_text() -> None:
    def complain(value: str) -> str:
        raise ValueError("not \ud800")

    refusal_of("a", Annotated[str, AfterValidator(complain)]).encode()
    refusal_of({"\ud800": 1}, dict[str, int]).encode()
