"""The first place on a stream: the method with the best average, and its lead over the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose

from lcbench.analysis.differences import Difference, differences
from lcbench.analysis.run_scores import Spread, TaskOrAverage
from lcbench.analysis.selection import StreamRuns
from lcbench.registry.metrics import greater_is_better
from lcbench.registry.names import natural_key

ROUNDING = 1e-12  # means that differ by less, or by less of their size, are equal up to rounding


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The best of several methods by one metric: its mean over tasks and runs, and the paired difference to the next.

    `second` is None if no other method has an average, `lead` if no two runs of the two are a pair. The means of those
    that are `level` with it, of which `second` is one, are equal to its own up to rounding.
    """

    metric: str
    method: str
    mean: float
    orders: int
    methods: int
    second: str | None
    lead: Difference | None
    level: tuple[str, ...] = ()


def first_place(
    stream: StreamRuns,
    metric: str,
    scores: Mapping[tuple[str, str, TaskOrAverage], Spread],
    at: str,
    confidence: float,
) -> FirstPlace | None:
    """The first place by a metric; None if no method has an average. Of equal methods the first by name leads."""
    means = {method.label: scores[method.label, metric, None].mean for method in stream.methods
             if (method.label, metric, None) in scores}  # fmt: skip
    if not means:
        return None
    sign = -1 if greater_is_better(metric) else 1
    ranked = sorted(means, key=lambda label: sign * means[label])
    best = means[ranked[0]]
    level = [label for label in ranked if isclose(means[label], best, rel_tol=ROUNDING, abs_tol=ROUNDING)]
    level.sort(key=natural_key)
    ranked = [*level, *ranked[len(level) :]]
    by_label = {method.label: method for method in stream.methods}
    first, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    lead = None
    if second is not None:
        pair = StreamRuns(stream.label, stream.tasks, (by_label[first], by_label[second]))
        lead = differences(pair, by_label[second], [metric], at, confidence).get((first, metric, None))
    orders = len({run.order for run in by_label[first].done})
    return FirstPlace(metric, first, means[first], orders, len(means), second, lead, tuple(level[1:]))
