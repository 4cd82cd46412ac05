from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

import lcbench
from lcbench.contract.task import Task
from lcbench_multitask.coupled_kernels import CoupledKernels
from lcbench_multitask.kernels import DenseKernel, LinearKernel
from lcbench_multitask.partitions import one_hot
from lcbench_spectral.simplex import project_rows


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
        P = project_rows(P - (P @ M.T - stream[1].X) @ M / np.linalg.norm(M, 2) ** 2)
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
    np.testing.assert_allclose(model.P[1], (one_hot(start, 4) + 0.2) / 1.8)
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
