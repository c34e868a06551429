"""Where the repository's own files are, for the tests of its rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

FOLDERS = ("store", "actors", "channels", "bots", "deploy")
"""The product's folders; each may import those before it."""


def product_files() -> Iterator[Path]:
    """Every Python file of the product, relative to the root."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT)
