from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score as agreement

import lcbench
from lcbench.contract.task import Task
from lcbench_multitask.lssmtc import LSSMTC, Factors


def tasks(name: str = "topics:documents=60,words=150") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


def random_factors(*, lam: float = 0.6, signed: bool = False, seed: int = 0) -> Factors:
    generator = np.random.default_rng(seed)
    Xs = [generator.random((n, 12)) - (0.5 if signed else 0.0) for n in (30, 20, 25)]
    W = generator.random((12, 3))
    return Factors(Xs, [generator.random((len(X), 4)) for X in Xs], W / np.linalg.norm(W, axis=0), lam)


def sweep(factors: Factors, iterations: int) -> None:
    for _ in range(iterations):
        factors.update_centroids()
        factors.update_partitions()
        factors.update_subspace()


def objective(f: Factors) -> float:
    """The formula of the docstring, with the residuals written out."""
    total = 0.0
    for X, P, Mt in zip(f.Xs, f.Ps, f.Ms, strict=True):
        total += f.lam * np.sum((X.T - Mt @ P.T) ** 2)
        total += (1 - f.lam) * np.sum((f.W.T @ X.T - f.M @ P.T) ** 2)
    return total


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("lam", [0.0, 0.3, 0.75, 1.0])
def test_partition_and_centroid_steps_never_raise_the_objective_at_a_fixed_subspace(signed, lam):
    factors = random_factors(lam=lam, signed=signed)
    factors.update_centroids()
    before = factors.objective()
    for _ in range(30):
        for step in (factors.update_partitions, factors.update_centroids):
            step()
            after = factors.objective()
            assert after == pytest.approx(objective(factors), rel=1e-9)
            assert after <= before + 1e-9 * before
            before = after


@pytest.mark.parametrize("signed", [False, True])
def test_partitions_and_subspace_stay_non_negative_and_columns_of_the_subspace_have_length_one(signed):
    factors = random_factors(signed=signed)
    for _ in range(20):
        sweep(factors, 1)
        assert all((P >= 0).all() and np.isfinite(P).all() for P in factors.Ps)
        assert (factors.W >= 0).all()
        np.testing.assert_allclose(np.linalg.norm(factors.W, axis=0), 1.0)


@pytest.mark.parametrize("signed", [False, True])
def test_the_subspace_step_equals_the_formula_with_the_matrix_of_all_pairs_of_features(signed):
    factors = random_factors(signed=signed)
    factors.update_centroids()
    W, X, P = factors.W, np.vstack(factors.Xs), np.vstack(factors.Ps)
    above, below = np.maximum(X, 0), np.maximum(-X, 0)
    C_plus, C_minus = above.T @ above + below.T @ below, above.T @ below + below.T @ above
    np.testing.assert_allclose(C_plus - C_minus, X.T @ X)
    D = X.T @ P @ factors.M.T
    D_plus, D_minus = np.maximum(D, 0), np.maximum(-D, 0)
    up = C_minus @ W + D_plus + W @ W.T @ (C_plus @ W + D_minus)
    down = C_plus @ W + D_minus + W @ W.T @ (C_minus @ W + D_plus)
    expected = W * np.sqrt(up / down)
    factors.update_subspace()
    np.testing.assert_allclose(factors.W, expected / np.linalg.norm(expected, axis=0), rtol=1e-6)


