from __future__ import annotations

import collections
import contextvars
import ctypes
import functools
import io
import mmap
import pickle
import sys
import threading
import types
import weakref

import numpy as np
import pytest

from lcbench.audit import search
from lcbench.audit.memory_ranges import covered
from lcbench.audit.method_packages import MethodPackages
from lcbench.audit.search import Search
from lcbench.contract.clusterer import Clusterer


class Method(Clusterer):
    """A method of this module; the search counts its classes and functions as the method's own."""

    def partial_fit(self, task):
        return self

    def predict(self, task):
        return None


def searched(*objects, **options):
    found = Search(MethodPackages(Method))
    found.enter(objects, **options)
    return found


def size(*objects):
    """The bytes counted for objects."""
    found = searched(*objects)
    return covered(found.ranges) + found.bulk


def in_local(data):
    local = threading.local()
    local.data = data
    return local


def in_variable(data):
    variable = contextvars.ContextVar("data")
    variable.set(data)
    return variable


def in_map(data):
    mapped = mmap.mmap(-1, data.nbytes)
    mapped.write(data.tobytes())
    return mapped


def in_objects(data):
    boxed = np.empty(1, dtype=object)
    boxed[0] = data
    return boxed


@pytest.mark.parametrize(
    "wrap",
    [
        lambda data: functools.partial(print, data),
        lambda data: data.sum,
        lambda data: {data.tobytes(): None},
        lambda data: in_local(data),
        lambda data: in_variable(data),
        lambda data: in_map(data),
        lambda data: in_objects(data),
        lambda data: types.ModuleType("mine", data.tobytes().hex()),
        lambda data: iter([data]),
        lambda data: types.SimpleNamespace(data=data),
        lambda data: pickle.PickleBuffer(data),
        lambda data: np.ma.masked_array(data),
        lambda data: collections.deque([data]),
        lambda data: ValueError(data),
        lambda data: io.StringIO(data.tobytes().hex()),
        lambda data: (ctypes.c_char * data.nbytes).from_buffer(data),
    ],
    ids=["partial", "bound method", "key", "thread", "context", "map", "objects", "module", "iterator", "namespace",
         "buffer", "masked", "deque", "error", "file", "ctypes"],
)  # fmt: skip
def test_an_array_is_found_in_every_place_that_python_has_for_it(wrap):
    assert 32_000 <= size(wrap(np.arange(4000.0))) <= 70_000


def test_a_weak_reference_is_followed():
    data = np.arange(4000.0)
    assert size(weakref.ref(data)) == 32_000


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


class StatesItsSize:
    __slots__ = ()
    nbytes = 12_345


class RaisesAtItsSize:
    __slots__ = ()

    @property
    def nbytes(self):
        raise RuntimeError("do not look")


def test_an_object_that_python_cannot_look_into_counts_with_the_size_it_states():
    assert size(StatesItsSize()) == 12_345
    assert size(RaisesAtItsSize()) == 0


class Rude(list):
    """Raises as soon as any of its methods is called."""

    def __getattribute__(self, name):
        raise RuntimeError("do not look")

    __len__ = __iter__ = __eq__ = __hash__ = __getattribute__


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


def test_the_globals_of_imported_modules_are_not_entered():
    assert size(np, vars(np)) == 0


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
