"""Keeps the global random generators of Python and numpy apart for each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class GlobalGenerators:
    """Inside `with` the global generators are this run's own, seeded once; outside they are as they were.

    So a method that draws from them gives the same labels again, and no other run or listener can disturb it.
    """

    def __init__(self, seed: int) -> None:
        self.own: tuple[Any, Any] = (random.Random(seed).getstate(), np.random.RandomState(seed).get_state())
        self._outside: list[tuple[Any, Any]] = []

    def __enter__(self) -> None:
        self._outside.append(generator_states())
        set_generator_states(self.own)

    def __exit__(self, *exc: object) -> None:
        self.own = generator_states()
        set_generator_states(self._outside.pop())


@contextmanager
def preserved_generators() -> Iterator[None]:
    """Restore the global generators at the end, whatever was drawn in between."""
    states = generator_states()
    try:
        yield
    finally:
        set_generator_states(states)


def generator_states() -> tuple[Any, Any]:
    """The states of the global generators of Python and numpy."""
    return random.getstate(), np.random.get_state()  # noqa: NPY002


def set_generator_states(states: tuple[Any, Any]) -> None:
    """Puts the global generators of Python and numpy into these states."""
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