def semi_nmf(X: np.ndarray, P: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Semi-NMF of one matrix, Xᵀ = M Pᵀ, as in Ding, Li and Jordan."""
    for _ in range(steps):
        M = X.T @ P @ np.linalg.pinv(P.T @ P)
        A, B = X @ M, M.T @ M
        up = (np.abs(A) + A) / 2 + P @ ((np.abs(B) - B) / 2)
        down = (np.abs(A) - A) / 2 + P @ ((np.abs(B) + B) / 2)
        P = P * np.sqrt(up / (down + 1e-9))
    return P, M


def test_with_lam_one_every_task_is_its_own_semi_nmf():
    stream = tasks()
    method = LSSMTC(lam=1.0, tol=0.0, max_iter=25)
    ours = method.fit_tasks(stream)
    total = 0.0
    for task, labels in zip(stream, ours, strict=True):
        X = task.X.toarray()
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        P, M = semi_nmf(X, method._partition_start(sparse.csr_array(X), task, task.n_clusters), 25)
        total += np.sum((X.T - M @ P.T) ** 2)
        np.testing.assert_array_equal(labels, np.argmax(P * np.linalg.norm(M, axis=0), axis=1))
    assert method.objective_trace_[-1] == pytest.approx(total, rel=1e-9)


def test_with_lam_one_other_tasks_do_not_matter_even_if_they_have_more_clusters():
    stream = tasks()
    stream[1] = Task("fewer", stream[1].X, 2)
    together = LSSMTC(lam=1.0, tol=0.0, max_iter=20).fit_tasks(stream)
    for task, labels in zip(stream, together, strict=True):
        np.testing.assert_array_equal(labels, LSSMTC(lam=1.0, tol=0.0, max_iter=20).fit_tasks([task])[0])


def test_the_start_is_kmeans_with_an_offset(make_task):
    labelled = make_task("a")
    P = LSSMTC()._partition_start(labelled.task.X, labelled.task, 5)
    assert P.shape == (60, 5)
    assert set(P[:, :3].ravel()) == {0.2, 1.2}
    assert (P.max(axis=1) == 1.2).all()
    assert not P[:, 3:].any()
    assert agreement(labelled.y, P.argmax(axis=1)) == 1.0


def test_the_authors_start_is_uniform_noise_and_their_labels_the_plain_largest_entries(monkeypatch):
    method = LSSMTC(init="random", max_iter=5)
    stream = tasks()
    start = method._partition_start(stream[0].X, stream[0], 4)
    assert 0 < start.min() < 0.1
    assert 0.9 < start.max() < 1
    assert start.mean() == pytest.approx(0.5, abs=0.1)
    seen = []
    step = Factors.update_subspace
    monkeypatch.setattr(Factors, "update_subspace", lambda self: (seen.append(self), step(self))[1])
    for labels, P in zip(method.fit_tasks(stream), seen[-1].Ps, strict=True):
        np.testing.assert_array_equal(labels, P.argmax(axis=1))
    scaled = [np.argmax(P * scale, axis=1) for P, scale in zip(seen[-1].Ps, seen[-1].column_scales(), strict=True)]
    assert any((a != P.argmax(axis=1)).any() for a, P in zip(scaled, seen[-1].Ps, strict=True))


def test_the_first_subspace_is_half_normal_with_columns_of_length_one_or_the_unit_matrix():
    W = LSSMTC(dimensions=3)._subspace_start(4000)
    np.testing.assert_allclose(np.linalg.norm(W, axis=0), 1.0)
    sizes = np.sort(np.sqrt(4000) * W.ravel())
    assert sizes[0] > 0
    np.testing.assert_allclose(
        sizes[[len(sizes) // 2, int(0.95 * len(sizes))]], [0.674, 1.960], rtol=0.05
    )  # of |N(0, 1)|
    assert not np.array_equal(W, LSSMTC(dimensions=3, random_state=1)._subspace_start(4000))
    np.testing.assert_array_equal(LSSMTC(subspace="eye", dimensions=3)._subspace_start(5), np.eye(5, 3))


def test_a_column_of_a_partition_is_worth_the_lengths_of_its_two_centroids():
    factors = random_factors(lam=0.6)
    factors.update_centroids()
    for Mt, scales in zip(factors.Ms, factors.column_scales(), strict=True):
        stacked = np.vstack([np.sqrt(0.6) * Mt, np.sqrt(0.4) * factors.M])
        np.testing.assert_allclose(scales, np.linalg.norm(stacked, axis=0))


def test_zeros_of_the_unit_start_never_move_and_the_subspace_is_no_wider_than_the_features(make_task):
    task = make_task("a").task
    W = LSSMTC(subspace="eye").partial_fit(task).subspace_
    np.testing.assert_allclose(W, np.eye(12, 2), atol=1e-9)
    assert LSSMTC(dimensions=99).partial_fit(task).subspace_.shape == (12, 12)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_columns_a_task_does_not_need_stay_empty(make_task, init):
    method = LSSMTC(init=init)
    few, many = make_task("two", k=2).task, make_task("four", k=4).task
    starts = [method._partition_start(task.X, task, 4) for task in (few, many)]
    factors = Factors([few.X, many.X], starts, method._subspace_start(12), 0.75)
    sweep(factors, 20)
    weights = (factors.Ps[0] * factors.column_scales()[0]).sum(axis=0)
    assert set(np.argsort(-weights)[:2]) == {0, 1}
    assert not factors.Ps[0][:, 2:].any()
    assert factors.Ps[1].sum(axis=0).min() > 0


def test_a_column_that_dies_on_the_way_does_no_harm():
    factors = random_factors()
    factors.Ps[0][:, 1] = 0.0
    factors._sums[0] = factors.Xs[0].T @ factors.Ps[0]
    sweep(factors, 10)
    assert np.isfinite(factors.objective())
    assert not factors.Ps[0][:, 1].any()
    assert factors.column_scales()[0][1] < factors.column_scales()[0][0]
