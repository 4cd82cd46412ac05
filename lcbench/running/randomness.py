"""Keeps the global random generators of Python and numpy apart for each run."""

from __future__ import annotations

import ctypes
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

MEMORY = 625 * 4  # bytes of a Mersenne Twister: 624 numbers, and its place among them


class GlobalGenerators:
    """Inside `with` the global generators are this run's own, seeded once; outside they are as they were.

    So a method that draws from them gives the same labels again, and no other run or listener can disturb it.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._own: Any = None
        self._outside: list[Any] = []

    def __enter__(self) -> Self:
        self._outside.append(generator_states())
        if self._own is None:
            seed_generators(self._seed)
        else:
            set_generator_states(self._own)
        return self

    def __exit__(self, *exc: object) -> None:
        self._own = generator_states()
        set_generator_states(self._outside.pop())

    @contextmanager
    def outside(self) -> Iterator[None]:
        """While these are entered: have the generators as they are outside, and go on afterwards."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


@contextmanager
def preserved_generators() -> Iterator[None]:
    """Restore the global generators at the end, whatever was drawn in between."""
    states = generator_states()
    try:
        yield
    finally:
        set_generator_states(states)


def generator_states() -> Any:
    """The states of the global generators of Python and numpy, or their seed if nothing was drawn since.

    To read the states takes longer than many a prediction: they are not read again if they have not changed.
    """
    states, memory = _noted
    if states is None or _memory() != memory:
        states = random.getstate(), np.random.get_state(legacy=False)  # noqa: NPY002
        _note(states)
    return states


def seed_generators(seed: int) -> None:
    """Seeds the global generators of Python and numpy."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    _note(seed)


def set_generator_states(states: Any) -> None:
    """Puts the global generators into these states, unless they were last read or set, and nothing drawn since."""
    if states is _noted[0] and _memory() == _noted[1]:
        return
    if isinstance(states, int):
        seed_generators(states)
        return
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
    _note(states)


_noted: tuple[Any, bytes] = None, b""  # the states of the generators when last read or set, and their memory then


def _note(states: Any) -> None:
    """Note states, unless a generator has a normal number in store: to take that changes no memory."""
    global _noted
    memory = _memory()
    in_store = not isinstance(states, int) and (states[0][2] is not None or states[1].get("has_gauss", True))
    _noted = (states, memory) if memory and not in_store else (None, b"")


def _memory() -> bytes:
    """The memory of the global generators, which changes with each draw; empty if one is no known Mersenne Twister."""
    generator = np.random.mtrand.get_bit_generator()
    if _OF_PYTHON is None or not isinstance(generator, np.random.MT19937):
        return b""
    return ctypes.string_at(_OF_PYTHON, MEMORY) + ctypes.string_at(generator.ctypes.state_address, MEMORY)


def _address_of_python() -> int | None:
    """The address of the numbers of Python's global generator, behind the head of its object; None if not there."""
    if sys.implementation.name != "cpython":
        return None
    address = id(random._inst) + object.__basicsize__
    place, *numbers = memoryview(ctypes.string_at(address, MEMORY)).cast("I")
    return address if random.getstate()[1] == (*numbers, place) else None


_OF_PYTHON = _address_of_python()
