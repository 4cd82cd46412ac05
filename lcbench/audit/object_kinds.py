"""Sorts objects by type into kinds such as number, array, container or class."""

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import functools
import io
import logging
import mmap
import threading
import types
import weakref
from typing import Any

import numpy as np

(
    EMPTY, NUMBER, TEXT, BLOB, ARRAY, CONTAINER, MAPPING, OBJECT, CLASS, MODULE, CACHE, WEAK, FILE, MAP, FOREIGN,
    VARIABLE, LOCAL, OPAQUE,
) = range(18)  # fmt: skip
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
