from __future__ import annotations

import numpy as np
import pytest
from making import every_pair
from scipy import sparse
from sklearn.metrics import adjusted_rand_score as agreement

import lcbench
from lcbench.contract.task import Task
from lcbench.errors import UnknownTaskError, UnsuitableTaskError
from lcbench_spectral import l2sc, products, projections
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.l2sc import L2SC
from lcbench_spectral.scaling import bipartite


def tasks(name: str = "topics:documents=80,words=200") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


def subspace(E) -> np.ndarray:
    return E @ E.T


@pytest.mark.parametrize(
    ("l21", "lam", "mu"), every_pair(["theta_inv", "theta", "sparse"], [0.0, 1.0, 100.0], [0.0, 0.01, 1.0])
)
def test_the_objective_never_falls(l21, lam, mu):
    method = L2SC(l21=l21, lam=lam, mu=mu)
    for task in tasks():
        trace = np.array(method.partial_fit(task).objective_trace_)
        assert len(trace) >= 2
        assert (np.diff(trace) >= -1e-9 * np.abs(trace[:-1])).all()


@pytest.mark.parametrize("single_from", [0, np.inf])
@pytest.mark.parametrize("l21", ["theta_inv", "sparse"])
@pytest.mark.parametrize("condition", [projections.GRAM_CONDITION, 2.0])  # 2: every factor by singular values
def test_large_dense_tasks_get_the_labels_and_objectives_of_small_ones(monkeypatch, single_from, l21, condition):
    monkeypatch.setattr(projections, "GRAM_CONDITION", condition)
    digits = tasks("digits")
    small = L2SC(l21=l21)
    found = [(small.partial_fit(task).labels_, small.objective_trace_) for task in digits]
    monkeypatch.setattr(products, "LARGE", 0)
    monkeypatch.setattr(l2sc, "SINGLE_FROM", single_from)
    large = L2SC(l21=l21)
    for task, (labels, trace) in zip(digits, found, strict=True):
        assert agreement(labels, large.partial_fit(task).labels_) == 1.0
        assert large.objective_trace_ == pytest.approx(trace, rel=1e-5)
    for task in digits:
        assert agreement(small.predict(task), large.predict(task)) == 1.0


def test_the_objective_is_the_one_in_the_docstring():
    first, second = tasks()[:2]
    method = L2SC(encoding="frozen", lam=3.0, mu=0.2)
    method.partial_fit(first)
    method.partial_fit(second)
    library, E = method.library_, method.encodings_[second.name]
    K = method._graph(second.X)
    spectral = np.trace(E.T @ (K @ E)) + np.trace(library.L.T @ library.C @ library.B)
    penalty = 2 / 3 * 0.2 * np.sum(np.linalg.norm(library.L, axis=1) ** 3)
    assert method.objective_trace_[-1] == pytest.approx(spectral / 2 + penalty)


def test_without_the_library_term_the_encoding_spans_stscs_subspace():
    method = L2SC(lam=0.0, encoding="frozen")
    for task in tasks():
        method.partial_fit(task)
        F = leading_eigenvectors(method._graph(task.X), task.n_clusters)
        np.testing.assert_allclose(subspace(method.encodings_[task.name]), subspace(F), atol=1e-6)


def test_with_and_without_the_basis_the_labels_agree(monkeypatch):
    with_basis = L2SC(encoding="frozen")
    without = L2SC(encoding="frozen")
    monkeypatch.setattr(without, "_basis", lambda E, KE, PC, B, library, m: (B, np.eye(len(B))), raising=True)
    for task in tasks("digits"):
        a, b = with_basis.partial_fit(task).labels_, without.partial_fit(task).labels_
        assert agreement(a, b) == 1.0
        np.testing.assert_allclose(
            subspace(with_basis.encodings_[task.name]), subspace(without.encodings_[task.name]), atol=1e-4
        )
    np.testing.assert_allclose(with_basis.library_.L @ with_basis.library_.B.T, without.library_.L, atol=1e-3)


