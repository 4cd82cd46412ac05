"""What a comparison of methods says, before it becomes tables. In place of a task, None is the average over all."""

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
    """The mean over `count` runs and their sample standard deviation, which one run does not have."""

    mean: float
    sd: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float | None]) -> Spread | None:
        """Over the values that are there; None if there are none."""
        known = [value for value in values if value is not None]
        return cls(fmean(known), stdev(known) if len(known) > 1 else None, len(known)) if known else None


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """A method on a stream: how it was called and what that is, how its runs ended, and what must be said of it.

    `entry` is how one would type it, `baseline` the single-task method that its runs are measured from. Of the runs
    that came to their end `orders` is how many there are of each order, `seeds` are their seeds, and `learn_seconds` is
    the mean time that learning took.
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

    The interval is there from two pairs on. The test is made for the average over tasks; `p_value` is None where there
    are too few orders, and then `reason` says so. `flag` is NEGATIVE or POSITIVE where the interval leaves out zero and
    the method may learn from other tasks.
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
    """All methods on one stream. Scores, figures and differences are by method, metric, and task or figure."""

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
        """Those of the metrics by which some task was scored here; all where nothing was scored at all."""
        there = {metric for _, metric, _ in self.scores}
        return [metric for metric in metrics if metric in there or not there]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The mean ranks of the methods that are on all streams, by one metric; test and critical difference if enough."""

    metric: str
    streams: int
    ranks: Mapping[str, float]
    left_out: tuple[str, ...]
    friedman: TestResult | None
    critical_difference: float | None


@dataclass(frozen=True, slots=True)
class MethodComparison:
    """All methods on all streams under some metrics, with the moment, the reference and the notes of the tables."""

    streams: tuple[ComparedStream, ...]
    metrics: tuple[str, ...]
    at: str
    against: str | None
    confidence: float
    rankings: tuple[Ranking, ...]
    notes: tuple[str, ...]
