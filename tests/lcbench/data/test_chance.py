"""Chance scores against scikit-learn on random labels drawn here."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, rand_score

import lcbench
from lcbench.contract.specs import TaskShape
from lcbench.data.chance import DRAWS, chance_scores

SCIKIT = {"nmi": normalized_mutual_info_score, "ri": rand_score, "ari": adjusted_rand_score}
METRICS = {name: lcbench.load_metric(name) for name in (*SCIKIT, "purity")}


def shape(*sizes: int, clusters: int | None = None) -> TaskShape:
    return TaskShape("a", sum(sizes), 5, clusters, tuple((f"class-{c}", size) for c, size in enumerate(sizes)))


def by_scikit(sizes, clusters: int, draws: int, seed: int) -> dict[str, float]:
    """The mean scores of labels drawn evenly."""
    generator = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    drawn = [generator.integers(clusters, size=len(y)) for _ in range(draws)]
    return {name: fmean(score(y, labels) for labels in drawn) for name, score in SCIKIT.items()}


@pytest.mark.parametrize(("sizes", "clusters"), [((30, 20, 10), 3), ((100, 100), 4)], ids=str)
def test_chance_is_what_scikit_learn_scores_random_labels(sizes, clusters):
    found = chance_scores([shape(*sizes, clusters=clusters)], METRICS)
    same = by_scikit(sizes, clusters, DRAWS, 0)
    assert {name: found[name] for name in SCIKIT} == pytest.approx(same)
    others = by_scikit(sizes, clusters, 100, 1)
    assert {name: found[name] for name in SCIKIT} == pytest.approx(others, abs=0.02)
    assert abs(found["ari"]) < 0.02, "it is corrected for chance"


def test_with_few_samples_in_a_cluster_the_nmi_of_chance_is_high_and_its_ari_is_not():
    found = chance_scores([shape(*[4] * 20)], METRICS)
    assert found["nmi"] > 0.35
    assert abs(found["ari"]) < 0.02


def test_one_cluster_has_what_can_be_worked_out_by_hand():
    found = chance_scores([shape(30, 10, clusters=1)], METRICS)
    assert found["purity"] == 0.75
    assert found["ri"] == pytest.approx((30 * 29 + 10 * 9) / (40 * 39))
    assert (found["ari"], found["nmi"]) == (0.0, 0.0)


def test_it_is_the_mean_over_the_tasks_whose_classes_are_known_and_always_the_same():
    one, other = shape(30, 10, clusters=1), shape(10, 10, clusters=1)
    found = chance_scores([one, TaskShape("unknown", 40), other], METRICS)
    assert found["purity"] == pytest.approx((0.75 + 0.5) / 2)
    random = [shape(30, 10), shape(10, 20, 30)]
    assert chance_scores(random, METRICS) == chance_scores(random, METRICS)


def test_without_a_number_of_clusters_there_are_as_many_as_classes():
    assert chance_scores([shape(20, 20, 20)], METRICS) == chance_scores([shape(20, 20, 20, clusters=3)], METRICS)


def test_metrics_that_need_no_classes_and_tasks_without_them_have_no_chance_score():
    metrics = {**METRICS, "silhouette": lcbench.load_metric("silhouette")}
    assert set(chance_scores([shape(3, 3)], metrics)) == set(METRICS)
    assert chance_scores([TaskShape("unknown", 40)], METRICS) == {}
    assert chance_scores([], METRICS) == {}
