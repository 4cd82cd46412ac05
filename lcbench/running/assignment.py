"""All that the process of a run is told, without labels, and the checks of its answers.

It is what a machine needs that carries out a run for another one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcbench.records.record import is_scored, parse_evaluate
from lcbench.running.steps import Learned
from lcbench.running.wire import WireError

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray

LONGEST_TIME = 1e10  # seconds
LONGEST_ERROR = 2000
LARGEST_NUMBER = sys.float_info.max
LARGEST_COUNT = 1 << 62
MOST_OBJECTIVES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """One run for the process of a method: `make`, pickled, builds the method there; `seed` is its own.

    `order` are the names of the tasks, `places` their places in the stream, `sizes` the samples of each task of the
    stream; `label` names the run in messages, and `blame` says whose fault an error is.
    """

    make: bytes
    label: str
    blame: str
    order: tuple[str, ...]
    places: tuple[int, ...]
    sizes: tuple[int, ...]
    seed: int
    threads: int
    evaluate: str
    future: bool

    @property
    def most_bytes(self) -> int:
        """The bytes that the labels of all tasks take."""
        return 8 * sum(self.sizes)

    def labels(self, content: bytes, tasks: Sequence[int]) -> list[IntArray]:
        """The labels of some tasks, by their numbers in the order; WireError if there are more or fewer."""
        import numpy as np

        sizes = [self.sizes[self.places[i]] for i in tasks]
        if len(content) != 8 * sum(sizes):
            raise WireError("it sent another number of labels than the tasks have samples")
        found: list[IntArray] = []
        start = 0
        for size in sizes:
            found.append(np.frombuffer(content, "<i8", size, start).astype(np.int64))
            found[-1].flags.writeable = False
            start += 8 * size
        return found

    def step(self, message: Mapping[str, Any], content: bytes, done: int, own: IntArray) -> Learned:
        """The step of a message; WireError if labels are missing, or there are more than were asked for.

        `own` are the labels of the task just learned, `content` those of the others.
        """
        order = self.order
        scored = is_scored(done + 1, len(order), parse_evaluate(self.evaluate))
        old = list(range(done)) if scored else []
        later = list(range(done + 1, len(order))) if scored and self.future else []
        tasks = message.get("tasks")
        if tasks not in (old, old + later) or not all(type(i) is int for i in tasks):
            raise WireError("it sent labels of other tasks than it was to")
        trace = message.get("objective_trace")
        return Learned(
            learned=done + 1,
            task=order[done],
            learn_seconds=_seconds(message.get("learn_seconds")),
            predict_seconds=_seconds(message.get("predict_seconds")),
            pickle_seconds=_seconds(message.get("pickle_seconds")),
            state_bytes=_count(message.get("state_bytes")),
            labels={order[done]: own} | dict(zip([order[i] for i in tasks], self.labels(content, tasks), strict=True)),
            objective_trace=None if trace is None else _objectives(trace),
        )


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < LONGEST_TIME:
        raise WireError("it sent a time that is none")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < LARGEST_COUNT:
        raise WireError("it sent a number of bytes that is none")
    return value


def _objectives(values: Any) -> list[float | None]:
    numbers = isinstance(values, list) and len(values) <= MOST_OBJECTIVES
    if not numbers or not all(
        value is None or (type(value) in (int, float) and abs(value) <= LARGEST_NUMBER) for value in values
    ):
        raise WireError(f"it sent objectives that are no numbers, or more than {MOST_OBJECTIVES:,}")
    return [None if value is None else float(value) for value in values]


def checked_measure(found: Any, done: int) -> dict[str, Any]:
    """The audit `measure` as a method's process sent it; WireError if it does not have the form of one."""
    counts = ("task_bytes", "clusters", "held_bytes", "reachable")
    if not isinstance(found, dict):
        raise WireError("it sent no measure")
    lists = [found.get(name) for name in counts]
    whole = all(
        isinstance(each, list) and len(each) <= done and all(type(n) is int and abs(n) < LARGEST_COUNT for n in each)
        for each in lists
    )
    before, first, error = (found.get(name) for name in ("state_bytes_before", "first_reachable", "error"))
    fits = (
        whole
        and len(found["task_bytes"]) == len(found["clusters"]) == done
        and min(found["task_bytes"] + found["clusters"]) > 0
        and (before is None or (type(before) is int and 0 <= before < LARGEST_COUNT))
        and (first is None or (isinstance(first, dict) and first.get("step") in range(1, done + 1)))
    )
    if not fits:
        raise WireError("it sent a measure that is none")
    return {
        **{name: found[name] for name in ("task_bytes", "clusters")},
        "state_bytes_before": before,
        **{name: found[name] for name in ("held_bytes", "reachable")},
        "first_reachable": None if first is None else {"step": first["step"], "task": str(first.get("task"))[:200]},
        "complete": found.get("complete") is True,
        "seconds": _seconds(found.get("seconds")),
        **({} if error is None else {"error": str(error)[:LONGEST_ERROR]}),
    }
