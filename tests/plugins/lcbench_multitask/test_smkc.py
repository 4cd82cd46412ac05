from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

import lcbench
from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_multitask import smkc as module
from lcbench_multitask.bregman import CoupledTasks
from lcbench_multitask.kernels import DenseKernel, LinearKernel, kernel_kmeans, kernel_lloyd, kernel_loss
from lcbench_multitask.smkc import SMKC, CoupledKernels
from lcbench_spectral import memory, neighbours
from lcbench_spectral.projections import simplex_rows


def tasks(name: str = "topics:documents=60,words=120,signal=0.3") -> list[Task]:
    """Dense tasks of unit rows."""
    found = []
    for labelled in lcbench.load_stream(name).tasks():
        X = labelled.task.X.toarray() if sparse.issparse(labelled.task.X) else labelled.task.X
        found.append(Task(labelled.name, X / np.linalg.norm(X, axis=1, keepdims=True), labelled.task.n_clusters))
    return found


def random_labels(stream, seed=0):
    generator = np.random.default_rng(seed)
    return [generator.permutation(np.arange(t.n_samples) % t.n_clusters) for t in stream]


def started(stream, *, kernel=LinearKernel, lam=0.5, hard=False, seed=0) -> CoupledKernels:
    X = np.vstack([task.X for task in stream])
    sizes = [task.n_clusters for task in stream]
    return CoupledKernels.start(kernel(X), random_labels(stream, seed), sizes, lam=lam, hard=hard)


def gauss_seidel_mbc(stream, starts, *, lam, iterations):
    """MBC with squared Euclidean distance and centroids updated task by task, apart from the plans written out."""
    coupled = CoupledTasks.of(stream, divergence="euclidean", unit_rows=False, lam=lam)
    labels, M, w = list(starts), coupled.means(starts), 2 * coupled.weight
    for _ in range(iterations):
        R = coupled.couple(M, labels)[0].R
        for t, (task, block) in enumerate(zip(stream, coupled.blocks, strict=True)):
            members = np.eye(task.n_clusters)[labels[t]]
            weights = members.mean(axis=0) + w * R[block].sum(axis=1)
            M[block] = (members.T @ task.X / task.n_samples + w * R[block] @ M) / weights[:, None]
            labels[t] = np.argmin(((task.X[:, None, :] - M[block][None]) ** 2).sum(axis=2), axis=1)
    return labels


@pytest.mark.parametrize("seed", range(4))
def test_hard_memberships_and_a_linear_kernel_give_mbcs_labels(seed):
    stream = tasks()
    starts = random_labels(stream, seed)
    method = SMKC(partition="hard", kernel="linear", smart=False, lam=2.0, max_iter=15, tol=0.0)
    X = np.vstack([task.X for task in stream])
    ours = method._iterate(LinearKernel(X), starts, [4] * len(stream))
    np.testing.assert_equal(ours, gauss_seidel_mbc(stream, starts, lam=2.0, iterations=15))


@pytest.mark.parametrize("smart", [True, False])
def test_without_coupling_every_task_is_clustered_as_if_alone(smart):
    stream = tasks()
    options = {"lam": 0.0, "smart": smart, "tol": 0.0, "max_iter": 20, "random_state": 1}
    together = SMKC(**options).fit_tasks(stream)
    for task, labels in zip(stream, together, strict=True):
        np.testing.assert_array_equal(labels, SMKC(**options).fit_tasks([task])[0])


def test_the_kernel_matrix_and_its_factors_give_the_same_labels(monkeypatch):
    stream = tasks()
    factored = SMKC().fit_tasks(stream)
    monkeypatch.setattr(module, "LinearKernel", lambda X: DenseKernel(X @ X.T))
    np.testing.assert_equal(factored, SMKC().fit_tasks(stream))


