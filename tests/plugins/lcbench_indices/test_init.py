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
GROUPS = 6
GROUP = st.integers(0, GROUPS - 1)
PARTITIONS = st.lists(st.tuples(GROUP, GROUP), min_size=1, max_size=30)
RENAMING = st.permutations(range(GROUPS))


def test_the_metrics_of_the_design_are_registered():
    assert {spec.name for spec in SPECS} == {"purity", "nmi", "ri", "ari", "ami", "accuracy", "silhouette"}


@pytest.mark.parametrize("name", EXTERNAL)
@settings(deadline=None)
@given(pairs=PARTITIONS, classes=RENAMING, clusters=RENAMING)
def test_new_names_for_classes_and_clusters_change_nothing(name, pairs, classes, clusters):
    metric = load_metric(name)
    renamed = [(classes[c], clusters[k]) for c, k in pairs]
    before, after = (metric.score(Contingency(*zip(*p, strict=True))) for p in (pairs, renamed))
    assert after == pytest.approx(before, abs=1e-9)


@pytest.mark.parametrize("name", EXTERNAL)
@settings(deadline=None)
@given(y=st.lists(GROUP, min_size=1, max_size=30), clusters=RENAMING)
def test_a_perfect_partition_scores_one(name, y, clusters):
    score = load_metric(name).score(Contingency(y, [clusters[c] for c in y]))
    assert score == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("name", EXTERNAL)
def test_a_partition_that_cuts_across_the_classes_scores_less_than_one(name):
    assert load_metric(name).score(Contingency([0, 0, 1, 1], [0, 1, 0, 1])) < 0.8
