"""A broken metric for each check of metrics; `FAILS` has the checks that it fails and no others."""

import itertools
import math

import numpy as np

from lcbench import ExternalMetric, InternalMetric, MetricKind, MetricSpec

FAILS = {}
TICKS = itertools.count()
KNOWN = [([0, 0, 1, 1], [0, 0, 0, 1], 0.75)]


class Sound(ExternalMetric):
    """Purity."""

    def score(self, table):
        return float(table.counts.max(axis=0).sum() / table.n)


def fails(*checks, **changed):
    def mark(broken):
        spec = {"kind": MetricKind.EXTERNAL, "range": (0, 1), **changed}
        FAILS[MetricSpec(**{**spec, "name": "broken-metric", "factory": f"{__name__}:{broken.__name__}"})] = set(checks)
        return broken

    return mark


@fails("check_metric_spec", kind=MetricKind.INTERNAL)
class IsExternal(Sound):
    pass


@fails("check_score", "check_range", "check_best")
class IsInfiniteForOneCluster(Sound):
    def score(self, table):
        return math.inf if table.counts.shape[1] == 1 else super().score(table)


@fails("check_score")
class ReturnsAnArray(Sound):
    def score(self, table):
        return np.array(super().score(table))


@fails("check_range", "check_best", "check_known_values")
class CountsInPercent(Sound):
    def score(self, table):
        return 100 * super().score(table)


@fails("check_range", range=None)
class DeclaresNoRange(Sound):
    pass


@fails("check_renaming", "check_order_of_samples", "check_known_values")
class LooksAtNumbers(Sound):
    def score(self, table):
        return float(0.5 * super().score(table) + 0.5 * (table.labels[0] == 0))


@fails("check_order_of_samples", "check_known_values")
class LooksAtTheFirstSample(Sound):
    def score(self, table):
        return 1.0 / (1 + float(table.labels[0] == table.labels[1]) + float(table.labels[0] == table.labels[5]))


@fails("check_best", greater_is_better=False)
class IsBetterWhenItIsGreater(Sound):
    pass


@fails("check_best", "check_known_values")
class PrefersOneCluster(Sound):
    def score(self, table):
        return 1.0 / table.counts.shape[1]


@fails("check_known_values")
class IsSquared(Sound):
    def score(self, table):
        return super().score(table) ** 2


@fails("check_score", "check_renaming", "check_order_of_samples", "check_range", kind=MetricKind.INTERNAL)
class Raises(InternalMetric):
    def score(self, X, labels):
        raise ZeroDivisionError("float division by zero")
