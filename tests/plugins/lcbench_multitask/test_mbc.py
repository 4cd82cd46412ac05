from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components
from scipy.special import kl_div
from sklearn.preprocessing import normalize

from lcbench.contract.task import Task
from lcbench_baselines.kmeans import SingleTaskKMeans
from lcbench_multitask.mbc import MBC


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_endless_coupling_leaves_one_point_per_component_of_the_graph_of_plans(
    divergence, topics, random_labels, coupled_tasks
):
    coupled, labels = coupled_tasks(topics, 1e7, divergence), random_labels(topics)
    M = coupled.means(labels)
    coupling, _ = coupled.couple(M, labels)
    for _ in range(200 if divergence == "kl" else 1):
        M = coupled.centroids(M, labels, coupling)
    count, member = connected_components(coupling.R > 0, directed=False)
    for c in range(count):
        np.testing.assert_allclose(M[member == c], np.tile(M[member == c][0], (np.sum(member == c), 1)), atol=1e-5)


def test_identical_tasks_from_starts_equal_up_to_permutation_are_matched_by_a_permutation(topics, coupled_tasks):
    task = topics[0]
    twin = Task("twin", task.X, task.n_clusters)
    order = np.array([2, 0, 3, 1])
    start = SingleTaskKMeans().predict(task)
    coupled = coupled_tasks([task, twin])
    labels = [start, order[start]]
    R = coupled.couple(coupled.means(labels), labels)[0].R[:4, 4:]
    expected = np.zeros((4, 4))
    expected[np.arange(4), order] = np.bincount(start) / task.n_samples
    np.testing.assert_allclose(R, expected, atol=1e-12)
    a, b = MBC()._iterate(coupled, labels)
    np.testing.assert_array_equal(order[a], b)


def earth_movers(supply, demand, cost) -> float:
    m, n = cost.shape
    rows, columns = np.kron(np.eye(m), np.ones((1, n))), np.kron(np.ones((1, m)), np.eye(n))
    return linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([supply, demand])).fun


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
@pytest.mark.parametrize("T", [1, 2, 4])
def test_the_first_value_of_the_trace_is_j_written_out_from_the_samples(
    divergence, T, topics, random_labels, coupled_tasks
):
    stream = topics[:T]
    labels, lam = random_labels(stream), 3.0
    method = MBC(lam=lam, divergence=divergence, max_iter=1)
    method._iterate(coupled_tasks(stream, lam, divergence), labels)

    def apart(x, m):
        return kl_div(x, m).sum() if divergence == "kl" else np.sum((x - m) ** 2)

    Xs = [normalize(task.X.toarray(), norm="l1" if divergence == "kl" else "l2") for task in stream]
    means = [np.vstack([X[h == c].mean(axis=0) for c in range(4)]) for X, h in zip(Xs, labels, strict=True)]
    shares = [np.bincount(h) / len(h) for h in labels]
    J = sum(
        np.mean([apart(x, m[c]) for x, c in zip(X, h, strict=True)]) for X, m, h in zip(Xs, means, labels, strict=True)
    )
    for t in range(T):
        for s in range(T):
            if s != t:
                cost = np.array([[apart(a, np.maximum(b, 1e-12)) for b in means[s]] for a in means[t]])
                J += lam / (T - 1) * earth_movers(shares[t], shares[s], cost)
    assert method.objective_trace_[0] == pytest.approx(J, rel=1e-9)


def test_iterations_end_by_the_relative_change_or_when_no_label_changes(topics, random_labels, coupled_tasks):
    starts = random_labels(topics)
    for tol in (1e-1, 1e-2, 1e-5):
        method = MBC(tol=tol)
        labels = method._iterate(coupled_tasks(topics), starts)
        trace = np.array(method.objective_trace_)
        changes = np.abs(np.diff(trace)) / trace[:-1]
        assert (changes[:-1] > tol).all()
        before = MBC(tol=0.0, max_iter=len(changes) - 1)._iterate(coupled_tasks(topics), starts)
        same = all((a == b).all() for a, b in zip(before, labels, strict=True))
        assert changes[-1] <= tol or same
    endless = MBC(tol=0.0)
    last = endless._iterate(coupled_tasks(topics, lam=20.0), starts)
    n = len(endless.objective_trace_) - 1
    one, two = (MBC(tol=0.0, max_iter=m)._iterate(coupled_tasks(topics, lam=20.0), starts) for m in (n - 1, n - 2))
    assert all((a == b).all() for a, b in zip(last, one, strict=True))
    assert any((a != b).any() for a, b in zip(one, two, strict=True))


def test_zero_rows_under_kl_go_to_the_first_of_equally_near_clusters_in_either_format(make_task, coupled_tasks):
    X = np.vstack([make_task("a").task.X, np.zeros((4, 12))])
    for container in (np.asarray, sparse.csr_array):
        points = coupled_tasks([Task("a", container(X), 3)], divergence="kl")
        labels, _, _ = points.assign(points.means([np.arange(64) % 3]))
        assert not labels[0][60:].any()


def test_the_trace_is_the_objective_with_the_best_plans(topics, random_labels, coupled_tasks, objective):
    method = MBC(max_iter=1)
    coupled, starts = coupled_tasks(topics), random_labels(topics)
    labels = method._iterate(coupled, starts)
    M = coupled.means(starts)
    before, _ = coupled.couple(M, starts)
    M = coupled.centroids(M, starts, before)
    after, _ = coupled.couple(M, labels)
    expected = [objective(coupled, coupled.means(starts), starts, before.R), objective(coupled, M, labels, after.R)]
    np.testing.assert_allclose(method.objective_trace_, expected)


def test_it_ends_lower_than_where_it_began(topics):
    method = MBC()
    method.fit_tasks(topics)
    assert 2 <= len(method.objective_trace_) <= 101
    assert method.objective_trace_[-1] < method.objective_trace_[0]
