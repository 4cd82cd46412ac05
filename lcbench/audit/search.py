"""Searches all objects that a method can reach for memory that could hold data."""

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import functools
import gc
import io
import logging
import mmap
import sys
import threading
import types
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from lcbench.audit.memory_ranges import MemoryRange, range_of
from lcbench.audit.method_packages import MethodPackages, is_known_module, is_module_dict
from lcbench.audit.reference_graph import ReferenceGraph

(
    EMPTY, NUMBER, TEXT, BLOB, ARRAY, CONTAINER, MAPPING, OBJECT, CLASS, MODULE, CACHE, WEAK, FILE, MAP, FOREIGN,
    VARIABLE, LOCAL, OPAQUE,
) = range(18)  # fmt: skip
OF_REFERENCES = frozenset({CONTAINER, MAPPING, OBJECT, CLASS, MODULE, CACHE})  # kinds that hold nothing else
CONTAINERS = (list, tuple, set, frozenset, collections.deque)
BLOBS = (bytes, bytearray, array.array, io.BytesIO, str, int, float, complex)
HEAP_TYPE = 1 << 9  # the flag of a class that Python code made: its instances may have attributes
_EMPTY = (  # types whose instances cannot hold data
    type(None), bool, type(...), type(NotImplemented), types.CodeType, types.WrapperDescriptorType,
    types.MethodDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, logging.Logger, logging.RootLogger, logging.Manager,
)  # fmt: skip
_BASES: tuple[tuple[Any, int], ...] = (  # subclasses have the kind of the first base that fits
    (np.generic, NUMBER),
    (np.ndarray, ARRAY),
    (dict, MAPPING),
    (CONTAINERS, CONTAINER),
    (BLOBS, BLOB),
    (type, CLASS),
    (types.ModuleType, MODULE),
    (type(functools.lru_cache(len)), CACHE),
    (weakref.ref, WEAK),
    (io.StringIO, FILE),
    (mmap.mmap, MAP),
    (ctypes.Array.__mro__[1], FOREIGN),
    (contextvars.ContextVar, VARIABLE),
    (threading.local, LOCAL),
)
MOST_OBJECTS = 500_000
SHORT_TEXT = 4096  # characters: shorter texts, such as docstrings and messages, are not counted
SMALL_CONTAINER = 256  # slots: the small containers that code consists of are not counted
_KNOWN_KINDS: dict[type, int] = {}
_base = np.ndarray.__dict__["base"].__get__


def kind_of(type_: type) -> int:
    """The kind of the instances of a type."""
    if type_ in _EMPTY:
        return EMPTY
    if type_ in (int, float, complex):
        return NUMBER
    if type_ is str:
        return TEXT
    for base, kind in _BASES:
        if issubclass(type_, base):
            return kind
    return OPAQUE if hasattr(type_, "nbytes") else OBJECT


