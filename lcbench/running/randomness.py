"""Keeps the global random generators of Python and numpy apart for each run."""

from __future__ import annotations

import ctypes
import random
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
        self._own: tuple[Any, Any] | None = None
        self._outside: list[tuple[Any, Any]] = []

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


def generator_states() -> tuple[Any, Any]:
    """The states of the global generators of Python and numpy; that of numpy is a seed if nothing was drawn since.

    To read the state of numpy's takes longer than many a prediction: it is not read again if it has not changed.
    """
    state, memory = _noted
    if state is None or _memory() != memory:
        state = np.random.get_state(legacy=False)  # noqa: NPY002
        _note(state)
    return random.getstate(), state


def seed_generators(seed: int) -> None:
    """Seeds the global generators of Python and numpy."""
    random.seed(seed)
    _set_numpy(seed)


def set_generator_states(states: tuple[Any, Any]) -> None:
    """Puts the global generators of Python and numpy into these states."""
    random.setstate(states[0])
    _set_numpy(states[1])


def _set_numpy(state: Any) -> None:
    """Puts numpy's generator into a state, unless it is the one that was last read or set, and nothing drawn since."""
    if state is _noted[0] and _memory() == _noted[1]:
        return
    if isinstance(state, int):
        np.random.seed(state)  # noqa: NPY002
    else:
        np.random.set_state(state)  # noqa: NPY002
    _note(state)


_noted: tuple[Any, bytes] = None, b""  # the state of numpy's generator when last read or set, and its memory then


def _note(state: Any) -> None:
    """Note a state of numpy's generator, unless it has a normal number in store: to take that changes no memory."""
    global _noted
    memory, in_store = _memory(), isinstance(state, dict) and state.get("has_gauss", True)
    _noted = (state, memory) if memory and not in_store else (None, b"")


def _memory() -> bytes:
    """The memory of numpy's global generator, which changes with each draw; empty if it is no Mersenne Twister."""
    generator = np.random.mtrand.get_bit_generator()
    if not isinstance(generator, np.random.MT19937):
        return b""
    return ctypes.string_at(generator.ctypes.state_address, MEMORY)
