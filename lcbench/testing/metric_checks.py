"""Checks of a metric: its range, known values, and what must not matter to it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from lcbench.contract.metric import Contingency, Metric
from lcbench.contract.specs import MetricKind
from lcbench.contract.task import IntArray
from lcbench.registry.spec_check import metric_differences
from lcbench.testing.checks import CheckList, SkippedError
from lcbench.testing.example_tasks import groups
from lcbench.testing.subjects import MetricSubject, agrees_with_spec, spec_of

METRIC_CHECKS = CheckList()
TOLERANCE = 1e-9
SAMPLES, CLASSES = 24, 3


@METRIC_CHECKS.add("Make the MetricSpec and the class say the same.")
def check_metric_spec(subject: MetricSubject) -> None:
    """It is a Metric, and its spec says of which kind."""
    assert isinstance(subject.metric, Metric), f"{type(subject.metric).__name__} is not derived from lcbench.Metric."
    agrees_with_spec(subject, metric_differences)


@METRIC_CHECKS.add("Return a Python float, NaN where the score is not defined.")
def check_score(subject: MetricSubject) -> None:
    """Every partition gets a number or NaN: random ones, one cluster, a cluster per sample."""
    for y, labels in _partitions():
        score = _score(subject, y, labels)
        assert isinstance(score, float | int | np.floating), f"A score is a {type(score).__name__}, not a number."
        assert not math.isinf(score), "A score is infinite."


@METRIC_CHECKS.add("Write range=(lowest, highest) in the MetricSpec; math.inf where there is no bound.")
def check_range(subject: MetricSubject) -> None:
    """All scores are in the range that its spec declares."""
    spec = spec_of(subject)
    assert spec.range is not None, "Its spec declares no range."
    low, high = spec.range
    for y, labels in _partitions():
        score = _score(subject, y, labels)
        inside = math.isnan(score) or spec.allows(score)
        assert inside, f"It scores {score:g}, outside of its range from {low:g} to {high:g}."


@METRIC_CHECKS.add("Look at which samples are together, not at the numbers of their clusters.")
def check_renaming(subject: MetricSubject) -> None:
    """Other numbers for the same clusters give the same score."""
    for y, labels in _partitions():
        renamed = (labels.max() - labels) * 7 + 3
        same = _equal(_score(subject, y, labels), _score(subject, y, renamed))
        assert same, "The score changes when clusters get other numbers."


@METRIC_CHECKS.add("Let the order of samples decide nothing.")
def check_order_of_samples(subject: MetricSubject) -> None:
    """Another order of the samples gives the same score."""
    rows = np.random.default_rng(1).permutation(SAMPLES)
    for y, labels in _partitions():
        same = _equal(_score(subject, y, labels), _score(subject, y, labels, rows))
        assert same, "The score changes with the order of the samples."


@METRIC_CHECKS.add("Let the true classes score best, or correct greater_is_better in the MetricSpec.")
def check_best(subject: MetricSubject) -> None:
    """No partition scores better than the true classes, which reach the end of a finite range."""
    if subject.metric.kind is not MetricKind.EXTERNAL:
        raise SkippedError("an internal metric does not know the classes")
    sign = 1.0 if subject.spec is None or subject.spec.greater_is_better else -1.0
    y = _classes()
    best = sign * _score(subject, y, y)
    for _, labels in _partitions():
        score = sign * _score(subject, y, labels)
        assert math.isnan(score) or score <= best + TOLERANCE, "A partition scores better than the true classes."
    end = subject.spec.range[sign > 0] if subject.spec is not None and subject.spec.range is not None else math.inf
    reached = math.isinf(end) or _equal(best, sign * end)
    assert reached, f"The true classes score {sign * best:g}, not {end:g}, the better end of its range."


@METRIC_CHECKS.add("Correct the formula, or the value that you expect.")
def check_known_values(subject: MetricSubject) -> None:
    """Partitions whose score its author knows have that score."""
    if not subject.known:
        raise SkippedError("no values are known: give some to check_metric(..., known=[(classes, clusters, score)])")
    for given, labels, wanted in subject.known:
        external = subject.metric.kind is MetricKind.EXTERNAL
        parts = (Contingency(given, labels),) if external else (np.asarray(given), np.asarray(labels))
        score = float(subject.metric.score(*parts))
        assert _equal(score, wanted, 1e-6), f"It scores {score:.9g} where {wanted:.9g} is known."


def _classes() -> IntArray:
    return np.arange(SAMPLES) % CLASSES


def _partitions() -> Iterator[tuple[IntArray, IntArray]]:
    """Classes and clusters: the same, random ones, one cluster, a cluster per sample, one class."""
    generator, y = np.random.default_rng(0), _classes()
    yield y, y
    for k in (2, 3, 5):
        yield y, generator.integers(0, k, SAMPLES)
    yield y, np.zeros(SAMPLES, dtype=np.int64)
    yield y, np.arange(SAMPLES)
    yield np.zeros(SAMPLES, dtype=np.int64), generator.integers(0, 3, SAMPLES)


def _score(subject: MetricSubject, y: IntArray, labels: IntArray, rows: Any = slice(None)) -> float:
    if subject.metric.kind is MetricKind.EXTERNAL:
        score: float = subject.metric.score(Contingency(y[rows], labels[rows]))
    else:
        score = subject.metric.score(groups(SAMPLES, CLASSES)[rows], labels[rows])
    return score


def _equal(one: float, other: float, tolerance: float = TOLERANCE) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
