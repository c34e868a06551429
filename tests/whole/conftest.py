"""What tests of whole systems share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from overwinter.deploy.service import spare_the_collector


@pytest.fixture
def as_served() -> Iterator[None]:
    """The collector as the service sets it: what else this process has imported is not walked again for every few answers."""
    before = gc.get_threshold()
    spare_the_collector()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
