"""The post office of these tests: started once for a file that wants it. CI has what it needs; elsewhere it may be missing."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from ..fakes.missing import refuse
from .post_office import PostOffice, missing_for_post_office, post_office


@pytest.fixture(scope="module")
def post() -> Generator[PostOffice]:
    if (missing := missing_for_post_office()) is not None:
        refuse(missing)
    with (
        tempfile.TemporaryDirectory(prefix="overwinter-post-") as folder,
        post_office(Path(folder) / "office") as office,
    ):
        yield office
