from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from making import far_groups
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import lcbench
from lcbench import Task, derive_seed
from lcbench.testing import check_clusterer
from lcbench_baselines.seeding import spread_rows
from lcbench_river import River
from lcbench_river.rows import Scale, as_dicts

cluster = pytest.importorskip("river.cluster")
SIX = {
    "KMeans": River(cluster.KMeans(halflife=0.1)),
    "STREAMKMeans": River(cluster.STREAMKMeans(chunk_size=20, halflife=0.1)),
    "CluStream": River(cluster.CluStream(max_micro_clusters=20, time_gap=10)),
    "DenStream": River(cluster.DenStream(epsilon=2, n_samples_init=30, decaying_factor=0.01)),
    "DBSTREAM": River(cluster.DBSTREAM(clustering_threshold=4, fading_factor=0.001)),
    "TextClust": River(cluster.TextClust(term_fading=False, auto_r=True), scale="none"),
}
six = pytest.mark.parametrize("method", SIX.values(), ids=SIX)
SHORT = River(cluster.KMeans(halflife=0.1))


def fresh(method: River) -> River:
    return pickle.loads(pickle.dumps(method))


@six
def test_every_clusterer_of_river_goes_through_a_stream_and_predicting_changes_nothing(method):
    learner = fresh(method)
    tasks = [labelled.task for labelled in lcbench.load_stream("digits:tasks=2").tasks()]
    for task in tasks:
        labels = learner.partial_fit(task).labels_
        assert labels.dtype == np.int64
        assert 1 < len(set(labels)) <= task.n_clusters
    before = pickle.dumps(learner)
    for task in tasks:
        np.testing.assert_array_equal(learner.predict(task), fresh(learner).predict(task))
    assert pickle.dumps(learner) == before


FILLS_UP = "what it may hold at most is more than the small tasks of the check bring at first"
EXPECTED = {name: {"check_promise": FILLS_UP} for name in ("CluStream", "STREAMKMeans")}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SIX if name != "KMeans"])  # which is river-kmeans, a method of ours
def test_every_clusterer_of_river_keeps_the_contract_of_methods(name):
    check_clusterer(SIX[name], expected_failed_checks=EXPECTED.get(name))


@six
def test_every_clusterer_of_river_takes_sparse_texts(method):
    tasks = [one.task for one in lcbench.load_stream("topics:tasks=2,documents=60,words=300").tasks()]
    learner = fresh(method)
    for task in tasks:
        assert sparse.issparse(task.X)
        assert learner.partial_fit(task).labels_.max() < task.n_clusters
    dense = fresh(method)
    for task in tasks:
        dense.partial_fit(Task(task.name, task.X.toarray(), task.n_clusters))
    assert adjusted_rand_score(learner.predict(tasks[0]), dense.predict(tasks[0])) == 1.0


LABELS = """
import lcbench
from lcbench_river import River
from river import cluster

methods = [
    lcbench.load_method("river-kmeans"), River(cluster.STREAMKMeans(chunk_size=20)),
    River(cluster.CluStream(max_micro_clusters=20, time_gap=10)),
    River(cluster.TextClust(term_fading=False, auto_r=True), scale="none"),
]
tasks = [labelled.task for labelled in lcbench.load_stream("digits:tasks=2").tasks()]
labels = [method.partial_fit(task).labels_.tolist() for task in tasks for method in methods]
"""


@pytest.mark.slow
def test_the_same_labels_come_from_another_process_with_another_seed_of_hashes():
    here: dict[str, list] = {}
    exec(LABELS, here)
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    code = [sys.executable, "-c", f"{LABELS}print(labels)"]
    there = subprocess.run(code, env=environment, capture_output=True, check=True, text=True).stdout
    assert there == f"{here['labels']}\n"


def test_the_centres_of_one_task_are_those_of_river_from_the_same_start():
    task = Task("one", np.random.default_rng(0).random((50, 4)), 3)
    ours = River(cluster.KMeans(halflife=0.2), width=1, random_state=5)
    start = fresh(ours).partial_fit(Task("one", task.X, 3))  # its centres are where fifty samples moved them
    rows = Scale.of(task.X, common=False, directions=64, seed=5).of_rows(task.X)
    seed = derive_seed(5, "one")
    theirs = cluster.KMeans(3, halflife=0.2, seed=seed)
    for number, row in enumerate(spread_rows(rows, 3, seed)):
        theirs.centers[number].update(enumerate(rows[row]))
    samples = list(as_dicts(rows))
    for i in np.random.default_rng(seed).permutation(50):
        theirs.learn_one(samples[i])
    assert {c: dict(centre) for c, centre in start.model_.centers.items()} == {
        c: dict(centre) for c, centre in theirs.centers.items()
    }


