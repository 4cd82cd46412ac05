"""Mean ranks over streams, Friedman's test, and Nemenyi's critical difference.

References
----------
Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, Journal of Machine Learning Research 7, 2006.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import inf, sqrt
from statistics import fmean
from typing import NamedTuple, TypeVar

LEAST_STREAMS = 5
DECIMALS = 12  # means of equal scores over different numbers of runs differ only beyond these
M = TypeVar("M", bound=Hashable)
S = TypeVar("S", bound=Hashable)


class TestResult(NamedTuple):
    """The statistic of a test and its p-value."""

    statistic: float
    p_value: float


def mean_ranks(scores: Mapping[S, Mapping[M, float]], *, greater_is_better: bool = True) -> dict[M, float]:
    """The mean over streams of each method's rank, 1 for the best; only methods with scores on all streams are ranked.

    Methods that tie share the mean of their ranks.
    """
    methods = common_methods(scores)
    sign = -1 if greater_is_better else 1
    ranked = [_ranks([sign * found[method] for method in methods]) for found in scores.values()]
    return {method: fmean(ranks[i] for ranks in ranked) for i, method in enumerate(methods)}


def common_methods(scores: Mapping[S, Mapping[M, float]]) -> list[M]:
    """The methods that have a score on every stream."""
    streams = list(scores.values())
    return [method for method in streams[0] if all(method in found for found in streams)] if streams else []


def friedman(scores: Mapping[S, Mapping[M, float]]) -> TestResult:
    """Friedman's test of the hypothesis that all methods have the same mean rank.

    With k methods on N streams and R_j the sum of the ranks of method j,

        chi2 = (12 / (N k (k + 1)) sum_j R_j^2 - 3 N (k + 1)) / (1 - sum_t (t^3 - t) / (N k (k^2 - 1)))

    over the sizes t of groups of ties, against chi-squared with k - 1 degrees of freedom. (That of scipy refuses two
    methods.)

    References
    ----------
    Friedman, The use of ranks to avoid the assumption of normality implicit in the analysis of variance, Journal of
    the American Statistical Association 32(200), 1937; Demšar 2006, section 3.2.2.
    """
    methods = common_methods(scores)
    k, n = len(methods), len(scores)
    if k < 2:
        raise ValueError("Friedman's test needs two methods that are on all streams")
    rows = [_ranks([found[method] for method in methods]) for found in scores.values()]
    sums = [sum(column) for column in zip(*rows, strict=True)]
    ties = sum(t**3 - t for row in rows for t in map(row.count, set(row)))
    correction = 1 - ties / (n * k * (k**2 - 1))
    if correction <= 0:  # all methods tie everywhere
        return TestResult(0.0, 1.0)
    statistic = (12 / (n * k * (k + 1)) * sum(total**2 for total in sums) - 3 * n * (k + 1)) / correction
    from scipy.stats import chi2

    return TestResult(statistic, float(chi2.sf(statistic, k - 1)))


def critical_difference(methods: int, streams: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference CD = q_alpha sqrt(k (k + 1) / (6 N)) for k methods on N streams.

    Mean ranks that differ by more differ at level alpha; q_alpha is the quantile of the Studentized range with
    infinite degrees of freedom, divided by sqrt(2).

    References
    ----------
    Nemenyi, Distribution-free Multiple Comparisons, PhD thesis, Princeton 1963; Demšar 2006, section 3.2.2.
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, methods, inf)) / sqrt(2)
    return q * sqrt(methods * (methods + 1) / (6 * streams))


def _ranks(values: Sequence[float]) -> list[float]:
    """The ranks of values, 1 for the smallest; equal values share the mean of their ranks."""
    rounded = [round(value, DECIMALS) for value in values]
    return [sum(other < value for other in rounded) + (rounded.count(value) + 1) / 2 for value in rounded]
