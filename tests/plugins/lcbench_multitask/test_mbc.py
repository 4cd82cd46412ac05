from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components
from scipy.special import kl_div
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

import lcbench
from lcbench.contract.metric import Contingency
from lcbench.contract.specs import resolve_params
from lcbench.contract.task import Task
from lcbench.errors import ParameterError, UnsuitableTaskError
from lcbench_baselines.kmeans import SingleTaskKMeans
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_multitask.bregman import CoupledTasks
from lcbench_multitask.mbc import MBC
from lcbench_multitask.specs import MBC as SPEC


def agreement(a, b) -> float:
    return AdjustedRandIndex().score(Contingency(a, b))


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


def test_without_coupling_it_is_lloyds_algorithm_from_the_same_start():
    stream = tasks()
    starts = random_labels(stream)
    ours = MBC(lam=0.0, tol=0.0, max_iter=300)._iterate(coupled_tasks(stream, 0.0), starts)
    for task, start, labels in zip(stream, starts, ours, strict=True):
        X = normalize(task.X)
        centres = np.vstack([X[start == c].mean(axis=0) for c in range(task.n_clusters)])
        theirs = KMeans(task.n_clusters, init=np.asarray(centres), n_init=1, tol=0.0, algorithm="lloyd").fit(X)
        np.testing.assert_array_equal(labels, theirs.labels_)


def test_without_coupling_it_is_k_means():
    stream = tasks()
    mbc, alone = MBC(lam=0.0, n_init=10, random_state=3), SingleTaskKMeans(random_state=3)
    for task, labels in zip(stream, mbc.fit_tasks(stream), strict=True):
        np.testing.assert_array_equal(labels, alone.predict(task))


def test_one_task_is_k_means():
    task = tasks()[0]
    expected = SingleTaskKMeans(n_init=1).predict(task)
    np.testing.assert_array_equal(MBC(lam=50.0).partial_fit(task).labels_, expected)


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_endless_coupling_leaves_one_point_per_component_of_the_graph_of_plans(divergence):
    stream = tasks()
    coupled, labels = coupled_tasks(stream, 1e7, divergence), random_labels(stream)
    M = coupled.means(labels)
    coupling, _ = coupled.couple(M, labels)
    for _ in range(200 if divergence == "kl" else 1):
        M = coupled.centroids(M, labels, coupling)
    count, member = connected_components(coupling.R > 0, directed=False)
    for c in range(count):
        np.testing.assert_allclose(M[member == c], np.tile(M[member == c][0], (np.sum(member == c), 1)), atol=1e-5)


def test_identical_tasks_from_starts_equal_up_to_permutation_are_matched_by_a_permutation():
    task = tasks()[0]
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
def test_the_first_value_of_the_trace_is_j_written_out_from_the_samples(divergence, T):
    stream = tasks()[:T]
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


