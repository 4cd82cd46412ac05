from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from lcbench.contract.task import Task
from lcbench_baselines.kmeans import SingleTaskKMeans
from lcbench_multitask.bregman import CoupledTasks, nearest
from lcbench_multitask.mbc import MBC
from lcbench_multitask.smbc import SMBC


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
@pytest.mark.parametrize("lam", [0.1, 2.0, 100.0])
def test_centroid_and_label_steps_never_raise_the_objective_while_the_plans_are_fixed(
    divergence, lam, topics, random_labels, coupled_tasks, objective
):
    coupled = coupled_tasks(topics, lam, divergence)
    labels = random_labels(topics)
    M = coupled.means(labels)
    for _ in range(12):
        coupling, penalty = coupled.couple(M, labels)
        before = objective(coupled, M, labels, coupling.R)
        assert before == pytest.approx(coupled.losses(M, labels).sum() + penalty)
        M = coupled.centroids(M, labels, coupling)
        after_centroids = objective(coupled, M, labels, coupling.R)
        labels = [
            np.argmin(coupled.divergence.distances(p, M[b]), axis=1)
            for p, b in zip(coupled.points, coupled.blocks, strict=True)
        ]
        after_labels = objective(coupled, M, labels, coupling.R)
        assert before >= after_centroids - 1e-10
        assert after_centroids >= after_labels - 1e-10


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_no_small_change_of_the_centroids_of_a_task_lowers_the_objective(
    divergence, topics, random_labels, coupled_tasks, objective
):
    coupled, labels = coupled_tasks(topics, 3.0, divergence), random_labels(topics)
    M = coupled.means(labels)
    coupling, _ = coupled.couple(M, labels)
    for _ in range(60 if divergence == "kl" else 1):  # KL goes task by task
        M = coupled.centroids(M, labels, coupling)
    least = objective(coupled, M, labels, coupling.R)
    generator = np.random.default_rng(0)
    for _ in range(20):
        moved = M * np.exp(1e-3 * generator.standard_normal(M.shape))
        assert objective(coupled, moved, labels, coupling.R) >= least - 1e-12


def test_the_joint_solve_is_where_task_by_task_updates_go(topics, random_labels, coupled_tasks):
    coupled, labels = coupled_tasks(topics, 5.0), random_labels(topics)
    M = coupled.means(labels)
    coupling, _ = coupled.couple(M, labels)
    joint, w = coupled.centroids(M, labels, coupling), 2 * coupled.weight
    masses = np.concatenate([p.masses(h) for p, h in zip(coupled.points, labels, strict=True)])
    sums = np.vstack([p.sums(h) for p, h in zip(coupled.points, labels, strict=True)])
    for _ in range(3000):
        for b in coupled.blocks:
            R = coupling.R[b]
            M[b] = (sums[b] + w * R @ M) / (masses[b] + w * R.sum(axis=1))[:, None]
    np.testing.assert_allclose(joint, M, atol=1e-9)


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_a_cluster_that_nobody_is_nearest_to_starts_again_from_the_worst_cluster(make_task, divergence, coupled_tasks):
    coupled = coupled_tasks([make_task("a").task], divergence=divergence)
    points = coupled.points[0]
    X = points.X
    M = np.vstack([X[:1], X[:1] + 1e-3, np.full((1, 12), 100.0)])
    labels, own, moved = nearest(coupled.divergence, points, M)
    assert set(labels) == {0, 1, 2}
    assert own.sum() <= coupled.divergence.distances(points, M).min(axis=1).sum()
    np.testing.assert_allclose(own, coupled.divergence.distances(points, moved)[np.arange(60), labels])


def test_it_starts_again_from_the_cluster_that_loses_most_in_all_and_not_from_the_farthest_sample():
    # around 0 a sample is 3 off, and no other; around 100 ten samples are 2 off each
    X = np.concatenate([[0.0] * 9, [3.0], np.repeat([98.0, 102.0], 5), [97.5]])[:, None]
    coupled = CoupledTasks.of([Task("a", X, 3)], divergence="euclidean", unit_rows=False, lam=0.0)
    labels, _, M = nearest(coupled.divergence, coupled.points[0], np.array([[0.0], [100.0], [1e6]]))
    assert M.ravel().tolist() == [0.0, 100.0, 97.5]
    assert labels[9] == 0


@pytest.mark.parametrize("method", [MBC, SMBC])
def test_without_coupling_it_is_lloyds_algorithm_from_the_same_start(method, topics, random_labels, coupled_tasks):
    starts = random_labels(topics)
    ours = method(lam=0.0, tol=0.0, max_iter=300)._iterate(coupled_tasks(topics, 0.0), starts)
    for task, start, labels in zip(topics, starts, ours, strict=True):
        X = normalize(task.X)
        centres = np.vstack([X[start == c].mean(axis=0) for c in range(task.n_clusters)])
        theirs = KMeans(task.n_clusters, init=np.asarray(centres), n_init=1, tol=0.0, algorithm="lloyd").fit(X)
        np.testing.assert_array_equal(labels, theirs.labels_)


@pytest.mark.parametrize("method", [MBC, SMBC])
@pytest.mark.parametrize("n_init", [1, 10])
def test_without_coupling_or_with_one_task_it_is_k_means(method, n_init, topics):
    alone = SingleTaskKMeans(n_init=n_init, random_state=3)
    together = method(lam=0.0, n_init=n_init, random_state=3).fit_tasks(topics)
    for task, labels in zip(topics, together, strict=True):
        np.testing.assert_array_equal(labels, alone.predict(task))
    coupled = method(lam=50.0, n_init=n_init, random_state=3)
    np.testing.assert_array_equal(coupled.partial_fit(topics[0]).labels_, alone.predict(topics[0]))


@pytest.mark.parametrize("method", [MBC, SMBC])
def test_from_one_start_neither_the_order_of_samples_nor_of_features_matters(
    method, topics, random_labels, coupled_tasks
):
    starts, generator = random_labels(topics), np.random.default_rng(1)
    shuffles, columns = [generator.permutation(t.n_samples) for t in topics], generator.permutation(120)
    moved = [Task(t.name, t.X[s][:, columns], 4) for t, s in zip(topics, shuffles, strict=True)]
    plain = method()._iterate(coupled_tasks(topics), starts)
    permuted = method()._iterate(coupled_tasks(moved), [h[s] for h, s in zip(starts, shuffles, strict=True)])
    for a, b, s in zip(plain, permuted, shuffles, strict=True):
        np.testing.assert_array_equal(a[s], b)


@pytest.mark.parametrize("method", [MBC, SMBC])
@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_an_empty_cluster_on_the_way_is_filled_again(method, divergence, make_task, coupled_tasks):
    tasks = [make_task("a").task, make_task("b", seed=1).task]
    starts = [np.arange(60) % 2, np.arange(60) % 3]  # the third cluster of the first task has nobody
    fitted = method(divergence=divergence)
    labels, _ = fitted._iterate(coupled_tasks(tasks, 0.1, divergence), starts)
    assert len(set(labels)) == 3
    assert fitted.objective_trace_[-1] <= fitted.objective_trace_[0]
