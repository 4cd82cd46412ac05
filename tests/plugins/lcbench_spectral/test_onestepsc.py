from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score as agreement
from sklearn.metrics.pairwise import euclidean_distances

import lcbench
from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_spectral import memory, neighbours, onestepsc
from lcbench_spectral.onestepsc import Model, OnestepSC, neighbour_affinity
from lcbench_spectral.scaling import unit_rows


def hard_task(seed: int = 0) -> Task:
    return lcbench.load_stream(f"topics:documents=70,words=120,signal=0.3,seed={seed}").tasks()[0].task


def model(task: Task, **changes) -> Model:
    options = {"alpha": 1.0, "beta": 0.1, "gamma": 0.1, "n_neighbors": 30, **changes}
    return Model(unit_rows(task.X), task.n_clusters, **options)


def iterate(m: Model) -> None:
    """One iteration of the method."""
    for step in (m.update_affinity, m.update_similarity, m.update_transformation, m.update_embedding):
        step()


def dense(X) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else X


def objective(m: Model) -> float:
    """The formula of the docstring with sums over all pairs and nothing clever."""
    X, W, n = dense(m.X), m.W, len(m.S)
    F = np.sqrt(m.c / n) * m.F / np.linalg.norm(m.F, axis=1, keepdims=True)
    pairs = 0.5 * euclidean_distances(X, squared=True) * m.A
    pairs += m.beta * 0.5 * euclidean_distances(X @ W, squared=True) * m.S
    pairs += m.rho * euclidean_distances(F, squared=True) * m.S
    row_norms = np.sqrt(np.sum(W**2, axis=1) + onestepsc.SMOOTHING).sum()
    return pairs.sum() + m.g * np.sum(m.A**2) + m.alpha * np.sum((m.S - m.A) ** 2) + m.gamma * row_norms


@pytest.mark.parametrize("settings", [{}, {"alpha": 0.2}, {"beta": 5.0, "gamma": 2.0}, {"n_neighbors": 5}])
def test_no_step_raises_the_objective_at_fixed_f_and_rho(settings):
    m = model(hard_task(), **settings)
    for _ in range(5):
        before = m.objective()
        for step in (m.update_affinity, m.update_similarity, m.update_transformation):
            step()
            after = m.objective()
            assert after <= before + 1e-9 * abs(before)
            before = after
        m.update_embedding()


def test_the_objective_is_the_one_in_the_docstring():
    m = model(hard_task(), beta=0.7)
    for _ in range(3):
        assert m.objective() == pytest.approx(objective(m), rel=1e-9)
        iterate(m)


def test_affinity_and_similarity_are_minimisers_over_the_simplex():
    m = model(hard_task())
    generator = np.random.default_rng(0)
    for name, step in (("A", m.update_affinity), ("S", m.update_similarity)):
        step()
        best, found = objective(m), getattr(m, name)
        for _ in range(20):
            other = generator.dirichlet(np.full(len(found), 0.05), size=len(found))
            np.fill_diagonal(other, 0.0)
            other /= other.sum(axis=1, keepdims=True)
            setattr(m, name, 0.99 * found + 0.01 * other)
            if name == "S":
                m._connect()
            assert objective(m) > best
        setattr(m, name, found)


def test_rows_of_both_graphs_sum_to_one_and_no_sample_is_its_own_neighbour():
    m = model(hard_task())
    for _ in range(4):
        for graph in (m.A, m.S):
            assert (graph >= 0).all()
            np.testing.assert_allclose(graph.sum(axis=1), 1.0, atol=1e-12)
            assert not np.diag(graph).any()
        iterate(m)


def test_no_sample_is_its_own_neighbour_however_far_the_others_are():
    generator = np.random.default_rng(0)
    outlier = Task("a", np.vstack([generator.random((60, 3)), [[1e9, 0.0, 0.0]]]), 2)
    far = Model(outlier.X, 2, alpha=1.0, beta=0.1, gamma=0.1, n_neighbors=30)
    faint = model(hard_task(), alpha=1e-9)
    for m in (far, faint):
        for _ in range(5):
            iterate(m)
            assert not np.diag(m.A).any()
            assert not np.diag(m.S).any()


