"""Fresh processes for single steps, as their parent sees them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lcbench.contract.task import IntArray
from lcbench.records.record import Step


class StepError(Exception):
    """A step that did not come to its end in a process of its own; the message says why."""


class NotImportableError(StepError):
    """A method that a fresh process cannot rebuild from its state."""


Labels = Mapping[str, IntArray]
LONGEST_ERROR = 500


def compared(steps: Iterable[Step], expected: Sequence[Labels], order: Sequence[str]) -> dict[str, Any]:
    """What the record says: `passed`, and if not, at which step what went otherwise for which task.

    `passed` is None if the run could not be audited. An error is a finding like any other.
    """
    start = time.perf_counter()
    reached = 0
    result: dict[str, Any] = {"passed": True}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to be warned of was said in the ordinary run
            for step, labels in zip(steps, expected, strict=True):
                reached = step.learned
                difference = first_difference(step.labels, labels)
                if difference is not None:
                    result = {"passed": False, "step": reached, **difference}
                    break
    except NotImportableError as error:
        result = {"passed": None, "reason": f"a fresh process cannot rebuild the method: {error}"}
    except (Exception, SystemExit) as error:
        at = min(reached, len(order) - 1)
        said = str(error) if isinstance(error, StepError) else f"{type(error).__name__}: {error}"
        result = {"passed": False, "step": at + 1, "task": order[at], "error": said[:LONGEST_ERROR]}
    return {**result, "seconds": time.perf_counter() - start}


def first_difference(found: Labels, expected: Labels) -> dict[str, Any] | None:
    """The first task whose labels differ, and the number of samples in which they do."""
    for task, labels in expected.items():
        if task not in found or not np.array_equal(found[task], labels):
            other = found.get(task)
            alike = other is not None and len(other) == len(labels)
            return {"task": task, "samples": int(np.sum(other != labels)) if alike else len(labels)}
    return None
