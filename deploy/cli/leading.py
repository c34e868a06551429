"""A command whose first argument may be left out, where the others must be there: the configuration says what it is then."""

from __future__ import annotations

import typer
from typer.core import TyperCommand


class LeadingOptional(TyperCommand):
    """Takes what is typed for its last arguments, where there is one too few for all of them; the first is empty then."""

    # The base class of Context, which the method is declared with, is private to typer.
    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        last = [param for param in self.get_params(ctx) if param.param_type_name == "argument"][-1]
        found, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        is_short = found.get(str(last.name)) is None
        return super().parse_args(ctx, ["", *args] if is_short else args)