@pytest.mark.parametrize("container", [dense, sparse.csr_array])
def test_the_transformed_samples_are_orthonormal(container):
    task = hard_task()
    m = model(Task("a", container(task.X), task.n_clusters))
    for _ in range(3):
        Y = (dense(m.X) - dense(m.X).mean(axis=0)) @ m.W
        np.testing.assert_allclose(Y.T @ Y, np.eye(m.c), atol=1e-9)
        m.update_similarity()
        m.update_transformation()


@pytest.mark.parametrize(("words", "beta"), [(120, 0.1), (120, 20.0), (14, 0.1)])
def test_the_transformation_is_the_exact_one_of_the_dense_formula(monkeypatch, words, beta):
    m = model(lcbench.load_stream(f"topics:documents=70,words={words}").tasks()[0].task, beta=beta)
    m.update_similarity()
    monkeypatch.setattr(onestepsc, "W_STEPS", 1)
    Xc = dense(m.X) - dense(m.X).mean(axis=0)
    p = 2.0 * np.sqrt(np.sum(m.W**2, axis=1) + onestepsc.SMOOTHING) / m.gamma
    values, U = np.linalg.eigh((Xc * p) @ Xc.T)
    U, values = U[:, values > 1e-10 * values.max()], values[values > 1e-10 * values.max()]
    inner = beta * U.T @ (m._laplacian @ U) + np.diag(1.0 / values)
    Z = eigh(inner, subset_by_index=(0, m.c - 1))[1]
    expected = p[:, None] * (Xc.T @ (U @ (Z / values[:, None])))
    m.update_transformation()
    np.testing.assert_allclose(m.W @ m.W.T, expected @ expected.T, atol=1e-5 * np.abs(expected @ expected.T).max())


def test_the_transformation_takes_two_steps_and_they_lower_the_objective(monkeypatch):
    both, single = model(hard_task()), model(hard_task())
    before = both.objective()
    both.update_transformation()
    assert both.objective() < before
    monkeypatch.setattr(onestepsc, "W_STEPS", 1)
    for _ in range(2):
        single.update_transformation()
    np.testing.assert_allclose(both.W, single.W, atol=1e-9)


def test_the_first_graph_is_that_of_adaptive_neighbours():
    distances = np.array([[0.0, 1, 2, 4], [1, 0, 3, 6], [2, 3, 0, 3], [4, 6, 3, 0]])
    A, g = neighbour_affinity(distances, 2)
    expected = [[0, 3 / 5, 2 / 5, 0], [5 / 8, 0, 3 / 8, 0], [1, 0, 0, 0], [2 / 5, 0, 3 / 5, 0]]
    np.testing.assert_allclose(A, expected)
    assert g == pytest.approx((5 + 8 + 1 + 5) / 16)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("beta", [0.0, 0.1])
def test_far_blobs_are_the_components_of_the_graph_and_no_kmeans_is_run(make_task, monkeypatch, k, beta):
    monkeypatch.setattr(onestepsc, "embed_labels", None)
    labelled = make_task("a", k=k, n=80)
    method = OnestepSC(beta=beta).partial_fit(labelled.task)
    assert method.converged_ is True
    assert agreement(labelled.y, method.labels_) == 1.0
    assert len(set(method.labels_)) == k


def test_labels_are_the_components_of_s():
    task = hard_task()
    method = OnestepSC().partial_fit(task)
    m = model(task)
    for _ in method.objective_trace_:
        iterate(m)
    assert method.converged_
    count, member = connected_components(m.S + m.S.T, directed=False)
    assert count == task.n_clusters
    assert agreement(member, method.labels_) == 1.0


