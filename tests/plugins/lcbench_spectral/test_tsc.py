from __future__ import annotations

import numpy as np
import pytest
from making import every_pair
from sklearn.metrics import adjusted_rand_score as agreement
from sklearn.preprocessing import normalize

import lcbench
from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_spectral.l2sc import L2SC
from lcbench_spectral.scaling import bipartite, normalise, unit_rows
from lcbench_spectral.stsc import StSC
from lcbench_spectral.tsc import TSC


def tasks(name: str = "topics:documents=80,words=200") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


@pytest.mark.parametrize(
    ("r", "affinity", "solver"), every_pair([0.0, 3.0, 100.0], ["binary", "knn", "full"], ["polar", "author"])
)
def test_the_objective_never_falls(r, solver, affinity):
    method = TSC(r=r, solver=solver, affinity=affinity)
    for task in tasks():
        trace = np.array(method.partial_fit(task).objective_trace_)
        assert len(trace) >= 2
        assert (np.diff(trace) >= -1e-9 * np.abs(trace[:-1])).all()


@pytest.mark.parametrize("solver", ["polar", "author"])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_never_falls_on_graphs_with_the_eigenvalue_minus_one(solver, seed):
    generator = np.random.default_rng(seed)
    Ks, As, Fs = [], [], []
    for n in (12, 16):
        links = np.zeros((n, n))
        links[: n // 2, n // 2 :] = generator.random((n // 2, n // 2))  # two sides, and no edge within a side
        K = normalise(links + links.T)
        assert np.linalg.eigvalsh(K)[0] == pytest.approx(-1.0)
        A = generator.random((n, 6))
        Ks.append(K)
        As.append(A / np.sqrt(np.outer(A.sum(axis=1), A.sum(axis=0))))
        Fs.append(np.linalg.eigh(K)[1][:, :2] if seed % 2 else np.linalg.qr(generator.standard_normal((n, 2)))[0])
    G = np.linalg.qr(generator.standard_normal((6, 2)))[0]
    trace = np.array(TSC(solver=solver, r=0.1, max_iter=60, tol=0.0)._maximise(Ks, As, Fs, G)[2])
    assert len(trace) > 5
    assert (np.diff(trace) >= -1e-9).all()


def test_it_starts_from_eigenvectors_turned_to_the_singular_vectors_of_the_pool():
    stream = tasks()[:3]
    method = TSC(r=2.0, max_iter=1)
    method.fit_tasks(stream)
    As, expected = [], 0.0
    for task in stream:
        X = normalize(task.X.toarray())
        As.append(X / np.sqrt(np.outer(X.sum(axis=1), np.maximum(X.sum(axis=0), 1e-300))))
    pool = np.vstack(As)
    pool = pool / np.sqrt(np.outer(pool.sum(axis=1), np.maximum(pool.sum(axis=0), 1e-300)))
    G = np.linalg.svd(pool)[2][:4].T
    for task, A in zip(stream, As, strict=True):
        values, vectors = np.linalg.eigh(method._graph(task.X).toarray())
        turned = np.linalg.svd(vectors[:, -4:].T @ A @ G, compute_uv=False).sum()  # the best that any rotation gives
        expected += values[-4:].sum() + 2.0 * turned
    assert method.objective_trace_[0] == pytest.approx(expected, rel=1e-8)


def test_the_authors_step_has_length_one():
    gradient = np.random.default_rng(0).random((30, 4))
    step = TSC(solver="author")._step(gradient)
    assert np.linalg.norm(step * gradient) == pytest.approx(1.0)
    assert TSC(solver="polar")._step(gradient) == 0.5
    assert TSC(solver="author")._step(gradient / 100) == 0.5  # a longer one might lead down


@pytest.mark.parametrize("solver", ["polar", "author"])
def test_an_iteration_is_a_step_along_the_gradient_and_back_to_orthonormal_columns(solver):
    generator = np.random.default_rng(0)
    W = generator.random((20, 20))
    K, A = normalise(W + W.T), generator.random((20, 8))
    F, G = (np.linalg.qr(generator.standard_normal((m, 3)))[0] for m in (20, 8))
    gradient = 2.0 * K @ F + 3.0 * A @ G
    assert np.linalg.norm(gradient) > 2
    left, _, right = np.linalg.svd(F + gradient * (0.5 if solver == "polar" else 1 / np.linalg.norm(gradient)))
    found, features, _ = TSC(solver=solver, max_iter=1)._maximise([K], [A], [F], G)
    np.testing.assert_allclose(found[0], left[:, :3] @ right, atol=1e-9)
    left, _, right = np.linalg.svd(A.T @ found[0])
    np.testing.assert_allclose(features, left[:, :3] @ right, atol=1e-9)


def test_the_objective_is_the_one_in_the_docstring_and_all_factors_are_orthonormal(monkeypatch):
    embedded = {}
    monkeypatch.setattr(TSC, "_partition", lambda self, F, k, name: embedded.setdefault(name, F))
    stream = tasks()[:3]
    method = TSC(r=2.0)
    method.fit_tasks(stream)
    G, value = method.features_, 0.0
    np.testing.assert_allclose(G.T @ G, np.eye(4), atol=1e-9)
    for task in stream:
        F = embedded[task.name]
        np.testing.assert_allclose(F.T @ F, np.eye(4), atol=1e-9)
        X = task.X.toarray()
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
        rows, columns = X.sum(axis=1), X.sum(axis=0)
        columns[columns == 0] = 1.0
        A = X / np.sqrt(np.outer(rows, columns))
        value += np.trace(F.T @ (method._graph(task.X) @ F)) + 2.0 * np.trace(F.T @ A @ G)
    assert method.objective_trace_[-1] == pytest.approx(value)


def test_no_small_turn_of_any_factor_raises_the_objective_at_the_end(monkeypatch):
    embedded = {}
    monkeypatch.setattr(TSC, "_partition", lambda self, F, k, name: embedded.setdefault(name, F))
    stream = tasks()[:2]
    method = TSC(tol=0.0, max_iter=3000)
    method.fit_tasks(stream)
    G = method.features_
    pull = np.zeros_like(G)
    for task in stream:
        F, A = embedded[task.name], bipartite(unit_rows(task.X))
        gradient = 2.0 * (method._graph(task.X) @ F) + method.r * (A @ G)
        tangent = gradient - F @ (F.T @ gradient + gradient.T @ F) / 2.0
        assert np.abs(tangent).max() < 1e-4
        pull += A.T @ F
    np.testing.assert_allclose(G @ (G.T @ pull), pull, atol=1e-4)
    np.testing.assert_allclose(G.T @ pull, pull.T @ G, atol=1e-4)


@pytest.mark.parametrize("affinity", ["binary", "knn"])
def test_without_shared_features_every_task_is_stscs(affinity):
    stream = tasks("topics:documents=100,words=300")
    method = TSC(r=0.0, affinity=affinity)
    for task in stream:
        method.partial_fit(task)
    for task in stream:
        alone = StSC(affinity=affinity, n_neighbors=27).predict(task)
        assert agreement(method.predict(task), alone) == 1.0


def test_both_solvers_reach_the_same_value():
    stream = tasks()
    values = []
    for solver in ("polar", "author"):
        method = TSC(solver=solver, tol=1e-12, max_iter=5000)
        method.fit_tasks(stream)
        values.append(method.objective_trace_[-1])
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_one_task_is_l2sc_without_its_extra_term():
    task = tasks()[0]
    options = {"affinity": "binary", "n_neighbors": 27, "tol": 1e-12, "max_iter": 3000}
    ours = TSC(r=1.0, unit_rows=False, **options).partial_fit(task)
    theirs = L2SC(lam=1.0, mu=0.0, **options).partial_fit(task)
    assert ours.objective_trace_[-1] == pytest.approx(theirs.objective_trace_[-1], rel=1e-5)


def test_related_tasks_help_each_other():
    ours, alone = [], []
    for seed in range(3):
        stream = lcbench.load_stream(f"topics:relatedness=1,documents=60,signal=0.25,seed={seed}").tasks()
        method = TSC()
        for labelled in stream:
            method.partial_fit(labelled.task)
        ours += [agreement(t.y, method.predict(t.task)) for t in stream]
        alone += [agreement(t.y, StSC(affinity="binary", n_neighbors=27).predict(t.task)) for t in stream]
    assert np.mean(ours) > np.mean(alone)


def test_what_it_cannot_do_is_said(make_task):
    task = make_task("a", k=4).task
    with pytest.raises(UnsuitableTaskError, match=r"in 4 dimensions.*task 'few' has 3 samples"):
        TSC().partial_fit(task).partial_fit(Task("few", task.X[:3], 2))
    with pytest.raises(UnsuitableTaskError, match="task 'narrow' has 2 features"):
        TSC().partial_fit(Task("narrow", task.X[:, :2], 4))


@pytest.mark.parametrize("n", [4, 27, 28])
def test_tasks_smaller_than_the_number_of_neighbours_are_clustered(n):
    generator = np.random.default_rng(n)
    method = TSC()
    for name in ("a", "b"):
        task = Task(name, generator.random((n, 30)), 4)
        assert sorted(set(method.partial_fit(task).labels_)) == [0, 1, 2, 3]
