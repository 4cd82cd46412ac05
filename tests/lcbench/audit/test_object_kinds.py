from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import enum
import functools
import io
import json
import logging
import mmap
import threading
import types
import weakref
from fractions import Fraction

import numpy as np
import pytest

from lcbench.audit import object_kinds as kinds


class Plain:
    pass


class StatesItsSize:
    nbytes = 8


class RudeList(list):
    def __len__(self):
        raise RuntimeError("do not look")


class Named(str):
    """A text that may have attributes, unlike a text."""


class Level(enum.IntEnum):
    LOW = 1


@functools.lru_cache
def cached():
    return None


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        (None, kinds.EMPTY), (True, kinds.EMPTY), (..., kinds.EMPTY), (cached.__wrapped__.__code__, kinds.EMPTY),
        (logging.getLogger("a"), kinds.EMPTY), (str.upper, kinds.EMPTY),
        (1, kinds.NUMBER), (1.5, kinds.NUMBER), (1j, kinds.NUMBER), (np.float64(1), kinds.NUMBER),
        (np.bool_(True), kinds.NUMBER),
        ("text", kinds.TEXT), (Named("text"), kinds.BLOB), (Level.LOW, kinds.BLOB),
        (b"bytes", kinds.BLOB), (bytearray(2), kinds.BLOB), (array.array("d"), kinds.BLOB), (io.BytesIO(), kinds.BLOB),
        (np.zeros(2), kinds.ARRAY), (np.ma.zeros(2), kinds.ARRAY),
        ([], kinds.CONTAINER), ((), kinds.CONTAINER), (set(), kinds.CONTAINER), (collections.deque(), kinds.CONTAINER),
        (RudeList(), kinds.CONTAINER),
        ({}, kinds.MAPPING), (collections.Counter(), kinds.MAPPING), (collections.OrderedDict(), kinds.MAPPING),
        (int, kinds.CLASS), (Level, kinds.CLASS), (json, kinds.MODULE), (cached, kinds.CACHE),
        (weakref.ref(Plain), kinds.WEAK), (io.StringIO(), kinds.FILE), (mmap.mmap(-1, 8), kinds.MAP),
        ((ctypes.c_char * 2)(), kinds.FOREIGN), (ctypes.c_int(), kinds.FOREIGN),
        (contextvars.ContextVar("v"), kinds.VARIABLE), (threading.local(), kinds.LOCAL),
        (StatesItsSize(), kinds.OPAQUE), (memoryview(b""), kinds.OPAQUE),
        (Plain(), kinds.OBJECT), (types.SimpleNamespace(), kinds.OBJECT), (Fraction(1, 2), kinds.OBJECT),
        (lambda: None, kinds.OBJECT), (iter([]), kinds.OBJECT),
    ],
    ids=lambda value: "" if isinstance(value, int) else type(value).__name__,
)  # fmt: skip
def test_an_object_has_the_kind_of_what_it_can_hold(thing, kind):
    assert kinds.kind_of(type(thing)) == kind


def test_the_base_of_a_subclass_answers_in_its_place():
    rude = RudeList([1, 2, 3])
    assert kinds.base_among(RudeList, kinds.CONTAINERS) is list
    assert kinds.base_among(RudeList, kinds.CONTAINERS).__len__(rude) == 3
    assert kinds.base_among(frozenset, kinds.CONTAINERS) is frozenset


def test_classes_that_python_code_made_are_told_from_those_of_the_interpreter():
    assert Plain.__flags__ & kinds.HEAP_TYPE
    assert not dict.__flags__ & kinds.HEAP_TYPE