def test_being_smart_keeps_for_every_task_what_loses_less_and_that_is_now_the_one_now_the_other():
    stream, helped, fell_back = tasks("topics:documents=40,words=80,signal=0.2,relatedness=0.5"), 0, 0
    n_init = 2
    for seed in range(2):
        plain = SMKC(smart=False, n_init=n_init, random_state=seed).fit_tasks(stream)
        smart = SMKC(n_init=n_init, random_state=seed).fit_tasks(stream)
        for task, a, b in zip(stream, plain, smart, strict=True):
            kernel = LinearKernel(task.X)
            alone = kernel_kmeans(kernel, 4, n_init=n_init, seed=module.derive_seed(seed, task.name))
            np.testing.assert_array_equal(kernel_lloyd(kernel, alone, 4), alone)
            coupled_is_better = kernel_loss(kernel, a, 4) <= kernel_loss(kernel, alone, 4)
            np.testing.assert_array_equal(b, a if coupled_is_better else alone)
            helped += coupled_is_better and not (a == alone).all()
            fell_back += not coupled_is_better and not (a == alone).all()
    assert helped > 0
    assert fell_back > 0


def test_the_lengths_of_samples_do_not_matter_to_cosines():
    task = tasks()[0]
    moved = Task(task.name, task.X * np.random.default_rng(0).uniform(0.1, 9.0, (60, 1)), 4)
    first, second = (SMKC(unit_rows=False).partial_fit(one).objective_trace_[0] for one in (task, moved))
    assert first == pytest.approx(second)


def test_the_objective_falls_and_the_iterations_end():
    method = SMKC()
    method.fit_tasks(tasks())
    assert 2 <= len(method.objective_trace_) <= 101
    assert method.objective_trace_[-1] < method.objective_trace_[0]


@pytest.mark.parametrize("hard", [False, True])
def test_an_empty_cluster_on_the_way_gets_the_zero_centroid(hard):
    stream = tasks()
    model = started(stream, hard=hard)
    model.P[0][:, 2] = 0.0
    model.P[0] /= np.maximum(model.P[0].sum(axis=1, keepdims=True), 1e-12)
    R, _ = model.couple()
    model.update_centroids(0, R)
    np.testing.assert_allclose(model.A[:, 2], 0.0, atol=1e-12)
    model.update_memberships(0, hard=hard)
    assert np.isfinite(model.P[0]).all()
    assert np.isfinite(model.loss())


def test_feature_order_does_not_matter_nor_from_one_start_that_of_the_samples():
    stream = tasks()
    generator = np.random.default_rng(1)
    shuffles, columns = [generator.permutation(t.n_samples) for t in stream], generator.permutation(120)
    for a, b in zip(
        SMKC().fit_tasks(stream), SMKC().fit_tasks([Task(t.name, t.X[:, columns], 4) for t in stream]), strict=True
    ):
        np.testing.assert_array_equal(a, b)
    starts = random_labels(stream)
    plain = SMKC()._iterate(LinearKernel(np.vstack([t.X for t in stream])), starts, [4] * 4)
    moved = LinearKernel(np.vstack([t.X[s] for t, s in zip(stream, shuffles, strict=True)]))
    permuted = SMKC()._iterate(moved, [h[s] for h, s in zip(starts, shuffles, strict=True)], [4] * 4)
    for a, b, s in zip(plain, permuted, shuffles, strict=True):
        np.testing.assert_array_equal(a[s], b)


def test_a_matrix_that_would_not_fit_is_refused_before_it_is_made(make_task, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * 100**2)
    monkeypatch.setattr(DenseKernel, "gaussian", None)
    stream = [make_task("a").task, make_task("b").task]
    message = r"the 120 seen with task 'b' need 0\.0 GB .* enough for 100 samples: use kernel=cosine"
    with pytest.raises(UnsuitableTaskError, match=message):
        SMKC(kernel="gaussian").fit_tasks(stream)
    assert len(SMKC().fit_tasks(stream)) == 2


