from __future__ import annotations

import numpy as np
import pytest

import lcbench
from lcbench.contract.task import Task
from lcbench_multitask.bregman import CoupledTasks, nearest


def tasks(name: str = "topics:documents=60,words=120,signal=0.3") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


def random_labels(stream, seed=0):
    generator = np.random.default_rng(seed)
    return [generator.permutation(np.arange(t.n_samples) % t.n_clusters) for t in stream]


def coupled_tasks(stream, lam=2.0, divergence="euclidean") -> CoupledTasks:
    return CoupledTasks.of(stream, divergence=divergence, unit_rows=True, lam=lam)


def objective(coupled, M, labels, R) -> float:
    """J of the docstring with R given, written out."""
    local = 0.0
    for p, block, h in zip(coupled.points, coupled.blocks, labels, strict=True):
        local += np.mean([coupled.divergence.distances(p, M[block])[i, h[i]] for i in range(p.n)])
    return local + coupled.weight * np.sum(R * coupled.divergence.between(M))


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
@pytest.mark.parametrize("lam", [0.1, 2.0, 100.0])
def test_centroid_and_label_steps_never_raise_the_objective_while_the_plans_are_fixed(divergence, lam):
    stream = tasks()
    coupled = coupled_tasks(stream, lam, divergence)
    labels = random_labels(stream)
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
def test_no_small_change_of_the_centroids_of_a_task_lowers_the_objective(divergence):
    stream = tasks()
    coupled, labels = coupled_tasks(stream, 3.0, divergence), random_labels(stream)
    M = coupled.means(labels)
    coupling, _ = coupled.couple(M, labels)
    for _ in range(60 if divergence == "kl" else 1):  # KL goes task by task
        M = coupled.centroids(M, labels, coupling)
    least = objective(coupled, M, labels, coupling.R)
    generator = np.random.default_rng(0)
    for _ in range(20):
        moved = M * np.exp(1e-3 * generator.standard_normal(M.shape))
        assert objective(coupled, moved, labels, coupling.R) >= least - 1e-12


def test_the_joint_solve_is_where_task_by_task_updates_go():
    stream = tasks()
    coupled, labels = coupled_tasks(stream, 5.0), random_labels(stream)
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
def test_a_cluster_that_nobody_is_nearest_to_starts_again_from_the_worst_cluster(make_task, divergence):
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
