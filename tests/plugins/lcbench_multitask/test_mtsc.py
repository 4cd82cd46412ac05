from __future__ import annotations

import numpy as np
import pytest
from making import every_pair
from scipy import sparse
from scipy.linalg import orthogonal_procrustes
from sklearn.metrics import adjusted_rand_score as agreement
from sklearn.neighbors import NearestCentroid

import lcbench
from lcbench.contract.hashing import derive_seed
from lcbench.contract.task import Task
from lcbench.errors import UnknownTaskError, UnsuitableTaskError
from lcbench_multitask import dual
from lcbench_multitask import mtsc as module
from lcbench_multitask.mtsc import MTSC, LinearMap
from lcbench_spectral import memory
from lcbench_spectral.embedding import rotation_labels
from lcbench_spectral.stsc import StSC


def tasks(name: str = "topics:documents=60,words=150") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


def subspace(F) -> np.ndarray:
    return F @ F.T


def unit(X) -> np.ndarray:
    X = X.toarray() if sparse.issparse(X) else X
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)


def dense_graph(task: Task) -> np.ndarray:
    return MTSC()._graph(task.X).toarray()


def never_rises(trace) -> bool:
    return bool((np.diff(trace) <= 1e-9 * np.abs(trace[:-1])).all())


@pytest.mark.parametrize(("alpha", "beta", "p"), every_pair([0.01, 1.0, 100.0], [0.0, 0.03, 10.0], [0.25, 1.0, 1.75]))
def test_the_smoothed_objective_never_rises(alpha, beta, p):
    method = MTSC(alpha=alpha, beta=beta, p=p, tol=0.0, max_iter=20)
    method.fit_tasks(tasks())
    assert len(method.objective_trace_) > 2
    assert never_rises(method.objective_trace_)


@pytest.mark.parametrize(("alpha", "iterations"), [(0.7, 1), (0.7, 6), (0.0, 1)])
def test_the_objective_is_the_one_in_the_docstring(alpha, iterations):
    beta, p = 0.2, 1.5
    stream = tasks()
    solution = MTSC(alpha=alpha, beta=beta, p=p, max_iter=iterations).solve(stream)
    value = beta * np.sum((np.sum(np.hstack(solution.W) ** 2, axis=1) + 1e-8) ** (p / 2))
    for task, F, W, b in zip(stream, solution.F, solution.W, solution.b, strict=True):
        value += np.trace(F.T @ (np.eye(len(F)) - dense_graph(task)) @ F)
        value += alpha * np.sum((unit(task.X) @ W + b - F) ** 2)
        np.testing.assert_allclose(F.T @ F, np.eye(task.n_clusters), atol=1e-9)
        np.testing.assert_allclose((unit(task.X) @ W + b).mean(axis=0), F.mean(axis=0), atol=1e-12)
    assert solution.trace[-1] == pytest.approx(value, rel=1e-9)


def test_the_first_iteration_is_the_primal_closed_form():
    task, alpha, beta = tasks()[0], 0.7, 0.2
    solution = MTSC(alpha=alpha, beta=beta, max_iter=1).solve([task])
    X, n = unit(task.X), task.n_samples
    H = np.eye(n) - 1 / n
    inverse = np.linalg.inv(alpha * X.T @ H @ X + beta * np.eye(X.shape[1]))
    N = np.eye(n) - dense_graph(task) + alpha * H - alpha**2 * H @ X @ inverse @ X.T @ H
    F = np.linalg.eigh(N)[1][:, : task.n_clusters]
    np.testing.assert_allclose(np.abs(solution.F[0]), np.abs(F), atol=1e-7)
    np.testing.assert_allclose(solution.W[0], alpha * inverse @ X.T @ H @ solution.F[0], atol=1e-9)


def test_it_ends_at_the_first_relative_change_within_tol():
    whole = np.array(MTSC(alpha=10.0, beta=3.0, tol=0.0).solve(tasks()).trace)
    changes = -np.diff(whole)
    expected = int(np.argmax(changes <= 1e-3 * whole[:-1])) + 2
    assert 2 < expected < int(np.argmax(changes <= 1e-3)) + 2  # another end than that of the absolute change
    np.testing.assert_allclose(MTSC(alpha=10.0, beta=3.0, tol=1e-3).solve(tasks()).trace, whole[:expected])
    assert len(MTSC(p=2.0, tol=0.0).solve(tasks()).trace) == 2  # nothing changes


def test_the_least_beta_is_a_hundred_millionth_of_alpha():
    none, least, more = (MTSC(alpha=0.5, beta=beta).solve(tasks()).trace for beta in (0.0, 0.5e-8, 0.5e-6))
    assert none == least
    assert none[0] != pytest.approx(more[0], rel=1e-7)


