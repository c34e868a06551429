"""Finds many texts in one, in one pass: however many they are, and however nearly the one is like them.

The pass takes time with the length of the text, not with how much of what is looked for nearly stands in it (Aho and Corasick,
1975): the texts are one tree of their letters, and where a letter does not go on, the longest end of what was read that begins
another of them does.

Pure.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator


class Needles:
    """The texts that are looked for; an empty one is never found.

    A node of the tree has its first child right behind it, so that one long text costs some bytes a letter.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._next: list[str] = [""]
        """By node, the letter that leads to the node behind it; empty if none does."""
        self._branches: dict[int, dict[str, int]] = {}
        """By node, its other children."""
        self._ending: dict[int, str] = {}
        """By node, the text that ends there."""
        for text in texts:
            if text:
                self._ending[self._end_of(text)] = text
        self._back = array("q", bytes(8 * len(self._next)))
        """By node, the one of the longest proper end of what leads to it."""
        self._nearest = array("q", bytes(8 * len(self._next)))
        """By node, the one where the longest text ends that what leads to it ends with; 0 if none does."""
        self._link()

    def __bool__(self) -> bool:
        return bool(self._ending)

    def found_in(self, text: str) -> Iterator[tuple[int, Iterator[str]]]:
        """Where texts end, from left to right, each with those that end there, the longest first."""
        nexts, branches, back, nearest = self._next, self._branches, self._back, self._nearest
        node = 0
        for end, letter in enumerate(text, 1):
            while True:
                if nexts[node] == letter:
                    node += 1
                    break
                if node in branches and letter in branches[node]:
                    node = branches[node][letter]
                    break
                if not node:
                    break
                node = back[node]
            if nearest[node]:
                yield end, self._texts_at(nearest[node])

    def _texts_at(self, node: int) -> Iterator[str]:
        while node:
            yield self._ending[node]
            node = self._nearest[self._back[node]]

    def _end_of(self, text: str) -> int:
        """The node that a text leads to; those that are missing are made."""
        node = 0
        for letter in text:
            child = self._child(node, letter)
            if child is None:
                child = len(self._next)
                self._next.append("")
                if child == node + 1:
                    self._next[node] = letter
                else:
                    self._branches.setdefault(node, {})[letter] = child
            node = child
        return node

    def _child(self, node: int, letter: str) -> int | None:
        if self._next[node] == letter:
            return node + 1
        return self._branches[node].get(letter) if node in self._branches else None

    def _children(self, node: int) -> Iterator[tuple[str, int]]:
        if self._next[node]:
            yield self._next[node], node + 1
        yield from self._branches.get(node, {}).items()

    def _link(self) -> None:
        """Set where each node goes back to, those of shorter texts first."""
        level = [0]
        while level:
            deeper: list[int] = []
            for node in level:
                for letter, child in self._children(node):
                    deeper.append(child)
                    if node:
                        self._back[child] = self._after(self._back[node], letter)
                    self._nearest[child] = child if child in self._ending else self._nearest[self._back[child]]
            level = deeper

    def _after(self, node: int, letter: str) -> int:
        while (child := self._child(node, letter)) is None:
            if not node:
                return 0
            node = self._back[node]
        return child
