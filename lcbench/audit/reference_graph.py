"""References between the objects that code consists of: are they still the same as before?"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

UNCHANGING = (tuple, frozenset)  # these very types: subclasses may have attributes


class ReferenceGraph:
    """The objects that a search from `roots` followed, and those that they refer to.

    `followed` are objects that hold nothing but references, which the garbage collector lists: `referents` are all of
    these. As long as they are the same, so is the set of objects that can be reached, whose ids are `found`. Objects
    that never change, such as tuples, are left out of `followed`. `leaves` are the others, such as arrays and weak
    references: what is in them must be looked at each time.
    """

    def __init__(self, roots: list[Any]) -> None:
        self.roots = roots
        self.followed: list[Any] = []
        self.referents: list[Any] = []
        self.leaves: dict[int, Any] = {}  # by id
        self.found: frozenset[int] = frozenset()
        self.bulk = 0
        self._addresses = addresses(roots), b""  # of roots and referents, which live as long as this does

    def noted(self, followed: list[Any]) -> list[Any]:
        """All that these objects refer to; it is noted for those that can change."""
        can_change = [found for found in followed if type(found) not in UNCHANGING]
        referents = gc.get_referents(*can_change)
        self.followed += can_change
        self.referents += referents
        self._addresses = self._addresses[0], self._addresses[1] + addresses(referents)
        return referents + gc.get_referents(*(found for found in followed if type(found) in UNCHANGING))

    def is_unchanged(self, roots: list[Any]) -> bool:
        """True if a search from `roots` would lead to the same objects. Runs none of their code."""
        return (addresses(roots), addresses(gc.get_referents(*self.followed))) == self._addresses


def addresses(objects: list[Any]) -> bytes:
    """The addresses of objects, as a tuple has them in its memory: quicker than to compare the objects by `is`."""
    held = tuple(objects)
    return ctypes.string_at(id(held) + tuple.__basicsize__, len(held) * ctypes.sizeof(ctypes.c_void_p))
