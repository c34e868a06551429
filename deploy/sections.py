"""What the tables of the configuration are made of: their base, and the kinds of value that several of them hold."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Section(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _check_base_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it is no http or https address")
    return url


def _split(value: object) -> object:
    """A list as a variable gives it: with commas between."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Seconds = Annotated[float, Field(gt=0, le=366 * 24 * 3600, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=100_000)]
Port = Annotated[int, Field(ge=0, le=65_535)]
BaseUrl = Annotated[str, AfterValidator(_check_base_url)]
Listed = BeforeValidator(_split)
"""Of a list: one text with commas will do."""