def test_without_convergence_kmeans_labels_are_given_and_said():
    task = hard_task()
    method = OnestepSC(max_iter=1).partial_fit(task)
    assert method.converged_ is False
    assert len(method.objective_trace_) == 1
    assert set(method.labels_) == set(range(task.n_clusters))


def test_rho_starts_at_g_and_doubles_while_there_are_too_few_components():
    m = model(hard_task())
    assert m.rho == m.g > 0
    assert m.components < m.c
    F = m.F
    m.update_similarity()
    assert m.components < m.c
    m.update_embedding()
    assert m.rho == 2 * m.g
    laplacian = m._laplacian.toarray()
    assert np.trace(m.F.T @ laplacian @ m.F) == pytest.approx(eigh(laplacian, eigvals_only=True)[: m.c].sum())
    assert not np.allclose(m.F @ m.F.T, F @ F.T)


def test_where_neighbours_are_copies_rho_does_not_stay_zero():
    m = model(Task("copies", np.repeat(np.eye(3), 40, axis=0), 3))
    assert m.g == 0
    assert m.rho == 1


def test_too_many_components_halve_rho(make_task):
    m = model(Task("a", make_task("a", k=4, n=160, spread=0.01).task.X, 2))
    m.F = np.eye(4)[np.arange(160) % 4][:, :2]  # the rows of two blobs are zero
    m.update_similarity()
    assert m.components == 4
    rho, F = m.rho, m.F
    m.update_embedding()
    assert m.rho == rho / 2
    assert m.F is F


def test_a_common_scale_of_all_samples_changes_nothing(make_task):
    task = make_task("a", spread=0.4).task
    raw = OnestepSC(unit_rows=False)
    assert agreement(raw.predict(task), raw.predict(Task("a", 50.0 * task.X, 3))) == 1.0


def test_all_clusters_and_tiny_tasks(make_task):
    X = make_task("a").task.X
    assert sorted(OnestepSC().predict(Task("a", X[:5], 5))) == [0, 1, 2, 3, 4]
    assert OnestepSC().partial_fit(Task("a", X[:2], 2)).converged_
    for n, k in [(3, 2), (4, 2), (4, 3), (5, 2), (5, 4), (8, 2), (8, 7)]:
        labels = OnestepSC().predict(Task("a", X[:n], k))
        assert labels.shape == (n,)
        assert labels.max() < k


def test_equal_rows_and_samples_of_one_feature():
    copies = np.repeat(np.eye(3), 40, axis=0)
    assert agreement(np.repeat(np.arange(3), 40), OnestepSC().predict(Task("copies", copies, 3))) == 1.0
    assert OnestepSC().predict(Task("same", np.ones((50, 4)), 2)).shape == (50,)
    assert OnestepSC().predict(Task("line", np.arange(1.0, 31.0)[:, None], 3)).shape == (30,)
    assert OnestepSC(unit_rows=False).predict(Task("line", np.arange(30.0)[:, None], 3)).shape == (30,)


def test_a_task_that_does_not_fit_is_refused_before_anything_is_made(make_task, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: onestepsc.BYTES_PER_PAIR * 40**2)
    monkeypatch.setattr(onestepsc, "Model", None)
    with pytest.raises(UnsuitableTaskError, match=r"onestepsc compares all pairs .* enough for 40 samples"):
        OnestepSC().partial_fit(make_task("a").task)


def test_the_memory_that_is_asked_for_beforehand_is_enough_even_for_a_dense_graph(monkeypatch):
    n = 500
    for module in (neighbours, onestepsc):
        monkeypatch.setattr(module, "CHUNK_BYTES", n * 80)  # ten rows at a time, as when n is large
    task = Task("a", np.random.default_rng(0).random((n, 5)), 3)
    tracemalloc.start()
    OnestepSC(max_iter=3, n_neighbors=n).predict(task)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 50 * n**2 < peak < onestepsc.BYTES_PER_PAIR * n**2
