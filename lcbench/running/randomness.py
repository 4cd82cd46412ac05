"""Keeps the global random generators of Python and numpy apart for each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np


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
    """The states of the global generators of Python and numpy."""
    return random.getstate(), np.random.get_state()  # noqa: NPY002


def seed_generators(seed: int) -> None:
    """Seeds the global generators of Python and numpy."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def set_generator_states(states: tuple[Any, Any]) -> None:
    """Puts the global generators of Python and numpy into these states."""
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