@pytest.mark.parametrize("affinity", ["knn", "full"])
def test_without_maps_it_is_stsc(affinity):
    stream = tasks("digits")
    method = MTSC(alpha=0.0, affinity=affinity, random_state=3)
    for task, labels in zip(stream, method.fit_tasks(stream), strict=True):
        np.testing.assert_array_equal(labels, StSC(affinity=affinity, random_state=3).predict(task))
    assert not method.feature_norms_.any()
    assert len(method.objective_trace_) == 1


def test_a_small_weight_of_the_maps_is_near_stsc():
    for task, F in zip(tasks(), MTSC(alpha=1e-9).solve(tasks()).F, strict=True):
        np.testing.assert_allclose(subspace(F), subspace(MTSC(alpha=0.0).solve([task]).F[0]), atol=1e-5)


def test_a_large_beta_leaves_no_map_and_the_centring_alone():
    task, alpha = tasks()[0], 0.5
    solution = MTSC(alpha=alpha, beta=1e9).solve([task])
    assert np.abs(solution.W[0]).max() < 1e-6
    n = task.n_samples
    N = np.eye(n) - dense_graph(task) + alpha * (np.eye(n) - 1 / n)
    F = np.linalg.eigh(N)[1][:, : task.n_clusters]
    np.testing.assert_allclose(subspace(solution.F[0]), subspace(F), atol=1e-6)


def test_p_2_decouples_the_tasks_and_p_1_does_not():
    stream = tasks()
    together = MTSC(p=2.0).solve(stream)
    for task, F, W in zip(stream, together.F, together.W, strict=True):
        alone = MTSC(p=2.0).solve([task])
        np.testing.assert_allclose(subspace(F), subspace(alone.F[0]), atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(W, axis=1), np.linalg.norm(alone.W[0], axis=1), atol=1e-9)
    coupled, alone = MTSC().solve(stream).W[0], MTSC().solve(stream[:1]).W[0]
    assert np.abs(np.linalg.norm(coupled, axis=1) - np.linalg.norm(alone, axis=1)).max() > 1e-3


def test_the_tasks_choose_features_together():
    stream = tasks()
    method = MTSC(beta=0.1)
    method.fit_tasks(stream)
    chosen = method.feature_norms_ > 1e-3
    assert 0 < chosen.sum() < len(chosen) / 2
    for W in MTSC(beta=0.1).solve(stream).W:
        assert np.linalg.norm(W[~chosen]) < 0.01 * np.linalg.norm(W)


@pytest.mark.slow
@pytest.mark.parametrize(("roughness", "unused"), [(np.inf, "ExactDual"), (-1.0, "ApproximateDual")])
def test_iterated_and_dense_eigenvectors_agree(monkeypatch, roughness, unused):
    stream = tasks("topics:documents=200,words=250")[:2]
    dense = MTSC().solve(stream)
    monkeypatch.setattr(module, "DENSE_UP_TO", 0)
    monkeypatch.setattr(dual, "ROUGHNESS", roughness)
    monkeypatch.setattr(dual, unused, None)
    iterated = MTSC().solve(stream)
    assert never_rises(iterated.trace)
    assert iterated.trace == pytest.approx(dense.trace, rel=1e-7)
    for a, b in zip(dense.F, iterated.F, strict=True):
        np.testing.assert_allclose(subspace(a), subspace(b), atol=1e-4)


def test_more_clusters_than_the_iteration_has_room_for_are_found_by_dense_eigenvectors(monkeypatch, make_task):
    monkeypatch.setattr(module, "DENSE_UP_TO", 0)
    monkeypatch.setattr(dual, "leading_ritz", None)
    labelled = make_task("a", k=6, n=60)
    assert agreement(labelled.y, MTSC(n_neighbors=5).partial_fit(labelled.task).labels_) == 1.0


