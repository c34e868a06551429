"""A docstring is told apart: what is said of the tool, and what of each argument."""

from __future__ import annotations

import pytest

from overwinter.bots.docstrings import Docstring


def test_arguments_are_taken_out_of_the_description() -> None:
    text = """Refund a card payment.

    Whole or in part.

    Args:
        order_id: the order, as on the invoice.
        amount (Decimal, optional): what to give back,
            at most what was paid: never more.

        note: for the customer.

    Returns:
        The refund's id.
    """

    assert Docstring.of(text) == Docstring(
        description="Refund a card payment.\n\nWhole or in part.\n\nReturns:\n    The refund's id.",
        arguments={
            "order_id": "the order, as on the invoice.",
            "amount": "what to give back, at most what was paid: never more.",
            "note": "for the customer.",
        },
    )


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_no_docstring_is_an_empty_description(text: str | None) -> None:
    assert Docstring.of(text) == Docstring(description="", arguments={})


def test_section_may_be_the_last_thing_and_text_may_begin_on_the_next_line() -> None:
    assert Docstring.of("Pay.\n\nArgs:\n    to:\n        whom to pay") == Docstring(
        description="Pay.", arguments={"to": "whom to pay"}
    )


def test_section_without_items_says_nothing() -> None:
    assert Docstring.of("Pay.\n\nArgs:\n    whatever you like") == Docstring(description="Pay.", arguments={})
