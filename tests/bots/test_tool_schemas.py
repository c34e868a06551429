"""A typed function is a tool: what a model is told of it, and what its text becomes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Annotated, Any, Generic, TypeVar

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from overwinter.actors.messages import ToolSpec
from overwinter.bots.errors import ToolArgumentsError
from overwinter.bots.tool_schemas import ToolSignature

T = TypeVar("T")


class Call(Generic[T]):
    """Stands for the class of the parameter that is no argument."""


class Refund(BaseModel):
    """A refund of a card payment."""

    order_id: str
    amount: Decimal = Field(gt=0, description="In euros.")


class Item(BaseModel):
    sku: str
    count: int = 1


class Node(BaseModel):
    name: str
    children: list[Node] = []


def signature_of(function: Callable[..., Awaitable[Any]], **names: Any) -> ToolSignature:
    return ToolSignature.of(function, call_type=Call, names=names)


async def refund_card(refund: Refund, call: Call[Any]) -> str:
    """Refund a card payment."""
    raise NotImplementedError


async def order(items: list[Item], express: bool = False, note: str | None = None) -> list[Item]:
    """Order goods.

    Args:
        items: what to order.
        note: for the packer.
    """
    raise NotImplementedError


def fits(schema: dict[str, Any], arguments: Any) -> bool:
    return Draft202012Validator(schema).is_valid(arguments)  # pyright: ignore[reportUnknownMemberType]


def problems(signature: ToolSignature, text: str) -> tuple[str, ...]:
    with pytest.raises(ToolArgumentsError) as raised:
        signature.parse(text)
    return raised.value.problems


class TestWhatTheModelIsTold:
    def test_name_description_and_schema_come_from_the_function(self) -> None:
        assert signature_of(order).spec == ToolSpec(
            name="order",
            description="Order goods.",
            parameters={
                "type": "object",
                "properties": {
                    "items": {
                        "type": "array",
                        "items": {"$ref": "#/$defs/Item"},
                        "description": "what to order.",
                    },
                    "express": {"type": "boolean", "default": False},
                    "note": {
                        "anyOf": [{"type": "string"}, {"type": "null"}],
                        "default": None,
                        "description": "for the packer.",
                    },
                },
                "required": ["items"],
                "additionalProperties": False,
                "$defs": {
                    "Item": {
                        "type": "object",
                        "title": "Item",
                        "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "default": 1}},
                        "required": ["sku"],
                        "additionalProperties": False,
                    }
                },
            },
        )

    def test_fields_of_the_only_parameter_are_the_arguments(self) -> None:
        parameters = signature_of(refund_card).parameters

        assert list(parameters["properties"]) == ["order_id", "amount"]
        assert parameters["required"] == ["order_id", "amount"]
        assert parameters["properties"]["amount"]["description"] == "In euros."
        assert parameters["description"] == "A refund of a card payment."
        assert parameters["additionalProperties"] is False

    def test_model_beside_other_parameters_stays_under_its_name(self) -> None:
        async def refund_card(refund: Refund, reason: str) -> str:
            raise NotImplementedError

        assert list(signature_of(refund_card).parameters["properties"]) == ["refund", "reason"]

    def test_model_with_a_default_stays_under_its_name(self) -> None:
        async def ship(item: Item = Item(sku="A")) -> str:  # noqa: B008
            raise NotImplementedError

        signature = signature_of(ship)

        assert list(signature.parameters["properties"]) == ["item"]
        assert signature.parse("") == {"item": Item(sku="A")}

    def test_call_is_no_argument_and_is_named(self) -> None:
        assert signature_of(refund_card).call_parameter == "call"
        assert signature_of(refund_card).call_annotation == Call[Any]
        assert signature_of(order).call_parameter is None
        assert signature_of(order).call_annotation is None

    def test_call_may_be_bare_and_stand_anywhere(self) -> None:
        async def pay(context: Call, to: str) -> str:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
            raise NotImplementedError

        signature = signature_of(pay)  # pyright: ignore[reportUnknownArgumentType]

        assert signature.call_parameter == "context"
        assert signature.parse('{"to": "A"}') == {"to": "A"}

    def test_description_in_the_annotation_goes_before_that_in_the_docstring(self) -> None:
        async def pay(
            to: Annotated[str, Field(description="the payee", min_length=1)],
            cents: int = Field(gt=0, description="how much"),
            count: Annotated[int, Field(ge=1)] = 1,
        ) -> str:
            """Pay.

            Args:
                to: not this.
                cents: nor this.
                count: how often.
            """
            raise NotImplementedError

        parameters = signature_of(pay).parameters

        assert parameters["properties"] == {
            "to": {"type": "string", "minLength": 1, "description": "the payee"},
            "cents": {"type": "integer", "exclusiveMinimum": 0, "description": "how much"},
            "count": {"type": "integer", "minimum": 1, "default": 1, "description": "how often."},
        }
        assert parameters["required"] == ["to", "cents"]

    def test_function_without_arguments_has_an_empty_object(self) -> None:
        async def now() -> str:
            raise NotImplementedError

        signature = signature_of(now)

        assert signature.description == ""
        assert signature.parameters == {"type": "object", "properties": {}, "additionalProperties": False}
        assert signature.canonical(signature.parse("")) == {}

    def test_model_that_contains_itself_is_an_object_at_the_top(self) -> None:
        async def plant(node: Node) -> str:
            raise NotImplementedError

        signature = signature_of(plant)

        assert signature.parameters["type"] == "object"
        assert signature.parameters["$defs"]["Node"]["additionalProperties"] is False
        Draft202012Validator.check_schema(signature.parameters)
        assert fits(signature.parameters, {"name": "a", "children": [{"name": "b"}]})
        assert not fits(signature.parameters, {"name": "a", "children": [{"name": "b", "age": 3}]})

    def test_names_that_pydantic_forbids_are_arguments_like_others(self) -> None:
        async def send(json: str, _x: int, model_config: str, copy: bool = True) -> str:
            raise NotImplementedError

        signature = signature_of(send)

        values = signature.parse('{"json": "{}", "_x": 1, "model_config": "m"}')
        assert values == {"json": "{}", "_x": 1, "model_config": "m", "copy": True}

    def test_tool_may_have_another_name_than_its_function(self) -> None:
        assert ToolSignature.of(order, call_type=Call, name="order-goods").name == "order-goods"

    def test_classes_local_to_a_function_are_found_in_its_closure_and_in_the_callers_names(self) -> None:
        class Local(BaseModel):
            a: int

        async def uses(thing: Local) -> str:
            raise NotImplementedError

        async def mentions(thing: Local) -> Local:
            return Local(a=thing.a)

        assert signature_of(uses, Local=Local).parse('{"a": 1}') == {"thing": Local(a=1)}
        assert signature_of(mentions).parse('{"a": 1}') == {"thing": Local(a=1)}

    def test_method_of_an_object_is_a_tool_without_its_self(self) -> None:
        class Shop:
            async def sell(self, sku: str) -> str:
                """Sell something."""
                raise NotImplementedError

        signature = signature_of(Shop().sell)

        assert signature.description == "Sell something."
        assert signature.parse('{"sku": "A"}') == {"sku": "A"}

    def test_result_is_stored_by_the_return_annotation(self) -> None:
        result = signature_of(order).result

        assert result.dump_json([Item(sku="A")]) == b'[{"sku":"A","count":1}]'
        assert result.validate_json('[{"sku":"A","count":1}]') == [Item(sku="A")]


class TestWhatTheModelWrote:
    def test_arguments_arrive_as_typed_values(self) -> None:
        assert signature_of(order).parse('{"items": [{"sku": "A", "count": 2}, {"sku": "B"}]}') == {
            "items": [Item(sku="A", count=2), Item(sku="B", count=1)],
            "express": False,
            "note": None,
        }

    def test_only_model_arrives_under_its_parameter(self) -> None:
        assert signature_of(refund_card).parse('{"order_id": "4471", "amount": "80.00"}') == {
            "refund": Refund(order_id="4471", amount=Decimal("80.00"))
        }

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("{}", ("order_id: is required and missing", "amount: is required and missing")),
            (
                '{"order_id": 4471, "amount": "80.00"}',
                ("order_id: input should be a valid string; got 4471",),
            ),
            (
                '{"order_id": "4471", "amount": -5}',
                ("amount: input should be greater than 0; got -5",),
            ),
            (
                '{"order_id": "4471", "amount": "many"}',
                ('amount: input should be a valid decimal; got "many"',),
            ),
            (
                '{"order_id": "4471", "amount": "80", "to": "B"}',
                ('to: there is no such argument; got "B"',),
            ),
            ('{"order_id": "4471", "amount": "NaN"}', ('amount: input should be a finite number; got "NaN"',)),
            (
                '{"order_id": "4471", "amount": "Infinity"}',
                ('amount: input should be a finite number; got "Infinity"',),
            ),
            ('{"order_id": "4471", "amount": NaN}', ("NaN is no JSON number",)),
            ('{"order_id": "4471", "amount": 1, "amount": 1000}', ('the key "amount" is there twice',)),
            ("refund 80", ("they are not JSON: Expecting value at line 1, column 1; write one JSON object",)),
            ('["4471"]', ('one JSON object is expected, got ["4471"]',)),
            ("", ("order_id: is required and missing", "amount: is required and missing")),
        ],
    )
    def test_what_does_not_fit_is_said_with_its_path(self, text: str, expected: tuple[str, ...]) -> None:
        assert problems(signature_of(refund_card), text) == expected

    def test_path_leads_into_lists_and_models(self) -> None:
        text = '{"items": [{"sku": "A"}, {"count": "2", "colour": "red"}], "express": "yes"}'

        assert problems(signature_of(order), text) == (
            "items[1].sku: is required and missing",
            'items[1].count: input should be a valid integer; got "2"',
            'items[1].colour: there is no such argument; got "red"',
            'express: input should be a valid boolean; got "yes"',
        )

    def test_very_many_problems_are_cut_short(self) -> None:
        text = '{"items": [' + ",".join(['{"sku": 1}'] * 50) + "]}"

        found = problems(signature_of(order), text)

        assert len(found) == 11
        assert found[-1] == "and 40 more"

    def test_long_input_is_cut_short(self) -> None:
        [problem] = problems(signature_of(order), '{"items": "' + "x" * 5000 + '"}')

        assert len(problem) < 200

    def test_nothing_is_forced_into_another_type_unless_the_type_says_so(self) -> None:
        async def wait(seconds: int, strictly: bool, loosely: Annotated[int, BeforeValidator(int)]) -> str:
            raise NotImplementedError

        signature = signature_of(wait)

        assert signature.parse('{"seconds": 5, "strictly": true, "loosely": "7"}')["loosely"] == 7
        assert problems(signature, '{"seconds": 5.0, "strictly": 1, "loosely": 7}') == (
            "seconds: input should be a valid integer; got 5.0",
            "strictly: input should be a valid boolean; got 1",
        )

    def test_unknown_keys_are_refused_also_by_types_that_would_keep_or_ignore_them(self) -> None:
        class Open(BaseModel):
            model_config = ConfigDict(extra="allow")
            a: int

        async def send(first: Open, second: Item, free: dict[str, Any]) -> str:
            raise NotImplementedError

        signature = signature_of(send, Open=Open)
        text = '{"first": {"a": 1, "b": 2}, "second": {"sku": "A", "b": 2}, "free": {"b": 2}}'

        assert problems(signature, text) == (
            "first.b: there is no such argument; got 2",
            "second.b: there is no such argument; got 2",
        )
        assert signature.parameters["$defs"]["Open"]["additionalProperties"] is False

    @pytest.mark.parametrize("escape", [r"\ud800", r"a\udc00"])
    def test_half_a_surrogate_pair_is_refused(self, escape: str) -> None:
        assert len(problems(signature_of(refund_card), f'{{"order_id": "{escape}", "amount": 1}}')) == 1