def test_iterations_end_by_the_relative_change_or_when_no_label_changes():
    stream = tasks()
    starts = random_labels(stream)
    for tol in (1e-1, 1e-2, 1e-5):
        method = MBC(tol=tol)
        labels = method._iterate(coupled_tasks(stream), starts)
        trace = np.array(method.objective_trace_)
        changes = np.abs(np.diff(trace)) / trace[:-1]
        assert (changes[:-1] > tol).all()
        before = MBC(tol=0.0, max_iter=len(changes) - 1)._iterate(coupled_tasks(stream), starts)
        same = all((a == b).all() for a, b in zip(before, labels, strict=True))
        assert changes[-1] <= tol or same
    endless = MBC(tol=0.0)
    last = endless._iterate(coupled_tasks(stream, lam=20.0), starts)
    n = len(endless.objective_trace_) - 1
    one, two = (MBC(tol=0.0, max_iter=m)._iterate(coupled_tasks(stream, lam=20.0), starts) for m in (n - 1, n - 2))
    assert all((a == b).all() for a, b in zip(last, one, strict=True))
    assert any((a != b).any() for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_the_scale_of_samples_matters_only_if_they_are_not_scaled_first(divergence):
    stream = tasks()
    factors = np.random.default_rng(0).uniform(0.1, 9.0, (60, 1))
    moved = [Task(t.name, t.X.toarray() * factors, 4) for t in stream]
    for unit_rows, same in ((True, True), (False, False)):
        a, b = (
            MBC(unit_rows=unit_rows, divergence=divergence).partial_fit(s[0]).objective_trace_ for s in (stream, moved)
        )
        assert np.allclose(a[-1], b[-1]) == same


def test_zero_rows_under_kl_go_to_the_first_of_equally_near_clusters_in_either_format(make_task):
    X = np.vstack([make_task("a").task.X, np.zeros((4, 12))])
    for container in (np.asarray, sparse.csr_array):
        points = coupled_tasks([Task("a", container(X), 3)], divergence="kl")
        labels, _, _ = points.assign(points.means([np.arange(64) % 3]))
        assert not labels[0][60:].any()


def test_the_trace_is_the_objective_with_the_best_plans():
    stream = tasks()
    method = MBC(max_iter=1)
    coupled, starts = coupled_tasks(stream), random_labels(stream)
    labels = method._iterate(coupled, starts)
    M = coupled.means(starts)
    before, _ = coupled.couple(M, starts)
    M = coupled.centroids(M, starts, before)
    after, _ = coupled.couple(M, labels)
    expected = [objective(coupled, coupled.means(starts), starts, before.R), objective(coupled, M, labels, after.R)]
    np.testing.assert_allclose(method.objective_trace_, expected)


def test_it_ends_lower_than_where_it_began():
    method = MBC()
    method.fit_tasks(tasks())
    assert 2 <= len(method.objective_trace_) <= 101
    assert method.objective_trace_[-1] < method.objective_trace_[0]


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_far_groups_are_found_in_tasks_with_different_numbers_of_clusters(make_task, divergence):
    stream = [make_task(f"k{k}", k=k, n=60, d=12) for k in (2, 4, 3)]
    method = MBC(n_init=10, lam=0.5, divergence=divergence)
    for labelled in stream:
        method.partial_fit(labelled.task)
    for labelled in stream:
        assert agreement(labelled.y, method.predict(labelled.task)) == 1.0


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_an_empty_cluster_on_the_way_is_filled_again(make_task, divergence):
    labelled = make_task("a")
    stream = [labelled.task, make_task("b", seed=1).task]
    starts = [np.arange(60) % 2, np.arange(60) % 3]  # the third cluster of the first task has nobody
    labels, _ = MBC(lam=0.1, divergence=divergence)._iterate(coupled_tasks(stream, 0.1, divergence), starts)
    assert len(set(labels)) == 3


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_zero_rows_duplicates_and_one_cluster(make_task, divergence):
    labelled = make_task("a")
    zeros = Task("zeros", np.vstack([labelled.task.X, np.zeros((3, 12))]), 3)
    same = Task("same", np.ones((8, 12)), 3)
    one = Task("one", labelled.task.X, 1)
    method = MBC(n_init=10, lam=0.1, divergence=divergence)
    a, b, c = method.fit_tasks([zeros, same, one])
    assert agreement(labelled.y, a[:60]) == 1.0
    assert len(set(b)) == 1
    assert not c.any()
    assert np.isfinite(method.objective_trace_).all()
    assert all(labels.dtype == np.int64 for labels in (a, b, c))


def test_kl_refuses_negative_features():
    with pytest.raises(UnsuitableTaskError, match="use divergence=euclidean, or counts"):
        MBC(divergence="kl").partial_fit(Task("a", np.array([[1.0], [-1.0]]), 1))


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_sparse_and_dense_input_agree(divergence):
    stream = tasks("digits")
    csr = [Task(t.name, sparse.csr_array(t.X), t.n_clusters) for t in stream]
    method = MBC(divergence=divergence)
    for a, b in zip(method.fit_tasks(stream), method.fit_tasks(csr), strict=True):
        np.testing.assert_array_equal(a, b)


def test_from_one_start_neither_the_order_of_samples_nor_of_features_matters():
    stream = tasks()
    starts, generator = random_labels(stream), np.random.default_rng(1)
    shuffles, columns = [generator.permutation(t.n_samples) for t in stream], generator.permutation(120)
    moved = [Task(t.name, t.X[s][:, columns], 4) for t, s in zip(stream, shuffles, strict=True)]
    plain = MBC()._iterate(coupled_tasks(stream), starts)
    permuted = MBC()._iterate(coupled_tasks(moved), [h[s] for h, s in zip(starts, shuffles, strict=True)])
    for a, b, s in zip(plain, permuted, shuffles, strict=True):
        np.testing.assert_array_equal(a[s], b)


def test_the_seed_alone_decides_and_a_pickle_goes_on(make_task):
    stream = [make_task(f"t{s}", seed=s, spread=1.0).task for s in range(3)]
    a, b = MBC(random_state=5), MBC(random_state=5)
    for task in stream[:2]:
        a.partial_fit(task)
        b.partial_fit(task)
    b = pickle.loads(pickle.dumps(b))
    np.testing.assert_array_equal(a.partial_fit(stream[2]).labels_, b.partial_fit(stream[2]).labels_)
    np.testing.assert_array_equal(a.predict(stream[0]), b.predict(stream[0]))


def test_the_registered_parameters_are_the_constructors():
    constructor = inspect.signature(MBC).parameters
    expected = {name: p.default for name, p in constructor.items() if name != "random_state"}
    assert {p.name: p.default for p in SPEC.params} == expected
    assert SPEC.factory == f"{MBC.__module__}:{MBC.__name__}"


@pytest.mark.parametrize(
    "given", [{"lam": -1}, {"divergence": "itakura"}, {"n_init": 0}, {"max_iter": 0}, {"tol": -1e-9}]
)
def test_parameters_outside_their_limits_are_refused(given):
    with pytest.raises(ParameterError, match=f"mbc: {next(iter(given))} takes"):
        resolve_params("mbc", SPEC.params, given)


@pytest.mark.slow
@pytest.mark.usefixtures("webkb")
def test_webkb4_is_within_two_points_of_the_measured_figures():
    results = lcbench.run({"mbc": MBC()}, "webkb4", evaluate="last", order="fixed", repeats=10)
    for metric, expected in (("purity", 75.3), ("nmi", 42.0), ("ri", 73.4)):
        ours = np.mean([100 * run.summary[metric]["average_after_all"]["value"] for run in results])
        assert abs(ours - expected) <= 2.0, metric