@pytest.mark.parametrize("discretize", ["kmeans", "rotation"])
@pytest.mark.parametrize("normalize_rows", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_samples_are_clustered_through_the_map_of_their_task(make_task, discretize, normalize_rows, kind):
    stream = [make_task(f"task-{k}", seed=k, k=k, n=60) for k in (3, 1, 4, 2)]
    method = MTSC(discretize=discretize, normalize_rows=normalize_rows, max_iter=5)
    for labelled in stream:
        method.partial_fit(Task(labelled.name, kind(labelled.task.X), labelled.task.n_clusters))
    for labelled in stream:
        learned = method.predict(labelled.task)
        np.testing.assert_array_equal(method.predict_samples(kind(labelled.task.X), labelled.name), learned)
        unseen = make_task("unseen", seed=99, k=labelled.task.n_clusters, n=30)
        cluster_of = dict(zip(labelled.y, learned, strict=True))
        found = method.predict_samples(kind(unseen.task.X), labelled.name)
        np.testing.assert_array_equal(found, [cluster_of[y] for y in unseen.y])
        np.testing.assert_array_equal(method.predict_samples(7.0 * unseen.task.X[:1], labelled.name), found[:1])


def test_the_rotation_has_the_seed_of_the_task():
    stream = tasks()
    method = MTSC(discretize="rotation", random_state=3)
    for task, labels, F in zip(stream, method.fit_tasks(stream), method.solve(stream).F, strict=True):
        np.testing.assert_array_equal(labels, rotation_labels(F, 4, seed=derive_seed(3, task.name)))


@pytest.mark.parametrize("rows", ["unit", "plain", "rotated"])
def test_samples_of_tasks_that_are_hard_to_part_follow_the_rule(rows):
    stream = tasks()
    method = MTSC(normalize_rows=rows != "plain", discretize="rotation" if rows == "rotated" else "kmeans")
    solution = method.solve(stream)
    for task, labels, F, W, b in zip(stream, method.fit_tasks(stream), solution.F, solution.W, solution.b, strict=True):
        mapped = unit(task.X) @ W + b
        if rows == "rotated":
            Q = orthogonal_procrustes(unit(F), np.eye(4)[labels])[0]
            expected = (mapped @ Q).argmax(axis=1)
        elif rows == "unit":
            expected = NearestCentroid().fit(unit(F), labels).predict(unit(mapped))
        else:
            expected = NearestCentroid().fit(F, labels).predict(mapped)
        np.testing.assert_array_equal(method.predict_samples(task.X, task.name), expected)


def test_samples_without_a_map_are_refused(make_task):
    task = make_task("a").task
    with pytest.raises(UnknownTaskError, match="no linear map of task 'a'"):
        MTSC().predict_samples(task.X, "a")
    method = MTSC().partial_fit(task)
    with pytest.raises(UnknownTaskError, match=r"no linear map of task 'b'\. There is a\."):
        method.predict_samples(task.X, "b")
    with pytest.raises(UnsuitableTaskError, match="have 5 features, and those of task 'a' have 12"):
        method.predict_samples(task.X[:, :5], "a")
    with pytest.raises(UnknownTaskError, match="With alpha=0 it learns none"):
        MTSC(alpha=0.0).partial_fit(task).predict_samples(task.X, "a")


def test_a_task_that_does_not_fit_in_memory_is_refused_with_the_size_that_would(monkeypatch):
    task = tasks()[0]
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * 50**2)
    with pytest.raises(UnsuitableTaskError, match=r"mtsc .* enough for 50 samples"):
        MTSC().partial_fit(task)
    MTSC(alpha=0.0).partial_fit(task)
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * 60**2)
    MTSC().partial_fit(task)
    MTSC(affinity="binary").partial_fit(task)
    with pytest.raises(UnsuitableTaskError, match="enough for 37 samples"):
        MTSC(affinity="full").partial_fit(task)


def test_features_too_large_for_the_ridge_are_refused(make_task):
    huge = Task("a", 1e9 * make_task("a").task.X, 3)
    with pytest.raises(UnsuitableTaskError, match="set unit_rows, or raise beta"):
        MTSC(unit_rows=False, beta=0.0).partial_fit(huge)


def mapped_samples():
    """An embedding of 60 samples near three axes, of any length, and the map from 9 features that gives it."""
    generator = np.random.default_rng(0)
    labels = np.arange(60) % 3
    turned = np.linalg.qr(generator.standard_normal((3, 3)))[0]
    F = (np.eye(3)[labels] + 0.3 * generator.standard_normal((60, 3))) @ turned * generator.uniform(0.5, 2, (60, 1))
    W = generator.standard_normal((9, 3))
    W[[2, 7]] = 0.0
    b = generator.standard_normal(3)
    X = (F - b) @ np.linalg.pinv(W)
    np.testing.assert_allclose(X @ W + b, F, atol=1e-9)
    return X, W, b, F, labels


@pytest.mark.parametrize("rotate", [True, False])
def test_a_map_keeps_no_zero_rows_and_gives_an_empty_cluster_no_sample(rotate):
    X, W, b, F, labels = mapped_samples()
    learned = LinearMap.learned(W, b, F, labels, rotate=rotate, unit=True)
    np.testing.assert_array_equal(learned.features, [0, 1, 3, 4, 5, 6, 8])
    assert learned.W.shape == (7, 3)
    X[:, [2, 7]] = 99.0
    plain = learned.labels(X)
    assert (plain == labels).mean() > 0.9
    apart = LinearMap.learned(W, b, F, np.where(labels == 1, 4, labels), rotate=rotate, unit=True)
    np.testing.assert_array_equal(apart.labels(X), np.where(plain == 1, 4, plain))
