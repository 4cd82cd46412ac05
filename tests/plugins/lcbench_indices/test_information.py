from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

from lcbench.contract.metric import Contingency
from lcbench_indices.information import AdjustedMutualInformation, NormalizedMutualInformation

EDGES = {
    "one sample": ([0], [0]),
    "one class, one cluster": ([0, 0, 0], [0, 0, 0]),
    "one class, many clusters": ([0, 0, 0], [0, 1, 1]),
    "many classes, one cluster": ([0, 1, 1], [0, 0, 0]),
    "one class, every sample alone": ([0, 0, 0], [0, 1, 2]),
    "every sample alone in both": ([0, 1, 2], [2, 1, 0]),
    "independent": ([0, 0, 1, 1], [0, 1, 0, 1]),
}


def random_partitions(seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 200))
    y = generator.integers(generator.integers(1, 8), size=n)
    noise = generator.integers(generator.integers(1, 8), size=n)
    return y, np.where(generator.random(n) < generator.random(), y, noise)


@pytest.mark.parametrize("average", ["arithmetic", "geometric"])
@pytest.mark.parametrize("seed", range(20))
def test_nmi_equals_scikit_learns(average, seed):
    y, labels = random_partitions(seed)
    score = NormalizedMutualInformation(average=average).score(Contingency(y, labels))
    assert score == pytest.approx(normalized_mutual_info_score(y, labels, average_method=average), abs=1e-9)


@pytest.mark.parametrize("average", ["arithmetic", "geometric"])
@pytest.mark.parametrize(("y", "labels"), EDGES.values(), ids=EDGES)
def test_nmi_at_the_edges_equals_scikit_learns(average, y, labels):
    score = NormalizedMutualInformation(average=average).score(Contingency(y, labels))
    assert score == pytest.approx(normalized_mutual_info_score(y, labels, average_method=average), abs=1e-12)


def test_nmi_worked_by_hand():
    # The classes 1 and 2 share a cluster: the classes tell the clusters, so I = H(clusters); H(classes) = log 3.
    table = Contingency([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1])
    of_clusters = -(1 / 3) * math.log(1 / 3) - (2 / 3) * math.log(2 / 3)
    arithmetic = of_clusters / ((of_clusters + math.log(3)) / 2)
    geometric = of_clusters / math.sqrt(of_clusters * math.log(3))
    assert NormalizedMutualInformation().score(table) == pytest.approx(arithmetic)
    assert NormalizedMutualInformation(average="geometric").score(table) == pytest.approx(geometric)
    assert geometric - arithmetic > 0.01


@pytest.mark.parametrize("seed", range(20))
def test_ami_equals_scikit_learns_on_names_of_another_kind(seed):
    y, labels = random_partitions(seed)
    names = np.array([f"class {c}" for c in y])
    score = AdjustedMutualInformation().score(Contingency(names, -labels))
    assert score == pytest.approx(adjusted_mutual_info_score(y, labels), abs=1e-9)


@pytest.mark.parametrize(("y", "labels"), EDGES.values(), ids=EDGES)
def test_ami_at_the_edges_equals_scikit_learns(y, labels):
    score = AdjustedMutualInformation().score(Contingency(y, labels))
    assert score == pytest.approx(adjusted_mutual_info_score(y, labels), abs=1e-12)
