"""A search through all that can be reached from some objects, for memory that could hold data."""

from __future__ import annotations

import ctypes
import gc
import io
import sys
import threading
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from lcbench.audit import object_kinds as kinds
from lcbench.audit.memory_ranges import MemoryRange, range_of
from lcbench.audit.method_packages import MethodPackages, is_known_module, is_module_dict

MOST_OBJECTS = 500_000
SHORT_TEXT = 4096  # characters: docstrings and messages are not counted
SMALL_CONTAINER = 256  # entries: what code consists of is not counted
_KNOWN_KINDS: dict[type, int] = {}
_base = np.ndarray.__dict__["base"].__get__


class Search:
    """Follows references from object to object and adds up the memory that could hold data.

    Counted are arrays and other buffers (as `ranges`), and in `bulk` numbers, bytes, texts of at least 4096 characters
    and the slots of containers with at least 256 entries. The code of the objects is not run, but for `nbytes` of those
    that Python cannot look into. The globals of modules are not entered: those that count are given as roots.
    What is known to be constant is passed over.
    """

    def __init__(self, packages: MethodPackages) -> None:
        self.ranges: list[MemoryRange] = []
        self.bulk = 0
        self.complete = True
        self.classes: list[Any] = []
        self._packages = packages
        self._seen = set(packages.constants)
        self._start = len(self._seen)
        self._made: list[Any] = []  # kept, so that no other object gets the id of one of them

    @property
    def objects(self) -> int:
        """How many objects were looked at."""
        return len(self._seen) - self._start

    def leave_out(self, objects: Iterable[Any]) -> None:
        """Neither count these nor go through them."""
        self._seen.update(map(id, objects))

    def enter(self, objects: Iterable[Any], *, classes: bool = False, constants: dict[int, Any] | None = None) -> None:
        """Search from `objects`; classes on the way are entered, or else put aside in `self.classes`.

        With `constants` what holds nothing is noted there.
        """
        known, seen = _KNOWN_KINDS, self._seen
        frontier = list(objects)
        while frontier:
            followed: list[Any] = []
            for found in frontier:
                key = id(found)
                if key in seen:
                    continue
                type_ = type(found)
                kind = known.get(type_)
                if kind is None:
                    kind = known[type_] = kinds.kind_of(type_)
                if kind == kinds.EMPTY or (kind == kinds.TEXT and len(found) < SHORT_TEXT):
                    if constants is not None:
                        constants[key] = found
                    continue
                if kind == kinds.CLASS and not classes:
                    self.classes.append(found)
                    continue
                seen.add(key)
                if kind == kinds.OBJECT:
                    followed.append(found)
                elif not self._look_at(kind, found, followed) and constants is not None:
                    constants[key] = found
            if self.objects > MOST_OBJECTS:
                self.complete = False
                return
            frontier = gc.get_referents(*followed)

    def _look_at(self, kind: int, found: Any, followed: list[Any]) -> bool:
        """Count what is found and add to `followed` what leads on from it; False if it can lead nowhere, ever."""
        if kind == kinds.MAPPING:
            if is_module_dict(found):
                return False
            followed.append(found)
            self._count_slots(2 * dict.__len__(found))
        elif kind == kinds.CONTAINER:
            followed.append(found)
            self._count_slots(kinds.base_among(type(found), kinds.CONTAINERS).__len__(found))
        elif kind in (kinds.NUMBER, kinds.TEXT):
            self.bulk += sys.getsizeof(found)
            return False
        elif kind in (kinds.CLASS, kinds.CACHE):
            if not self._packages.has(found):
                return False
            followed.append(found)
        elif kind == kinds.MODULE:
            if is_known_module(found):
                return False
            followed.append(found)
        else:
            inside = self._array(found) if kind == kinds.ARRAY else self._inside(kind, found)
            if inside:
                self._made.append(inside)
                followed.append(inside)
            if type(found).__flags__ & kinds.HEAP_TYPE:
                followed.append(found)
        return True

    def _count_slots(self, slots: int) -> None:
        if slots >= SMALL_CONTAINER:
            self.bulk += 8 * slots

    def _array(self, found: Any) -> list[Any]:
        own = range_of(found)
        if own is not None:
            self.ranges.append(own)
        return [_base(found), np.ndarray.tolist(found) if found.dtype.hasobject else None]

    def _inside(self, kind: int, found: Any) -> list[Any]:
        """What an object holds that `gc.get_referents` does not tell; its own memory is counted."""
        if kind == kinds.BLOB:
            self.bulk += kinds.base_among(type(found), kinds.BLOBS).__sizeof__(found)
        elif kind == kinds.FILE:
            self.bulk += len(io.StringIO.getvalue(found))
        elif kind == kinds.WEAK:
            return [weakref.ref.__call__(found)]
        elif kind == kinds.MAP:
            return [np.frombuffer(found, dtype=np.uint8)] if not found.closed else []
        elif kind == kinds.FOREIGN:
            start = ctypes.addressof(found)
            self.ranges.append((start, start + ctypes.sizeof(found)))
            return gc.get_referents(found)
        elif kind == kinds.VARIABLE:
            return [found.get(None)]
        elif kind == kinds.LOCAL:
            return [threading.local.__getattribute__(found, "__dict__")]
        elif kind == kinds.OPAQUE:
            referents = gc.get_referents(found)
            if all(type(each) is type for each in referents):
                self.bulk += _stated_size(found)
            return referents
        return []


def _stated_size(found: Any) -> int:
    """What an object that Python cannot look into says about its size."""
    try:
        return max(int(found.nbytes), 0)
    except Exception:  # a stranger's code
        return 0