def test_library_and_encodings_are_orthonormal_and_c_is_the_sum_over_tasks():
    method = L2SC(encoding="frozen", lam=2.0)
    total = 0.0
    for task in tasks():
        method.partial_fit(task)
        E = method.encodings_[task.name]
        total = total + 2.0 * (bipartite(task.X).T @ E)
        np.testing.assert_allclose(E.T @ E, np.eye(4), atol=1e-9)
    library = method.library_
    np.testing.assert_allclose(library.L.T @ library.L, np.eye(4), atol=1e-9)
    np.testing.assert_allclose(library.B.T @ library.B, np.eye(4), atol=1e-9)
    np.testing.assert_allclose(library.C, total, atol=1e-9)
    assert library.learned == 4


def test_a_word_absent_from_every_task_has_no_row_in_c():
    padded = [Task(t.name, sparse.hstack([t.X, sparse.csr_array((t.n_samples, 3))]), 4) for t in tasks()]
    method = L2SC()
    for task in padded:
        method.partial_fit(task)
    assert not method.library_.C[-3:].any()


@pytest.mark.parametrize("l21", ["theta_inv", "theta", "sparse"])
def test_the_order_of_features_and_words_of_no_task_change_nothing(l21):
    shuffle = np.random.default_rng(0).permutation(230)
    plain, other = L2SC(l21=l21), L2SC(l21=l21)
    for task in tasks():
        X = sparse.csr_array(sparse.hstack([task.X, sparse.csr_array((task.n_samples, 30))]))
        plain.partial_fit(Task(task.name, X, task.n_clusters))
        other.partial_fit(Task(task.name, X[:, shuffle], task.n_clusters))
        assert (plain.labels_ == other.labels_).all()
    for one, two in ((plain.library_.L, other.library_.L), (plain.library_.C, other.library_.C)):
        np.testing.assert_allclose(one[shuffle], two, atol=1e-8)
        assert not one[200:].any()


def test_frozen_encodings_keep_old_labels_and_current_ones_may_change_them():
    stream = tasks("topics:documents=100,words=300,signal=0.2,relatedness=1")
    frozen, current = L2SC(encoding="frozen"), L2SC()
    first = frozen.partial_fit(stream[0]).labels_
    at_arrival = current.partial_fit(stream[0]).labels_
    for task in stream[1:]:
        frozen.partial_fit(task)
        current.partial_fit(task)
    assert (frozen.predict(stream[0]) == first).all()
    assert agreement(current.predict(stream[0]), at_arrival) < 1.0


def test_the_library_grows_when_a_task_has_more_clusters(make_task):
    method = L2SC()
    for name, k in (("two", 2), ("four", 4), ("three", 3)):
        labelled = make_task(name, k=k, n=60, d=12)
        method.partial_fit(labelled.task)
        assert agreement(labelled.y, method.labels_) == 1.0
    assert method.library_.width == 4
    np.testing.assert_allclose(method.library_.L.T @ method.library_.L, np.eye(4), atol=1e-9)


def test_a_fixed_width_stays_and_k_final_chooses_the_number_of_clusters(make_task):
    task = make_task("a", k=3).task
    assert len(set(L2SC(k=4).partial_fit(task).labels_)) == 3
    method = L2SC(k=4, k_final="library").partial_fit(task)
    assert method.library_.width == 4
    assert len(set(method.labels_)) == 4


def test_the_papers_solver_keeps_the_basis_orthonormal():
    method = L2SC(solver="paper")
    for task in tasks():
        method.partial_fit(task)
    B = method.library_.B
    np.testing.assert_allclose(B.T @ B, np.eye(4), atol=1e-9)


def test_what_it_cannot_do_is_said(make_task):
    task = make_task("a").task
    with pytest.raises(UnknownTaskError, match="no library yet"):
        L2SC().predict(task)
    with pytest.raises(UnsuitableTaskError, match="60 samples, too few for an embedding of 61"):
        L2SC(k=61).partial_fit(task)
    with pytest.raises(UnsuitableTaskError, match="12 features and the library 13 columns"):
        L2SC(k=13).partial_fit(task)
