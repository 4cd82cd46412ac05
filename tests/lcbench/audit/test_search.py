from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import functools
import io
import logging
import mmap
import pickle
import sys
import threading
import types
import weakref

import numpy as np
import pytest
from small_methods import ByTurns

from lcbench.audit import search
from lcbench.audit.memory_ranges import covered
from lcbench.audit.method_packages import MethodPackages
from lcbench.audit.search import Search

DATA = np.arange(4000.0)


class Method(ByTurns):
    """A method of this module; the search counts its classes and functions as the method's own."""


class Named(str):
    """A text that may have attributes, unlike a text."""


class StatesItsSize:
    __slots__ = ()
    nbytes = 12_345


class RaisesAtItsSize:
    __slots__ = ()

    @property
    def nbytes(self):
        raise RuntimeError("do not look")


class Rude(list):
    """Raises as soon as any of its methods is called."""

    def __getattribute__(self, name):
        raise RuntimeError("do not look")

    __len__ = __iter__ = __eq__ = __hash__ = __getattribute__


def searched(*objects, **options):
    found = Search(MethodPackages(Method))
    found.enter(objects, **options)
    return found


def size(*objects):
    """The bytes counted for objects."""
    found = searched(*objects)
    return covered(found.ranges) + found.bulk


def with_attribute(thing):
    thing.data = DATA
    return thing


def in_variable():
    variable = contextvars.ContextVar("data")
    variable.set(DATA)
    return variable


def in_map():
    mapped = mmap.mmap(-1, DATA.nbytes)
    mapped.write(DATA.tobytes())
    return mapped


def in_objects():
    boxed = np.empty(1, dtype=object)
    boxed[0] = DATA
    return boxed


HIDING_PLACES = {
    "partial": lambda: functools.partial(print, DATA),
    "bound method": lambda: DATA.sum,
    "key": lambda: {DATA.tobytes(): None},
    "value": lambda: collections.Counter({"data": DATA}),
    "bytes": lambda: bytearray(DATA.tobytes()),
    "array": lambda: array.array("d", DATA.tobytes()),
    "other file": lambda: io.BytesIO(DATA.tobytes()),
    "set": lambda: {DATA.tobytes()},
    "thread": lambda: with_attribute(threading.local()),
    "context": in_variable,
    "map": in_map,
    "objects": in_objects,
    "module": lambda: types.ModuleType("mine", DATA.tobytes().hex()),
    "iterator": lambda: iter([DATA]),
    "namespace": lambda: types.SimpleNamespace(data=DATA),
    "attribute of a text": lambda: with_attribute(Named()),
    "weak reference": lambda: weakref.ref(DATA),
    "buffer": lambda: pickle.PickleBuffer(DATA),
    "masked": lambda: np.ma.masked_array(DATA),
    "deque": lambda: collections.deque([DATA]),
    "error": lambda: ValueError(DATA),
    "file": lambda: io.StringIO(DATA.tobytes().hex()),
    "ctypes": lambda: (ctypes.c_char * DATA.nbytes).from_buffer(DATA),
}


@pytest.mark.parametrize("place", HIDING_PLACES)
def test_an_array_is_found_in_every_place_that_python_has_for_it(place):
    assert 32_000 <= size(HIDING_PLACES[place]()) <= 70_000


def test_objects_that_refer_to_each_other_are_counted_once():
    ring = [np.zeros(10)]
    ring.append({"ring": ring})
    assert size(ring, ring[0]) == 80


def test_numbers_and_long_texts_are_counted_by_their_size_and_short_texts_are_not():
    numbers = [i / 7 for i in range(10)]
    assert size(numbers) == 10 * sys.getsizeof(1.0)
    assert size("x" * 4095) == 0
    assert size("x" * 4096) == sys.getsizeof("x" * 4096)


def test_containers_are_counted_from_256_slots_on_with_8_bytes_each():
    assert size([None] * 255) == 0
    assert size([None] * 256) == 256 * 8
    assert size(dict.fromkeys(["x" * i for i in range(127)])) == 0  # a key and a value are two slots
    assert size(dict.fromkeys(["x" * i for i in range(128)])) == 256 * 8


def test_an_object_that_python_cannot_look_into_counts_with_the_size_it_states():
    assert size(StatesItsSize()) == 12_345
    assert size(RaisesAtItsSize()) == 0


def test_the_code_of_the_objects_is_not_run():
    rude = Rude()
    list.append(rude, np.zeros(100))
    assert size(rude) == 800


def test_objects_that_are_left_out_are_neither_counted_nor_followed():
    inner = [np.zeros(100)]
    found = Search(MethodPackages(Method))
    found.leave_out([inner])
    found.enter([inner, [inner, np.zeros(10)]])
    assert covered(found.ranges) == 80


def test_classes_are_put_aside_unless_they_are_asked_for():
    made = type("Made", (), {"__module__": __name__, "data": np.zeros(100)})
    aside = searched(made())
    assert (covered(aside.ranges), aside.classes) == (0, [made])
    assert covered(searched(made(), classes=True).ranges) == 800


@pytest.mark.parametrize(
    "thing",
    [np, vars(np), logging.getLogger("a"), str.upper, size.__code__, ..., True],
    ids=lambda thing: type(thing).__name__,
)
def test_the_globals_of_modules_and_what_can_hold_nothing_are_not_counted(thing):
    assert size(thing) == 0


def test_what_is_known_to_be_constant_is_skipped_the_next_time():
    number, array = 1.5, np.zeros(10)
    packages = MethodPackages(Method)
    constants = {}
    Search(packages).enter([[number, None, "text"], array], constants=constants)
    assert id(number) in constants
    assert id(array) not in constants
    packages.constants = constants
    again = Search(packages)
    again.enter([[number, 2.5], array])
    assert (again.bulk, covered(again.ranges), again.objects) == (sys.getsizeof(2.5), 80, 3)


def test_a_search_through_too_many_objects_stops_and_says_so(monkeypatch):
    monkeypatch.setattr(search, "MOST_OBJECTS", 1000)
    nested = [[i / 7] for i in range(3000)]
    assert not searched(nested).complete
    assert searched(nested[:100]).complete
