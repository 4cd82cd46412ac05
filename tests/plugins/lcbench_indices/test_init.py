"""What holds for every metric that the package registers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcbench_indices
from lcbench.api.loading import load_metric
from lcbench.contract.metric import Contingency
from lcbench.contract.specs import MetricKind, MetricSpec

SPECS: list[MetricSpec] = []
lcbench_indices.lcbench_register_metrics(SPECS.append)
EXTERNAL = [
    *(spec.name for spec in SPECS if spec.kind is MetricKind.EXTERNAL),
    "nmi:average=geometric",
    "ri:include_diagonal=true",
]
METRICS = {name: load_metric(name) for name in EXTERNAL}
GROUPS = 6
GROUP = st.integers(0, GROUPS - 1)
PARTITIONS = st.lists(st.tuples(GROUP, GROUP), min_size=1, max_size=30)
RENAMING = st.permutations(range(GROUPS))


def test_the_metrics_of_the_design_are_registered():
    assert {spec.name for spec in SPECS} == {"purity", "nmi", "ri", "ari", "ami", "accuracy", "silhouette"}


@settings(deadline=None)
@given(pairs=PARTITIONS, classes=RENAMING, clusters=RENAMING)
def test_new_names_for_classes_and_clusters_change_nothing(pairs, classes, clusters):
    renamed = [(classes[c], clusters[k]) for c, k in pairs]
    before, after = (Contingency(*zip(*p, strict=True)) for p in (pairs, renamed))
    for name, metric in METRICS.items():
        assert metric.score(after) == pytest.approx(metric.score(before), abs=1e-9), name


@settings(deadline=None)
@given(y=st.lists(GROUP, min_size=1, max_size=30), clusters=RENAMING)
def test_a_perfect_partition_scores_one(y, clusters):
    table = Contingency(y, [clusters[c] for c in y])
    for name, metric in METRICS.items():
        assert metric.score(table) == pytest.approx(1.0, abs=1e-9), name


@pytest.mark.parametrize("name", EXTERNAL)
def test_a_partition_that_cuts_across_the_classes_scores_less_than_one(name):
    assert METRICS[name].score(Contingency([0, 0, 1, 1], [0, 1, 0, 1])) < 0.8
