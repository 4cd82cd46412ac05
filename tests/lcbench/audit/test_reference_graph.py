from __future__ import annotations

import struct
import sys
import types
import weakref

import numpy as np
import pytest
from making import make_stream
from small_methods import ByTurns

from lcbench.audit.memory import Memory
from lcbench.audit.method_packages import packages_of
from lcbench.audit.reference_graph import ReferenceGraph, addresses

SIZE = 100_000
CODE = """
import weakref
from functools import lru_cache
from lcbench import Clusterer

class Owner:
    held = None
    def __init__(self): self.inside = []

def closing():
    cell = None
    def fill(value):
        nonlocal cell
        cell = value
    return fill

def greet(name="nobody", *, how={}): return name
def with_attributes(): pass

@lru_cache
def cached(key): return [key]

fill, owner, listed, keyed, weak = closing(), Owner(), [1, [2]], {"a": {}}, None
"""


class Quiet(ByTurns):
    """Keeps nothing itself."""


@pytest.fixture
def module(monkeypatch):
    module = types.ModuleType("hiding")
    module.__file__ = "hiding.py"
    exec(CODE, module.__dict__)
    monkeypatch.setitem(sys.modules, "hiding", module)
    Quiet.__module__ = "hiding"
    packages_of.cache_clear()
    yield module
    packages_of.cache_clear()


def set_default(module, data):
    module.greet.__defaults__ = (data,)


def set_weakly(module, data):
    module.weak = weakref.ref(data)
    keep.append(data)


keep: list[object] = []
HIDING_PLACES = {
    "a global": lambda module, data: setattr(module, "held", data),
    "a list in a list": lambda module, data: module.listed[1].append(data),
    "a dictionary": lambda module, data: module.keyed["a"].update(b=data),
    "an attribute of a function": lambda module, data: setattr(module.with_attributes, "held", data),
    "a default": set_default,
    "a keyword default": lambda module, data: module.greet.__kwdefaults__["how"].update(b=data),
    "a closure": lambda module, data: module.fill(data),
    "a class": lambda module, data: setattr(module.Owner, "held", data),
    "an instance": lambda module, data: module.owner.inside.append(data),
    "a cache": lambda module, data: module.cached(lambda: data),
    "a weak reference": set_weakly,
}


def steps_then(hide, module, count=3):
    """What is held after some steps that change nothing, and after one in which something was hidden."""
    tasks = [labelled.task for labelled in make_stream(tasks=count + 1).tasks()]
    method = Quiet()
    memory = Memory(method, tasks)
    for i, task in enumerate(tasks):
        method.partial_fit(task)
        if i == count:
            assert packages_of(Quiet).graph is not None, "else the quick way is not what is tested"
            hide(module, np.ones(SIZE // 8))
        memory.after_step(method, task)
    return memory.result["held_bytes"]


@pytest.mark.parametrize("hide", HIDING_PLACES.values(), ids=HIDING_PLACES)
def test_what_is_hidden_in_a_module_late_is_found_as_soon_as_it_is_there(module, hide):
    *before, after = steps_then(hide, module)
    keep.clear()
    assert before == [0, 0, 0]
    assert SIZE <= after < SIZE + 2000


def test_modules_that_hold_data_are_not_kept_alive(module):
    steps_then(HIDING_PLACES["a global"], module)
    assert packages_of(Quiet).graph is None


def test_an_equal_object_in_the_place_of_another_is_a_change():
    class Equal:
        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    graph = ReferenceGraph(roots := [first := Equal()])
    assert graph.is_unchanged(list(roots))
    assert not graph.is_unchanged([Equal()])
    holder = [first]
    assert graph.noted([holder]) == [first]
    assert graph.is_unchanged(roots)
    holder[0] = Equal()
    assert not graph.is_unchanged(roots)
    holder[:] = [first, first]
    assert not graph.is_unchanged(roots)


def test_addresses_are_those_that_objects_have():
    objects = [object(), None, [], (1, 2)]
    assert struct.unpack(f"{len(objects)}P", addresses(objects)) == tuple(map(id, objects))
    assert addresses([]) == b""