def test_the_memory_that_is_asked_for_beforehand_is_enough_and_cosine_needs_no_matrix_of_pairs(monkeypatch):
    n = 600
    monkeypatch.setattr(neighbours, "CHUNK_BYTES", n * 80)  # ten rows at a time, as when n is large
    stream = [Task(str(t), np.random.default_rng(t).random((n // 2, 5)), 3) for t in range(2)]
    peaks = {}
    for kernel in ("gaussian", "cosine"):
        tracemalloc.start()
        SMKC(kernel=kernel).fit_tasks(stream)
        peaks[kernel] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert 8 * n**2 < peaks["gaussian"] < module.GAUSSIAN_BYTES_PER_PAIR * n**2
    assert peaks["cosine"] < 2 * n**2


def objective(model, R) -> float:
    """J with R given, written out from the kernel matrix and A."""
    n = len(model.A)
    K = model.kernel.times(np.eye(n))
    value = 0.0
    for rows, columns, P in zip(model.rows, model.columns, model.P, strict=True):
        residual = -model.A[:, columns] @ P.T
        residual[rows] += np.eye(len(P))
        value += np.trace(residual.T @ K @ residual) / len(P)
    for k in range(len(R)):
        for other in range(len(R)):
            difference = model.A[:, k] - model.A[:, other]
            value += model.weight / 2 * R[k, other] * (difference @ K @ difference)
    return value


@pytest.mark.parametrize("kernel", [LinearKernel, DenseKernel.gaussian])
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("lam", [0.1, 0.5, 50.0])
def test_centroid_and_membership_steps_never_raise_the_objective_while_the_plans_are_fixed(kernel, hard, lam):
    model = started(tasks("topics:documents=30,words=60,tasks=3,signal=0.3"), kernel=kernel, lam=lam, hard=hard)
    for _ in range(3):
        R, penalty = model.couple()
        last = objective(model, R)
        assert last == pytest.approx(model.loss() + penalty)
        for t in range(len(model.P)):
            model.update_centroids(t, R)
            after_centroids = objective(model, R)
            model.update_memberships(t, hard=hard)
            after_memberships = objective(model, R)
            assert last >= after_centroids - 1e-10
            assert after_centroids >= after_memberships - 1e-10
            last = after_memberships


def test_memberships_stay_in_the_simplex_and_ka_follows_a():
    model = started(tasks())
    for _ in range(5):
        R, _ = model.couple()
        for t in range(len(model.P)):
            model.update_centroids(t, R)
            model.update_memberships(t, hard=False)
    for P in model.P:
        assert (P >= 0).all()
        np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.KA, model.kernel.times(model.A), atol=1e-10)


def test_memberships_take_five_projected_gradient_steps():
    stream = tasks("topics:documents=30,words=60,tasks=2,signal=0.3")
    model = started(stream, lam=2.0)
    M = np.vstack([task.X for task in stream]).T @ model.A[:, model.columns[1]]
    P = model.P[1]
    for _ in range(5):
        P = simplex_rows(P - (P @ M.T - stream[1].X) @ M / np.linalg.norm(M, 2) ** 2)
    model.update_memberships(1, hard=False)
    np.testing.assert_allclose(model.P[1], P, atol=1e-10)


def test_membership_steps_lead_to_the_best_point_of_the_simplex_for_every_sample():
    stream = tasks("topics:documents=30,words=60,tasks=2,signal=0.3")
    model = started(stream)
    for _ in range(400):
        model.update_memberships(0, hard=False)
    centroids = np.vstack([task.X for task in stream]).T @ model.A[:, model.columns[0]]
    rigid = 1e4 * np.ones((1, centroids.shape[1]))  # non-negative least squares, with the sum pinned to 1
    for x, memberships in zip(stream[0].X, model.P[0], strict=True):
        best, _ = nnls(np.vstack([centroids, rigid]), np.append(x, 1e4))
        np.testing.assert_allclose(memberships, best, atol=1e-4)


def test_the_start_is_softened_and_has_the_least_squares_centroids():
    stream = tasks()
    model = started(stream)
    start = random_labels(stream)[1]
    np.testing.assert_allclose(model.P[1], (np.eye(4)[start] + 0.2) / 1.8)
    X = np.vstack([task.X for task in stream])
    expected = np.linalg.lstsq(model.P[1], stream[1].X, rcond=None)[0]
    np.testing.assert_allclose((X.T @ model.A[:, model.columns[1]]).T, expected, atol=1e-10)


def test_with_a_linear_kernel_the_centroids_are_those_of_the_explicit_formula():
    stream = tasks()
    model = started(stream, lam=3.0)
    X = np.vstack([task.X for task in stream])
    R, _ = model.couple()
    M = X.T @ model.A
    for t, task in enumerate(stream):
        P, columns = model.P[t], model.columns[t]
        pull = model.weight * R[columns]
        system = P.T @ P / task.n_samples + np.diag(pull.sum(axis=1))
        M[:, columns] = np.linalg.solve(system, (task.X.T @ P / task.n_samples + M @ pull.T).T).T
        model.update_centroids(t, R)
        np.testing.assert_allclose(X.T @ model.A, M, atol=1e-10)