def base_among(type_: type, bases: tuple[type, ...]) -> Any:
    """The first of `bases` that a type inherits from: its methods can be trusted, overridden ones cannot."""
    return type_ if type_ in bases else next(base for base in bases if issubclass(type_, base))


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
        self._seen: set[int] = set()
        self._graph: frozenset[int] = frozenset()  # of a graph that was entered, seen too
        self._made: list[Any] = []  # kept alive, so that no other object gets the id of one of them

    @property
    def objects(self) -> int:
        """The number of objects looked at."""
        return len(self._seen) + len(self._graph)

    def leave_out(self, objects: Iterable[Any]) -> None:
        """Skip these objects: they are neither counted nor followed."""
        self._seen.update(map(id, objects))

    def enter(
        self,
        objects: Iterable[Any],
        *,
        classes: bool = False,
        constants: dict[int, Any] | None = None,
        graph: ReferenceGraph | None = None,
    ) -> None:
        """Search from `objects`. With `classes` the classes found are searched too, else put aside in `self.classes`.

        Objects that can never hold more than they do now are added to `constants` by their id, and not counted. With a
        `graph` only references are followed, which are noted there with the leaves that they lead to.
        """
        known, seen, fixed, entered = _KNOWN_KINDS, self._seen, self._packages.constants, self._graph
        frontier = list(objects)
        while frontier:
            followed: list[Any] = []
            for found in frontier:
                key = id(found)
                if key in seen or key in fixed or key in entered:
                    continue
                type_ = type(found)
                kind = known.get(type_)
                if kind is None:
                    kind = known[type_] = kind_of(type_)
                if kind == EMPTY or (kind == TEXT and len(found) < SHORT_TEXT):
                    if constants is not None:
                        constants[key] = found
                    continue
                if kind == CLASS and not classes:
                    self.classes.append(found)
                    continue
                if graph is not None and not self._is_followed(kind, found):
                    if kind != WEAK or self._leads_on(found):
                        graph.leaves[key] = found
                    continue
                seen.add(key)
                if kind == OBJECT:
                    followed.append(found)
                elif constants is None:
                    self._look_at(kind, found, followed)
                else:
                    bulk = self.bulk
                    if not self._look_at(kind, found, followed):
                        constants[key] = found
                        self.bulk = bulk
            if self.objects > MOST_OBJECTS:
                self.complete = False
                return
            frontier = gc.get_referents(*followed) if graph is None else graph.noted(followed)

    def graph_of(self, roots: list[Any]) -> ReferenceGraph:
        """The references that lead on from `roots` and from nothing else: for a search that is used for this alone."""
        graph, before = ReferenceGraph(roots), frozenset(self._seen)
        self.enter(roots, classes=True, graph=graph)
        graph.found, graph.bulk = frozenset(self._seen - before), self.bulk
        return graph

    def enter_graph(self, graph: ReferenceGraph) -> bool:
        """Go on as if from the roots of a graph that is unchanged; False, and nothing done, if a part was seen before.

        The classes that were put aside are searched too.
        """
        if not graph.found.isdisjoint(self._seen):
            return False
        self._graph = graph.found
        self.bulk += graph.bulk
        self.enter([*self.classes, *graph.leaves.values()], classes=True)
        return True

    def _is_followed(self, kind: int, found: Any) -> bool:
        """True for an object whose references a graph has; not for code of others, which may become the method's."""
        if kind in (CLASS, CACHE):
            return self._packages.has(found)
        if kind == MAPPING:
            return not is_module_dict(found)
        return kind in OF_REFERENCES and not (kind == MODULE and is_known_module(found))

    def _leads_on(self, weak: Any) -> bool:
        """True unless the object of a weak reference, which never gets another one, is gone or a constant."""
        found = weakref.ref.__call__(weak)
        return bool(type(weak).__flags__ & HEAP_TYPE) or not (found is None or id(found) in self._packages.constants)

    def _look_at(self, kind: int, found: Any, followed: list[Any]) -> bool:
        """Count an object and add to `followed` the objects to go on from; False if there can never be any."""
        if kind == MAPPING:
            if is_module_dict(found):
                return False
            followed.append(found)
            self._count_slots(2 * dict.__len__(found))
        elif kind == CONTAINER:
            followed.append(found)
            self._count_slots(base_among(type(found), CONTAINERS).__len__(found))
        elif kind in (NUMBER, TEXT):
            self.bulk += sys.getsizeof(found)
            return False
        elif kind in (CLASS, CACHE):
            if not self._packages.has(found):
                return False
            followed.append(found)
        elif kind == MODULE:
            if is_known_module(found):
                return False
            followed.append(found)
        else:
            inside = self._array(found) if kind == ARRAY else self._inside(kind, found)
            if inside:
                self._made.append(inside)
                followed.append(inside)
            if type(found).__flags__ & HEAP_TYPE:
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
        if kind == BLOB:
            self.bulk += base_among(type(found), BLOBS).__sizeof__(found)
        elif kind == FILE:
            self.bulk += len(io.StringIO.getvalue(found))
        elif kind == WEAK:
            return [weakref.ref.__call__(found)]
        elif kind == MAP:
            return [np.frombuffer(found, dtype=np.uint8)] if not found.closed else []
        elif kind == FOREIGN:
            start = ctypes.addressof(found)
            self.ranges.append((start, start + ctypes.sizeof(found)))
            return gc.get_referents(found)
        elif kind == VARIABLE:
            return [found.get(None)]
        elif kind == LOCAL:
            return [threading.local.__getattribute__(found, "__dict__")]
        elif kind == OPAQUE:
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
