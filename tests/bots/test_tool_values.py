"""The values of a call: exact numbers, one canonical form, and the same values whenever they are read back."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import uuid
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, computed_field

from overwinter.bots.errors import ToolArgumentsError, ToolArgumentsUnstableError
from overwinter.bots.tool_arguments import digest
from overwinter.bots.tool_schemas import ToolSignature

T = TypeVar("T")


class Call(Generic[T]):
    """Stands for the class of the parameter that is no argument."""


class Refund(BaseModel):
    order_id: str
    amount: Decimal = Field(gt=0)


class Item(BaseModel):
    sku: str
    count: int = 1


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Period:
    begins: dt.date
    days: int = 30


def signature_of(function: Callable[..., Awaitable[Any]], **names: Any) -> ToolSignature:
    return ToolSignature.of(function, call_type=Call, names=names)


async def refund_card(refund: Refund, call: Call[Any]) -> str:
    raise NotImplementedError


async def order(items: list[Item], express: bool = False, note: str | None = None) -> list[Item]:
    raise NotImplementedError


def fits(schema: dict[str, Any], arguments: Any) -> bool:
    return Draft202012Validator(schema).is_valid(arguments)  # pyright: ignore[reportUnknownMemberType]


def problems(signature: ToolSignature, text: str) -> tuple[str, ...]:
    with pytest.raises(ToolArgumentsError) as raised:
        signature.parse(text)
    return raised.value.problems


class TestNumbers:
    @pytest.mark.parametrize(
        ("written", "amount"),
        [
            ("80.1", "80.1"),
            ("80.10", "80.10"),
            ("80.00", "80.00"),
            ("80", "80"),
            ('"80.00"', "80.00"),
            ("0.1234567890123456789012345", "0.1234567890123456789012345"),
            ("123456789012345678901234567890.55", "123456789012345678901234567890.55"),
            ("8e1", "80"),
            ("1.5e-3", "0.0015"),
        ],
    )
    def test_decimal_is_as_exact_as_the_model_wrote_it(self, written: str, amount: str) -> None:
        signature = signature_of(refund_card)

        values = signature.parse(f'{{"order_id": "4471", "amount": {written}}}')

        assert values["refund"].amount.as_tuple() == Decimal(amount).as_tuple()
        assert signature.canonical(values) == {"order_id": "4471", "amount": amount}

    def test_floats_stay_floats_beside_decimals(self) -> None:
        async def mix(rate: float, price: Decimal | None, anything: Any, either: int | float) -> str:
            raise NotImplementedError

        signature = signature_of(mix)
        values = signature.parse('{"rate": 1.50, "price": 2.50, "anything": [3.50], "either": 4.50}')

        assert values == {"rate": 1.5, "price": Decimal("2.50"), "anything": [3.5], "either": 4.5}
        assert [type(value) for value in (values["rate"], values["anything"][0], values["either"])] == [float] * 3
        assert signature.canonical(values) == {"rate": 1.5, "price": "2.50", "anything": [3.5], "either": 4.5}

    def test_type_that_is_strict_itself_takes_numbers_that_a_float_can_hold(self) -> None:
        class Strict(BaseModel):
            model_config = ConfigDict(strict=True)
            amount: Decimal
            due: dt.date

        async def pay(strict: Strict) -> str:
            raise NotImplementedError

        signature = signature_of(pay, Strict=Strict)

        assert signature.parse('{"amount": 80.5, "due": "2026-01-31"}')["strict"].amount == Decimal("80.5")
        assert problems(signature, '{"amount": 0.1234567890123456789, "due": "2026-01-31"}') == (
            "the number 0.1234567890123456789 has too many digits; write it as a text, in quotes, or with fewer",
        )

    def test_float_that_is_no_number_is_refused(self) -> None:
        async def heat(degrees: float, text: Annotated[float, BeforeValidator(float)] = 0.0) -> str:
            raise NotImplementedError

        signature = signature_of(heat)

        assert problems(signature, '{"degrees": NaN}') == ("NaN is no JSON number",)
        assert problems(signature, '{"degrees": 1e400}') == ("the number 1e400 is too large",)
        assert problems(signature, '{"degrees": 1, "text": "inf"}') == (
            "text: input should be a finite number; got Infinity",
        )
        assert problems(signature, '{"degrees": "inf"}') == ('degrees: input should be a valid number; got "inf"',)

    @given(st.decimals(allow_nan=False, allow_infinity=False, min_value="0.0001", max_value=10**12))
    def test_decimal_comes_through_the_canonical_form_unchanged(self, amount: Decimal) -> None:
        canonical = REFUND.canonical({"refund": Refund(order_id="1", amount=amount)})

        assert REFUND.bind(canonical)["refund"].amount.as_tuple() == amount.as_tuple()


REFUND = signature_of(refund_card)


class TestCanonicalForm:
    def test_defaults_are_written_out(self) -> None:
        signature = signature_of(order)

        assert signature.canonical(signature.parse('{"items": []}')) == {"items": [], "express": False, "note": None}

    def test_values_of_every_kind_come_back_the_same(self) -> None:
        async def everything(
            when: dt.datetime,
            day: dt.date,
            span: dt.timedelta,
            key: uuid.UUID,
            colour: Colour,
            word: Literal["a", "b"],
            pair: tuple[int, str],
            period: Period,
            raw: bytes,
            table: dict[str, Decimal],
        ) -> str:
            raise NotImplementedError

        signature = signature_of(everything)
        values = {
            "when": dt.datetime(2026, 1, 31, 12, 30, tzinfo=dt.UTC),
            "day": dt.date(2026, 1, 31),
            "span": dt.timedelta(days=3, milliseconds=1),
            "key": uuid.UUID(int=7),
            "colour": Colour.RED,
            "word": "b",
            "pair": (1, "x"),
            "period": Period(begins=dt.date(2026, 2, 1)),
            "raw": b"bytes",
            "table": {"x": Decimal("1.10")},
        }
        canonical = signature.canonical(values)

        assert canonical == {
            "when": "2026-01-31T12:30:00Z",
            "day": "2026-01-31",
            "span": "P3DT0.001S",
            "key": "00000000-0000-0000-0000-000000000007",
            "colour": "red",
            "word": "b",
            "pair": [1, "x"],
            "period": {"begins": "2026-02-01", "days": 30},
            "raw": "bytes",
            "table": {"x": "1.10"},
        }
        assert signature.bind(canonical) == values
        assert fits(signature.parameters, canonical)

    def test_aliases_are_the_names_on_both_ways(self) -> None:
        class Aliased(BaseModel):
            order_id: str = Field(alias="orderId")

            @computed_field
            @property
            def shown(self) -> str:
                return f"#{self.order_id}"

        async def pay(aliased: Aliased) -> str:
            raise NotImplementedError

        signature = signature_of(pay, Aliased=Aliased)
        values = signature.parse('{"orderId": "4471"}')

        assert list(signature.parameters["properties"]) == ["orderId"]
        assert signature.canonical(values) == {"orderId": "4471"}

    @pytest.mark.case("du16")
    def test_order_of_keys_makes_no_other_call_and_scale_does(self) -> None:
        def digest_of(text: str) -> str:
            return digest("refund_card", REFUND.canonical(REFUND.parse(text)))

        approved = digest_of('{"order_id": "A", "amount": "100.00"}')

        assert digest_of('{"amount": "100.00", "order_id": "A"}') == approved
        assert digest_of('{"amount": 100.00, "order_id": "A"}') == approved
        assert digest_of('{"order_id": "A", "amount": "100.0"}') != approved
        assert digest_of('{"order_id": "A", "amount": "1000.00"}') != approved

    @pytest.mark.case("du16")
    def test_validator_that_rewrites_again_when_read_back_is_refused_before_anybody_is_asked(self) -> None:
        async def pay(amount: Annotated[int, AfterValidator(lambda amount: amount * 2)], to: str) -> str:
            raise NotImplementedError

        signature = signature_of(pay)

        with pytest.raises(ToolArgumentsUnstableError, match="when read back: amount") as raised:
            signature.parse('{"amount": 50, "to": "A"}')
        assert raised.value.code == "tool.unstable-arguments"
        with pytest.raises(ToolArgumentsUnstableError):
            signature.bind({"amount": 100, "to": "A"})

    def test_validator_that_settles_at_once_is_fine(self) -> None:
        async def greet(name: Annotated[str, AfterValidator(str.strip)]) -> str:
            raise NotImplementedError

        signature = signature_of(greet)

        assert signature.canonical(signature.parse('{"name": "  Ada "}')) == {"name": "Ada"}
        with pytest.raises(ToolArgumentsUnstableError):
            signature.bind({"name": "  Ada "})

    @pytest.mark.parametrize(
        ("written", "times"),
        [('{"name": "Ada", "share": 1}', 1), ('{"share":1,"name":"Ada"}', 1), ('{"name": "Ada ", "share": 1}', 2)],
    )
    def test_what_was_written_in_its_canonical_form_is_not_read_twice(self, written: str, times: int) -> None:
        read: list[str] = []

        def strip(name: str) -> str:
            read.append(name)
            return name.strip()

        async def greet(name: Annotated[str, AfterValidator(strip)], share: int) -> str:
            return strip(name)

        assert signature_of(greet).read(written) == {"name": "Ada", "share": 1}
        assert len(read) == times

    def test_a_number_that_only_compares_equal_is_read_again(self) -> None:
        read: list[float] = []

        def note(share: float) -> float:
            read.append(share)
            return share

        async def give(share: Annotated[float, AfterValidator(note)]) -> str:
            return str(note(share))

        canonical = signature_of(give).read('{"share": 1}')
        assert (canonical, type(canonical["share"])) == ({"share": 1.0}, float)
        assert len(read) == 2

    def test_type_that_cannot_read_what_it_writes_is_refused(self) -> None:
        async def pay(amount: Annotated[int, PlainSerializer(lambda amount: f"{amount} EUR")]) -> str:
            raise NotImplementedError

        with pytest.raises(ToolArgumentsUnstableError, match="amount: input should be a valid integer"):
            signature_of(pay).parse('{"amount": 50}')

    def test_bound_arguments_must_fit_the_function_as_it_is_now(self) -> None:
        with pytest.raises(ToolArgumentsError) as raised:
            REFUND.bind({"order_id": "4471", "amount": "80.00", "currency": "EUR"})

        assert raised.value.problems == ('currency: there is no such argument; got "EUR"',)

    def test_bound_arguments_must_be_canonical(self) -> None:
        with pytest.raises(ToolArgumentsUnstableError, match="amount"):
            REFUND.bind({"order_id": "4471", "amount": 80})

    def test_arguments_that_a_person_edited_are_read_as_a_models_are(self) -> None:
        assert REFUND.canonical(REFUND.parse_json({"order_id": "4471", "amount": 40})) == {
            "order_id": "4471",
            "amount": "40",
        }
        with pytest.raises(ToolArgumentsError, match="amount: input should be greater than 0"):
            REFUND.parse_json({"order_id": "4471", "amount": "0"})
        with pytest.raises(ToolArgumentsError, match="JSON"):
            REFUND.parse_json({"order_id": "4471", "amount": float("nan")})

    def test_values_that_code_has_rewritten_must_be_all_there_and_of_their_types(self) -> None:
        signature = signature_of(order)
        with pytest.raises(ToolArgumentsError) as raised:
            signature.canonical({"items": [], "express": True, "to": "A"})
        assert raised.value.problems == ("note: is required and missing", "to: there is no such argument")

        with pytest.raises(ToolArgumentsError, match=r"`bool` .*'express'"):
            signature.canonical({"items": [], "express": "yes", "note": None})
        with pytest.raises(ToolArgumentsError):
            REFUND.canonical({"refund": {"order_id": "4471"}})

    def test_constraints_are_checked_when_rewritten_values_are_bound(self) -> None:
        canonical = REFUND.canonical({"refund": Refund.model_construct(order_id="1", amount=Decimal(-1))})

        with pytest.raises(ToolArgumentsError, match="greater than 0"):
            REFUND.bind(canonical)
