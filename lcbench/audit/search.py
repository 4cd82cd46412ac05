"""Searches all objects that a method can reach for memory that could hold data."""

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

from lcbench.audit import object_kinds
from lcbench.audit.memory_ranges import MemoryRange, range_of
from lcbench.audit.method_packages import MethodPackages, is_known_module, is_module_dict

MOST_OBJECTS = 500_000
SHORT_TEXT = 4096  # characters: shorter texts, such as docstrings and messages, are not counted
SMALL_CONTAINER = 256  # slots: the small containers that code consists of are not counted
_KNOWN_KINDS: dict[type, int] = {}
_base = np.ndarray.__dict__["base"].__get__


class Search:
    """Follows references from object to object and adds up the memory that could hold data.

    Arrays and other buffers are counted in `ranges`; numbers, bytes, texts of at least 4096 characters and containers
    of at least 256 slots (8 bytes each) in `bulk`. No code of the objects is run, except `nbytes` of those that Python
    cannot look into. The globals of modules are not entered: modules that count are passed to `enter`. The constants of
    `packages` are skipped. `complete` is False if there were too many objects to look at them all.
    """

    def __init__(self, packages: MethodPackages) -> None:
        self.ranges: list[MemoryRange] = []
        self.bulk = 0
        self.complete = True
        self.classes: list[Any] = []
        self._packages = packages
        self._seen = set(packages.constants)
        self._start = len(self._seen)
        self._made: list[Any] = []  # kept alive, so that no other object gets the id of one of them

    @property
    def objects(self) -> int:
        """The number of objects looked at."""
        return len(self._seen) - self._start

    def leave_out(self, objects: Iterable[Any]) -> None:
        """Skip these objects: they are neither counted nor followed."""
        self._seen.update(map(id, objects))

    def enter(self, objects: Iterable[Any], *, classes: bool = False, constants: dict[int, Any] | None = None) -> None:
        """Search from `objects`. With `classes` the classes found are searched too, else put aside in `self.classes`.

        Objects that can never hold more than they do now are added to `constants` by their id.
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
                    kind = known[type_] = object_kinds.kind_of(type_)
                if kind == object_kinds.EMPTY or (kind == object_kinds.TEXT and len(found) < SHORT_TEXT):
                    if constants is not None:
                        constants[key] = found
                    continue
                if kind == object_kinds.CLASS and not classes:
                    self.classes.append(found)
                    continue
                seen.add(key)
                if kind == object_kinds.OBJECT:
                    followed.append(found)
                elif not self._look_at(kind, found, followed) and constants is not None:
                    constants[key] = found
            if self.objects > MOST_OBJECTS:
                self.complete = False
                return
            frontier = gc.get_referents(*followed)

    def _look_at(self, kind: int, found: Any, followed: list[Any]) -> bool:
        """Count an object and add to `followed` the objects to go on from; False if there can never be any."""
        if kind == object_kinds.MAPPING:
            if is_module_dict(found):
                return False
            followed.append(found)
            self._count_slots(2 * dict.__len__(found))
        elif kind == object_kinds.CONTAINER:
            followed.append(found)
            self._count_slots(object_kinds.base_among(type(found), object_kinds.CONTAINERS).__len__(found))
        elif kind in (object_kinds.NUMBER, object_kinds.TEXT):
            self.bulk += sys.getsizeof(found)
            return False
        elif kind in (object_kinds.CLASS, object_kinds.CACHE):
            if not self._packages.has(found):
                return False
            followed.append(found)
        elif kind == object_kinds.MODULE:
            if is_known_module(found):
                return False
            followed.append(found)
        else:
            inside = self._array(found) if kind == object_kinds.ARRAY else self._inside(kind, found)
            if inside:
                self._made.append(inside)
                followed.append(inside)
            if type(found).__flags__ & object_kinds.HEAP_TYPE:
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
        """The contents of an object that `gc.get_referents` does not list; counts the memory of the object itself."""
        if kind == object_kinds.BLOB:
            self.bulk += object_kinds.base_among(type(found), object_kinds.BLOBS).__sizeof__(found)
        elif kind == object_kinds.FILE:
            self.bulk += len(io.StringIO.getvalue(found))
        elif kind == object_kinds.WEAK:
            return [weakref.ref.__call__(found)]
        elif kind == object_kinds.MAP:
            return [np.frombuffer(found, dtype=np.uint8)] if not found.closed else []
        elif kind == object_kinds.FOREIGN:
            start = ctypes.addressof(found)
            self.ranges.append((start, start + ctypes.sizeof(found)))
            return gc.get_referents(found)
        elif kind == object_kinds.VARIABLE:
            return [found.get(None)]
        elif kind == object_kinds.LOCAL:
            return [threading.local.__getattribute__(found, "__dict__")]
        elif kind == object_kinds.OPAQUE:
            referents = gc.get_referents(found)
            if all(type(each) is type for each in referents):
                self.bulk += _stated_size(found)
            return referents
        return []


def _stated_size(found: Any) -> int:
    """The `nbytes` of an object that Python cannot look into, 0 if it has no usable one."""
    try:
        return max(int(found.nbytes), 0)
    except Exception:  # a plugin's own code, which may raise anything
        return 0
