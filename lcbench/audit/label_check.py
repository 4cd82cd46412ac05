"""Compares the labels of a run replayed for an audit with those of the first run."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from lcbench.contract.task import IntArray

Labels = Mapping[str, IntArray]
LONGEST_ERROR = 500


class StepError(Exception):
    """A step failed in a process of its own; the message says why."""


class Relabelled(Protocol):
    """A step of a replay: its number and its labels."""

    @property
    def learned(self) -> int:
        """The number of tasks learned."""

    @property
    def labels(self) -> Labels:
        """The labels by task."""


def compared(steps: Iterable[Relabelled], expected: Sequence[Labels], order: Sequence[str]) -> dict[str, Any]:
    """Compare the labels of replayed steps with the `expected` ones of the run in this `order` of tasks.

    The result is what the record stores: `passed` (None if the run could not be audited), the seconds it took, and of
    the first difference its step, its task and the number of samples. An error counts as a difference.
    """
    start = time.perf_counter()
    reached = 0
    result: dict[str, Any] = {"passed": True}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the ordinary run gave the same warnings before
            for step, labels in zip(steps, expected, strict=True):
                reached = step.learned
                difference = first_difference(step.labels, labels)
                if difference is not None:
                    result = {"passed": False, "step": reached, **difference}
                    break
    except (Exception, SystemExit) as error:
        at = min(reached, len(order) - 1)
        said = str(error) if isinstance(error, StepError) else f"{type(error).__name__}: {error}"
        result = {"passed": False, "step": at + 1, "task": order[at], "error": said[:LONGEST_ERROR]}
    return {**result, "seconds": time.perf_counter() - start}


def first_difference(found: Labels, expected: Labels) -> dict[str, Any] | None:
    """The first task whose labels differ and in how many samples; None if all labels are the same."""
    for task, labels in expected.items():
        if task not in found or not np.array_equal(found[task], labels):
            other = found.get(task)
            alike = other is not None and len(other) == len(labels)
            return {"task": task, "samples": int(np.sum(other != labels)) if alike else len(labels)}
    return None
