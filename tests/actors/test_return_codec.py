"""The codec of a function is that of its return annotation, wherever that stands."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from decimal import Decimal
from enum import Enum
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from overwinter.actors.payloads import codec_of, return_codec
from overwinter.actors.step_errors import StepUnserializableError

if TYPE_CHECKING:
    from fractions import Fraction


class Colour(Enum):
    RED = "red"


class Order(BaseModel):
    order_id: str


def gives_text(name: Fraction) -> list[str]:
    return [str(name)]


async def gives_order(order_id: str) -> Order:
    return Order(order_id=order_id)


def gives_awaitable() -> Awaitable[Colour]:
    raise NotImplementedError


def gives_anything():  # pyright: ignore
    return 1


def gives_hidden() -> Fraction:
    raise NotImplementedError


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


class Printer:
    def __call__(self) -> Decimal:
        return Decimal(1)

    def method(self) -> Decimal:
        return Decimal(1)

    @classmethod
    def made(cls) -> Decimal:
        return Decimal(1)

    @staticmethod
    def fixed() -> Decimal:
        return Decimal(1)


@pytest.mark.parametrize(
    ("function", "annotation"),
    [
        (gives_text, list[str]),
        (gives_order, Order),
        (gives_awaitable, Colour),
        (partial(partial(gives_order), "1"), Order),
        (traced(gives_order), Order),
        (Printer(), Decimal),
        (Printer().method, Decimal),
        (Printer.made, Decimal),
        (Printer.fixed, Decimal),
        (partial(Printer().method), Decimal),
        (Order, Order),
        (gives_anything, Any),
        (lambda: 1, Any),
        (len, Any),
        (sys.stdout.write, Any),
    ],
)
def test_codec_of_a_function_is_that_of_its_return_type(function: Callable[..., Any], annotation: object) -> None:
    assert return_codec(function) is codec_of(annotation)


def test_function_over_a_closure_has_its_codec_too() -> None:
    seen = [1]

    def gives() -> list[int]:
        return seen

    assert return_codec(gives) is codec_of(list[int])


def test_return_type_that_is_not_there_at_run_time_is_refused_by_name() -> None:
    with pytest.raises(StepUnserializableError, match="the return annotation of gives_hidden, 'Fraction'"):
        return_codec(gives_hidden)
