"""References between the objects that code consists of: are they still the same as before?"""

from __future__ import annotations

import gc
from operator import is_
from typing import Any


class ReferenceGraph:
    """What a search from `roots` followed, and where that led.

    `followed` are objects that hold nothing but references, which the garbage collector lists: `referents` are all of
    these. As long as they are the same, so is the set of objects that can be reached, whose ids are `found`. `leaves`
    are the others, such as arrays and weak references: what is in them must be looked at each time.
    """

    def __init__(self, roots: list[Any]) -> None:
        self.roots = roots
        self.followed: list[Any] = []
        self.referents: list[Any] = []
        self.leaves: dict[int, Any] = {}  # by id
        self.found: frozenset[int] = frozenset()
        self.bulk = 0

    def is_unchanged(self, roots: list[Any]) -> bool:
        """True if a search from `roots` would lead to the same objects. Runs none of their code."""
        return _same(roots, self.roots) and _same(gc.get_referents(*self.followed), self.referents)


def _same(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))
