"""The post office of these tests: started once for a file that wants it. CI has what it needs; elsewhere it may be missing."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from ..fakes.missing import refuse
from .post_office import PostOffice, missing_for_post_office, post_office


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Generator[PostOffice]:
    if (missing := missing_for_post_office()) is not None:
        refuse(missing)
    with post_office(tmp_path_factory.mktemp("post") / "office") as office:
        yield office
