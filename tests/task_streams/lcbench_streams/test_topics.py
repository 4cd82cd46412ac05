from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.cluster import contingency_matrix

import lcbench
from lcbench.api.loading import load_stream
from lcbench.errors import ParameterError
from lcbench_streams.topics import Topics, WebKB4Sim

SMALL = {"documents": 60, "words": 80, "length": 30}
WEBKB4 = {
    "cornell": [44, 34, 20, 128],
    "texas": [38, 46, 20, 148],
    "washington": [77, 31, 21, 126],
    "wisconsin": [85, 42, 25, 156],
}


def same(a, b) -> bool:
    return a.name == b.name and np.array_equal(a.task.X.toarray(), b.task.X.toarray()) and np.array_equal(a.y, b.y)


def cluster_means(labelled) -> np.ndarray:
    X = labelled.task.X.toarray()
    return np.array([X[labelled.y == c].mean(axis=0) for c in range(labelled.task.n_clusters)])


def correlations_across_tasks(**params) -> np.ndarray:
    """The correlation of the mean of cluster i in one task with that of cluster j in another."""
    first, second = Topics(tasks=2, documents=400, length=300, **params).tasks()
    k = first.task.n_clusters
    return np.corrcoef(cluster_means(first), cluster_means(second))[:k, k:]


@pytest.mark.parametrize("stream", [Topics, WebKB4Sim])
def test_the_same_seed_gives_the_same_stream_and_another_seed_another(stream):
    first, again, other = (stream(seed=seed).tasks() for seed in (3, 3, 4))
    assert all(same(a, b) for a, b in zip(first, again, strict=True))
    assert not any(same(a, b) for a, b in zip(first, other, strict=True))


def test_a_task_does_not_depend_on_how_many_follow():
    two, five = Topics(tasks=2, **SMALL).tasks(), Topics(tasks=5, **SMALL).tasks()
    assert all(same(a, b) for a, b in zip(two, five, strict=False))
    assert not same(five[0], five[1])


@pytest.mark.parametrize("stream", [Topics, WebKB4Sim])
def test_documents_are_sparse_counts_of_words_and_none_is_empty(stream):
    for labelled in stream().tasks():
        X = labelled.task.X
        assert isinstance(X, sparse.csr_array)
        assert np.all(X.data >= 1)
        assert np.array_equal(X.data, np.round(X.data))
        assert X.sum(axis=1).min() >= 1


def test_documents_have_the_mean_length_asked_for():
    (labelled,) = Topics(tasks=1, documents=5000, words=50, length=40).tasks()
    lengths = labelled.task.X.sum(axis=1)
    # One word and a Poisson number around 40 times a gamma factor of variance 1/2: deviation about 29, 0.4 of a mean.
    assert lengths.mean() == pytest.approx(41, abs=2)


def test_the_sizes_of_clusters_differ_by_one_at_most():
    (labelled,) = Topics(tasks=1, clusters=4, documents=62).tasks()
    assert sorted(np.bincount(labelled.y)) == [15, 15, 16, 16]


@pytest.mark.parametrize("seed", range(3))
def test_fully_related_tasks_share_their_topics(seed):
    across = correlations_across_tasks(relatedness=1, private=0, signal=1, seed=seed)
    assert np.diag(across).min() > 0.95
    assert across[~np.eye(4, dtype=bool)].max() < 0.8


def test_half_related_tasks_share_their_topics_in_part():
    none, half, full = (
        np.mean([np.diag(correlations_across_tasks(relatedness=r, private=0, signal=1, seed=s)) for s in range(3)])
        for r in (0, 0.5, 1)
    )
    assert none < 0.5
    assert none + 0.1 < half < full - 0.1


def test_with_private_words_alone_clusters_are_alike_and_tasks_are_not():
    tasks = Topics(tasks=6, documents=400, length=300, private=1).tasks()
    assert all(np.corrcoef(cluster_means(labelled)).min() > 0.95 for labelled in tasks)
    across = np.corrcoef([labelled.task.X.toarray().mean(axis=0) for labelled in tasks])
    assert np.median(across) < 0.3


def test_without_signal_clusters_and_tasks_are_alike():
    tasks = Topics(tasks=2, documents=400, length=300, private=0, signal=0).tasks()
    assert np.corrcoef(np.vstack([cluster_means(labelled) for labelled in tasks])).min() > 0.95


@pytest.mark.parametrize("name", ["relatedness", "private", "signal"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_relatedness_private_and_signal_must_be_from_0_to_1(name, value):
    with pytest.raises(ParameterError, match=name):
        load_stream("topics", **{name: value}).tasks()
    with pytest.raises(ParameterError, match=name):
        Topics(**{name: value}).tasks()


def test_more_clusters_than_documents_are_refused():
    with pytest.raises(ParameterError, match="5 clusters need at least as many documents, not 4"):
        Topics(clusters=5, documents=4).tasks()


def test_webkb4_sim_has_the_class_sizes_of_webkb4_and_2500_words():
    tasks = WebKB4Sim().tasks()
    assert {labelled.name: np.bincount(labelled.y).tolist() for labelled in tasks} == WEBKB4
    assert {labelled.task.n_features for labelled in tasks} == {2500}


def test_stsc_has_about_the_purity_on_webkb4_sim_that_its_card_says():
    purities = []
    for seed in range(2):
        for labelled in WebKB4Sim(seed=seed).tasks():
            labels = lcbench.load_method("stsc").partial_fit(labelled.task).labels_
            purities.append(contingency_matrix(labelled.y, labels).max(axis=0).sum() / len(labels))
    assert 0.62 < np.mean(purities) < 0.70
