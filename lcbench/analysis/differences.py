"""Paired differences to a reference method, with interval and test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from lcbench.analysis.run_scores import TaskOrAverage, task_scores
from lcbench.analysis.selection import MethodRuns, StreamRuns, run_key
from lcbench.analysis.statistics import holm, interval, wilcoxon
from lcbench.errors import ParameterError, UnknownNameError, did_you_mean
from lcbench.records.record import RunRecord


@dataclass(frozen=True, slots=True)
class Difference:
    """A method minus the reference, over pairs of runs of the same order, seed and repeat.

    The interval needs at least two pairs. Only the average over tasks is tested; `p_value` is None where there are too
    few orders, and `reason` then says so.
    """

    mean: float
    low: float | None
    high: float | None
    resampled: str
    pairs: int
    orders: int
    p_value: float | None = None
    p_holm: float | None = None
    zeros: int = 0
    reason: str = ""


def find_reference(streams: Sequence[StreamRuns], name: str) -> dict[str, MethodRuns]:
    """Find the method of that label or name on each stream; an error if no stream has it, or one has several."""
    found: dict[str, MethodRuns] = {}
    for stream in streams:
        exact = [method for method in stream.methods if method.label == name]
        fitting = exact or [m for m in stream.methods if name in (m.runs[0].label, m.runs[0].method)]
        fitting = fitting or [m for m in stream.methods if name.casefold() in (m.label.casefold(), m.runs[0].method)]
        if len(fitting) > 1:
            labels = ", ".join(f"'{method.label}'" for method in fitting)
            raise ParameterError(f"'{name}' is more than one method on {stream.label}: name one of {labels}.")
        if fitting:
            found[stream.label] = fitting[0]
    if not found:
        there = {method.label for stream in streams for method in stream.methods}
        raise UnknownNameError(f"There are no runs of '{name}' to compare with.{did_you_mean(name, there)}")
    return found


def differences(
    stream: StreamRuns, reference: MethodRuns, metrics: Sequence[str], at: str, confidence: float
) -> dict[tuple[str, str, TaskOrAverage], Difference]:
    """The difference of every other method of a stream to the reference, by method, metric and task."""
    theirs = {run_key(run): run for run in reference.done}
    found: dict[tuple[str, str, TaskOrAverage], Difference] = {}
    for metric in metrics:
        for method in stream.methods:
            if method.label != reference.label:
                pairs = [(run, theirs[run_key(run)]) for run in method.done if run_key(run) in theirs]
                for task, groups in _by_order(pairs, metric, at, stream.tasks).items():
                    found[method.label, metric, task] = _difference(groups, confidence, test=task is None)
        averages = [label for label, key, task in found if key == metric and task is None]
        tested = {m: p for m in averages if (p := found[m, metric, None].p_value) is not None}
        for label, corrected in holm(tested).items():
            found[label, metric, None] = replace(found[label, metric, None], p_holm=corrected)
    return found


def _by_order(
    pairs: Sequence[tuple[RunRecord, RunRecord]], metric: str, at: str, tasks: Sequence[str]
) -> dict[TaskOrAverage, list[list[float]]]:
    """The differences of each task, and of their average (None), in one list per order of the tasks."""
    groups: dict[TaskOrAverage, dict[tuple[str, ...], list[float]]] = {}
    for ours, theirs in pairs:
        a, b = task_scores(ours, metric, at, tasks), task_scores(theirs, metric, at, tasks)
        for task in (*tasks, None):
            x, y = a.get(task), b.get(task)
            if x is not None and y is not None:
                groups.setdefault(task, {}).setdefault(ours.order, []).append(x - y)
    return {task: list(orders.values()) for task, orders in groups.items()}


def _difference(groups: Sequence[Sequence[float]], confidence: float, *, test: bool) -> Difference:
    found = interval(groups, confidence=confidence)
    facts: dict[str, Any] = {}
    if test:
        result = wilcoxon([fmean(group) for group in groups])
        facts = {"p_value": result.p_value, "zeros": result.zeros, "reason": result.reason}
    return Difference(
        mean=found.mean, low=found.low, high=found.high, resampled=found.resampled, pairs=sum(map(len, groups)),
        orders=len(groups), **facts,
    )  # fmt: skip
