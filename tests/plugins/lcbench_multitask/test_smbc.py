from __future__ import annotations

import numpy as np
import pytest
from making import every_pair

from lcbench.contract.task import Task
from lcbench_baselines.kmeans import SingleTaskKMeans
from lcbench_multitask.smbc import SMBC


def local_loss(X, labels) -> float:
    """The mean squared distance of unit rows from the mean of their cluster, written out."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)
    return sum(np.sum((X[labels == c] - X[labels == c].mean(axis=0)) ** 2) for c in set(labels)) / len(X)


@pytest.mark.parametrize(("lam", "seed", "divergence"), every_pair([0.1, 0.5, 10.0], range(3), ["euclidean", "kl"]))
def test_the_total_local_loss_never_rises(divergence, lam, seed, topics, random_labels, coupled_tasks):
    method = SMBC(lam=lam, divergence=divergence, tol=0.0, max_iter=20)
    method._iterate(coupled_tasks(topics, lam, divergence), random_labels(topics, seed))
    trace = np.array(method.objective_trace_)
    assert len(trace) > 2
    assert (np.diff(trace) <= 1e-10).all()


def test_the_total_local_loss_is_that_of_the_labels(topics):
    stream = [Task(t.name, t.X.toarray(), t.n_clusters) for t in topics]
    method = SMBC()
    labels = method.fit_tasks(stream)
    expected = sum(local_loss(task.X, h) for task, h in zip(stream, labels, strict=True))
    assert method.objective_trace_[-1] == pytest.approx(expected)


def task_by_task(coupled, labels, iterations):
    """SMBC with one task looked at after the other: the labels, and how often the help was kept."""
    M, kept = coupled.means(labels), []
    for _ in range(iterations):
        coupling, _ = coupled.couple(M, labels)
        pulled = coupled.centroids(M, labels, coupling)
        chosen = []
        for p, block, h in zip(coupled.points, coupled.blocks, labels, strict=True):
            boosted, alone = (
                (np.argmin(coupled.divergence.distances(p, own), axis=1), own) for own in (pulled[block], p.means(h))
            )
            kept.append(local_loss(p.X.toarray(), boosted[0]) <= local_loss(p.X.toarray(), alone[0]) + 1e-12)
            chosen.append(boosted if kept[-1] else alone)
        labels, M = [h for h, _ in chosen], np.vstack([own for _, own in chosen])
    return labels, np.mean(kept)


@pytest.mark.parametrize("seed", range(3))
def test_a_task_goes_on_with_the_labels_and_centroids_it_has_kept(seed, topics, random_labels, coupled_tasks):
    starts = random_labels(topics, seed)
    expected, kept = task_by_task(coupled_tasks(topics, 1.0), starts, 8)
    assert 0 < kept < 1
    ours = SMBC(tol=0.0, max_iter=8)._iterate(coupled_tasks(topics, 1.0), starts)
    np.testing.assert_equal(ours, expected)


@pytest.mark.parametrize(("lam", "seed"), [(0.1, 0), (0.5, 1), (10.0, 2)])
def test_read_literally_it_is_k_means_whatever_the_coupling(lam, seed, topics):
    alone = SingleTaskKMeans(n_init=1, random_state=seed)
    for task, labels in zip(topics, SMBC(lam=lam, rule="literal", random_state=seed).fit_tasks(topics), strict=True):
        np.testing.assert_array_equal(labels, alone.predict(task))


def test_no_task_ends_with_more_loss_than_k_means_alone(topics):
    stream = [Task(t.name, t.X.toarray(), t.n_clusters) for t in topics]
    improved = 0
    for seed in range(3):
        alone = SingleTaskKMeans(n_init=1, random_state=seed)
        for task, labels in zip(stream, SMBC(random_state=seed).fit_tasks(stream), strict=True):
            ours, theirs = local_loss(task.X, labels), local_loss(task.X, alone.predict(task))
            assert ours <= theirs + 1e-12
            improved += ours < theirs - 1e-9
    assert improved > 0