def test_far_groups_are_found_whatever_the_numbers_of_clusters_and_old_tasks_after_new_ones():
    for seed in range(2):
        learner = fresh(SHORT).set_params(random_state=seed)
        tasks = [Task(f"{k}-{i}", far_groups(k, seed=i), k) for i, k in enumerate((2, 4, 1, 3, 6))]
        for task in tasks:
            learner.partial_fit(task)
        for task in tasks:
            assert adjusted_rand_score(np.arange(60) % task.n_clusters, learner.predict(task)) == 1.0


def test_a_task_alone_is_clustered_not_much_worse_than_by_batch_k_means():
    for labelled in lcbench.load_stream("digits").tasks()[:2]:
        X, k = labelled.task.X, labelled.task.n_clusters
        labels = lcbench.load_method("river-kmeans", unit_rows=False).partial_fit(labelled.task).labels_
        scatter = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))
        assert scatter < 1.2 * KMeans(k, n_init=10, random_state=0).fit(X).inertia_


def test_numbers_of_clusters_are_raised_under_the_names_that_clusterers_have_for_them():
    first, second = Task("two", far_groups(2), 2), Task("six", far_groups(6), 6)
    for name, attribute in (("CluStream", "n_macro_clusters"), ("TextClust", "num_macro")):
        learner = fresh(SIX[name]).partial_fit(first)
        assert getattr(learner.model_, attribute) == 2
        assert getattr(learner.partial_fit(second).model_, attribute) == 6
    learner = fresh(SIX["KMeans"]).set_params(width=4).partial_fit(first)
    assert len(learner.model_.centers) == 8
    assert len(learner.partial_fit(second).model_.centers) == learner.model_.n_clusters == 24


def test_scaling_is_learned_from_the_first_task_only():
    learner = fresh(SHORT).partial_fit(Task("first", far_groups(3), 3))
    np.testing.assert_allclose(learner.scale_.mean, far_groups(3).mean(axis=0))
    before = pickle.dumps(learner.scale_)
    learner.partial_fit(Task("second", 50 * far_groups(3), 3))
    assert pickle.dumps(learner.scale_) == before


def test_features_of_any_unit_do_not_hide_the_groups_once_they_are_scaled():
    X = np.hstack([far_groups(3), 1e4 * np.random.default_rng(0).random((60, 1))])
    truth = np.arange(60) % 3
    labels = {
        scale: fresh(SHORT).set_params(scale=scale).partial_fit(Task("t", X, 3)).labels_
        for scale in ("features", "common")
    }
    assert adjusted_rand_score(truth, labels["features"]) == 1.0
    assert adjusted_rand_score(truth, labels["common"]) < 0.5


def test_the_state_does_not_grow_with_tasks_nor_with_features_beyond_the_directions():
    learner, sizes = fresh(SHORT), []
    for number in range(16):
        sizes.append(len(pickle.dumps(learner.partial_fit(Task(f"task-{number:02}", far_groups(3, seed=number), 3)))))
    assert max(sizes[1:]) - min(sizes[1:]) <= 3
    wide = [np.random.default_rng(0).random((40, d)) for d in (100, 1000)]
    short, long = (len(pickle.dumps(fresh(SHORT).partial_fit(Task("t", X, 3)))) for X in wide)
    assert abs(short - long) < 50


def test_a_collapse_is_warned_of_with_what_to_do_about_it(caplog):
    """DenStream waits for a thousand samples before it tells any apart."""
    River(cluster.DenStream()).partial_fit(Task("few", far_groups(3), 3))
    assert "river's DenStream put all 60 samples of task 'few' into one cluster" in caplog.text
    assert "samples to start with" in caplog.text


def test_rivers_own_start_collapses_where_ours_does_not():
    """The reason why centres of KMeans are samples: noise that a sample pulls away wins all others."""
    X = far_groups(3, n=300)
    theirs = cluster.KMeans(3, seed=0)
    for sample in as_dicts(50 + X):
        theirs.learn_one(sample)
    assert len({theirs.predict_one(sample) for sample in as_dicts(50 + X)}) == 1
    labels = fresh(SHORT).partial_fit(Task("t", 50 + X, 3)).labels_
    assert adjusted_rand_score(np.arange(300) % 3, labels) == 1.0


def test_what_is_no_clusterer_of_river_is_refused():
    for clusterer in (None, KMeans()):
        with pytest.raises(TypeError, match="no clusterer of river"):
            River(clusterer).partial_fit(Task("t", far_groups(2), 2))
