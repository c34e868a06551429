"""The keys of operations: how they are written, and what they tell.

/map#0[3]/review_expense#0            in a root: the path of branches, a name, how often it was used there before
x1f0c.../ask#0                        in a child: its execution's id, then the key it would have in a root
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

_ITEM = re.compile(r"/map#\d+\[(\d+)\]")


def name_of(function: Callable[..., Any]) -> str:
    """The name a function has in keys."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return "function" if name == "<lambda>" else name


def item_in(key: str) -> int | None:
    """The index of the item of the innermost ``map`` around an operation, inside its own execution; None without one."""
    items = _ITEM.findall(key) if "/map#" in key else None
    return int(items[-1]) if items else None


def key_in_tree(execution_id: str, key: str, root_id: str) -> str:
    """The key by which a tree's root knows an operation: of its own as it is, of a child with the child's id in front."""
    return key if execution_id == root_id else execution_id + key


def place_of(key: str, root_id: str) -> tuple[str, str]:
    """The execution that an operation's key is of, and the key inside it: back from ``key_in_tree``."""
    if not key or key[0] == "/":
        return root_id, key
    execution_id, _, rest = key.partition("/")
    return execution_id, f"/{rest}"
