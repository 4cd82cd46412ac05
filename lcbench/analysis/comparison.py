"""The dataclasses that hold the result of a comparison, before it becomes tables.

In place of a task, None stands for the average over all tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TypeAlias

from lcbench.analysis.statistics.ranks import TestResult

TaskOrAverage: TypeAlias = str | None
NEGATIVE, POSITIVE = "negative transfer", "positive transfer"


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean over `count` runs and their sample standard deviation, which is None for a single run."""

    mean: float
    sd: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float | None]) -> Spread | None:
        """The spread of the values that are not None; None if there are none."""
        known = [value for value in values if value is not None]
        return cls(fmean(known), stdev(known) if len(known) > 1 else None, len(known)) if known else None


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """A method on a stream: its label and parameters, how its runs ended, and the note that tables show with it.

    `entry` is the method as a user would type it, `baseline` the single-task method that its runs are measured against.
    For the successful runs, `orders` is the number of runs of each order, `seeds` are their seeds, and `learn_seconds`
    is the mean time that learning took.
    """

    label: str
    entry: str
    note: str
    setting: str
    done: int
    failed: Mapping[str, int]
    orders: tuple[int, ...]
    seeds: tuple[int, ...]
    baseline: str | None = None
    learn_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A method minus the reference, over pairs of runs of the same order, seed and repeat.

    The interval needs at least two pairs. Only the average over tasks is tested; `p_value` is None where there are too
    few orders, and `reason` then says so. `flag` is NEGATIVE or POSITIVE where the interval does not contain zero, the
    reference is a single-task method and the method is not.
    """

    mean: float
    low: float | None
    high: float | None
    resampled: str
    pairs: int
    orders: int
    flag: str
    p_value: float | None = None
    p_holm: float | None = None
    zeros: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ComparedStream:
    """All methods on one stream; the keys are (method, metric, task) or (method, metric, figure).

    `paired` is True if all methods with successful runs have them for the same orders, seeds and repeats.
    """

    label: str
    tasks: tuple[str, ...]
    methods: tuple[ComparedMethod, ...]
    paired: bool
    scores: Mapping[tuple[str, str, TaskOrAverage], Spread]
    figures: Mapping[tuple[str, str, str], Spread]
    failures: tuple[str, ...]
    reference: str | None
    differences: Mapping[tuple[str, str, TaskOrAverage], Difference]

    def scored_by(self, metrics: Sequence[str]) -> list[str]:
        """Those of the metrics that some task on this stream was scored with; all of them if nothing was scored."""
        there = {metric for _, metric, _ in self.scores}
        return [metric for metric in metrics if metric in there or not there]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The mean ranks by one metric of the methods that have scores on all streams.

    `left_out` are the other methods. The test and the critical difference need LEAST_STREAMS streams.
    """

    metric: str
    streams: int
    ranks: Mapping[str, float]
    left_out: tuple[str, ...]
    friedman: TestResult | None
    critical_difference: float | None


@dataclass(frozen=True, slots=True)
class MethodComparison:
    """All methods on all streams under some metrics.

    `at` is the moment of scoring, `against` the reference method, and `notes` say what was left out.
    """

    streams: tuple[ComparedStream, ...]
    metrics: tuple[str, ...]
    at: str
    against: str | None
    confidence: float
    rankings: tuple[Ranking, ...]
    notes: tuple[str, ...]
