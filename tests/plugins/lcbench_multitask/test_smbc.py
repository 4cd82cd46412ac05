from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from scipy import sparse

import lcbench
from lcbench.contract.metric import Contingency
from lcbench.contract.specs import resolve_params
from lcbench.contract.task import Task
from lcbench.errors import ParameterError
from lcbench_baselines.kmeans import SingleTaskKMeans
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_multitask.bregman import CoupledTasks
from lcbench_multitask.mbc import MBC
from lcbench_multitask.smbc import SMBC
from lcbench_multitask.specs import SMBC as SPEC


def agreement(a, b) -> float:
    return AdjustedRandIndex().score(Contingency(a, b))


def tasks(name: str = "topics:documents=60,words=120,signal=0.3") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


def random_labels(stream, seed=0):
    generator = np.random.default_rng(seed)
    return [generator.permutation(np.arange(t.n_samples) % t.n_clusters) for t in stream]


def coupled_tasks(stream, lam=0.5, divergence="euclidean") -> CoupledTasks:
    return CoupledTasks.of(stream, divergence=divergence, unit_rows=True, lam=lam)


def local_loss(X, labels) -> float:
    """The mean squared distance of unit rows from the mean of their cluster, written out."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)
    return sum(np.sum((X[labels == c] - X[labels == c].mean(axis=0)) ** 2) for c in set(labels)) / len(X)


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
@pytest.mark.parametrize("lam", [0.1, 0.5, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_total_local_loss_never_rises(divergence, lam, seed):
    stream = tasks()
    method = SMBC(lam=lam, divergence=divergence, tol=0.0, max_iter=20)
    method._iterate(coupled_tasks(stream, lam, divergence), random_labels(stream, seed))
    trace = np.array(method.objective_trace_)
    assert len(trace) > 2
    assert (np.diff(trace) <= 1e-10).all()


def test_the_total_local_loss_is_that_of_the_labels():
    stream = [Task(t.name, t.X.toarray(), t.n_clusters) for t in tasks()]
    method = SMBC()
    labels = method.fit_tasks(stream)
    expected = sum(local_loss(task.X, h) for task, h in zip(stream, labels, strict=True))
    assert method.objective_trace_[-1] == pytest.approx(expected)


def task_by_task(coupled, labels, iterations):
    """SMBC with one task looked at after the other: the labels, and how often the help was kept."""
    M, kept = coupled.means(labels), []
    for _ in range(iterations):
        coupling, _ = coupled.couple(M, labels)
        pulled = coupled.centroids(M, labels, coupling)
        chosen = []
        for p, block, h in zip(coupled.points, coupled.blocks, labels, strict=True):
            boosted, alone = (
                (np.argmin(coupled.divergence.distances(p, own), axis=1), own) for own in (pulled[block], p.means(h))
            )
            kept.append(local_loss(p.X.toarray(), boosted[0]) <= local_loss(p.X.toarray(), alone[0]) + 1e-12)
            chosen.append(boosted if kept[-1] else alone)
        labels, M = [h for h, _ in chosen], np.vstack([own for _, own in chosen])
    return labels, np.mean(kept)


@pytest.mark.parametrize("seed", range(6))
def test_a_task_goes_on_with_the_labels_and_centroids_it_has_kept(seed):
    stream = tasks()
    starts = random_labels(stream, seed)
    expected, kept = task_by_task(coupled_tasks(stream, 1.0), starts, 8)
    assert 0 < kept < 1
    ours = SMBC(tol=0.0, max_iter=8)._iterate(coupled_tasks(stream, 1.0), starts)
    for a, b in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_coupling_it_is_k_means():
    stream = tasks()
    alone = SingleTaskKMeans(n_init=1, random_state=2)
    for task, labels in zip(stream, SMBC(lam=0.0, random_state=2).fit_tasks(stream), strict=True):
        np.testing.assert_array_equal(labels, alone.predict(task))


def test_without_coupling_it_goes_lloyds_way_from_any_start():
    stream = tasks()
    starts = random_labels(stream)
    smart = SMBC(lam=0.0, tol=0.0)._iterate(coupled_tasks(stream, 0.0), starts)
    lloyd = MBC(lam=0.0, tol=0.0)._iterate(coupled_tasks(stream, 0.0), starts)
    for a, b in zip(smart, lloyd, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("lam", [0.1, 0.5, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_read_literally_it_is_k_means_whatever_the_coupling(lam, seed):
    stream = tasks()
    alone = SingleTaskKMeans(n_init=1, random_state=seed)
    for task, labels in zip(stream, SMBC(lam=lam, rule="literal", random_state=seed).fit_tasks(stream), strict=True):
        np.testing.assert_array_equal(labels, alone.predict(task))


def test_no_task_ends_with_more_loss_than_k_means_alone():
    stream = [Task(t.name, t.X.toarray(), t.n_clusters) for t in tasks()]
    improved = 0
    for seed in range(5):
        alone = SingleTaskKMeans(n_init=1, random_state=seed)
        for task, labels in zip(stream, SMBC(random_state=seed).fit_tasks(stream), strict=True):
            ours, theirs = local_loss(task.X, labels), local_loss(task.X, alone.predict(task))
            assert ours <= theirs + 1e-12
            improved += ours < theirs - 1e-9
    assert improved > 0


def test_one_task_is_k_means():
    task = tasks()[0]
    expected = SingleTaskKMeans(n_init=1).predict(task)
    np.testing.assert_array_equal(SMBC(lam=50.0).partial_fit(task).labels_, expected)


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_far_groups_are_found_in_tasks_with_different_numbers_of_clusters(make_task, divergence):
    stream = [make_task(f"k{k}", k=k, n=60, d=12) for k in (2, 4, 3)]
    method = SMBC(n_init=10, divergence=divergence)
    for labelled in stream:
        method.partial_fit(labelled.task)
    for labelled in stream:
        assert agreement(labelled.y, method.predict(labelled.task)) == 1.0


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_an_empty_cluster_on_the_way_is_filled_again(make_task, divergence):
    stream = [make_task("a").task, make_task("b", seed=1).task]
    starts = [np.arange(60) % 2, np.arange(60) % 3]  # the third cluster of the first task has nobody
    method = SMBC(divergence=divergence)
    labels, _ = method._iterate(coupled_tasks(stream, 0.5, divergence), starts)
    assert len(set(labels)) == 3
    assert (np.diff(method.objective_trace_) <= 1e-10).all()


@pytest.mark.parametrize("divergence", ["euclidean", "kl"])
def test_zero_rows_duplicates_and_one_cluster(make_task, divergence):
    labelled = make_task("a")
    zeros = Task("zeros", np.vstack([labelled.task.X, np.zeros((3, 12))]), 3)
    same = Task("same", np.ones((8, 12)), 3)
    one = Task("one", labelled.task.X, 1)
    a, b, c = SMBC(n_init=10, divergence=divergence).fit_tasks([zeros, same, one])
    assert agreement(labelled.y, a[:60]) == 1.0
    assert len(set(b)) == 1
    assert not c.any()
    assert all(labels.dtype == np.int64 for labels in (a, b, c))


def test_sparse_and_dense_input_agree():
    stream = tasks("digits")
    csr = [Task(t.name, sparse.csr_array(t.X), t.n_clusters) for t in stream]
    for a, b in zip(SMBC().fit_tasks(stream), SMBC().fit_tasks(csr), strict=True):
        np.testing.assert_array_equal(a, b)


def test_from_one_start_neither_the_order_of_samples_nor_of_features_matters():
    stream = tasks()
    starts, generator = random_labels(stream), np.random.default_rng(1)
    shuffles, columns = [generator.permutation(t.n_samples) for t in stream], generator.permutation(120)
    moved = [Task(t.name, t.X[s][:, columns], 4) for t, s in zip(stream, shuffles, strict=True)]
    plain = SMBC()._iterate(coupled_tasks(stream), starts)
    permuted = SMBC()._iterate(coupled_tasks(moved), [h[s] for h, s in zip(starts, shuffles, strict=True)])
    for a, b, s in zip(plain, permuted, shuffles, strict=True):
        np.testing.assert_array_equal(a[s], b)


def test_the_seed_alone_decides_and_a_pickle_goes_on(make_task):
    stream = [make_task(f"t{s}", seed=s, spread=1.0).task for s in range(3)]
    a, b = SMBC(random_state=5), SMBC(random_state=5)
    for task in stream[:2]:
        a.partial_fit(task)
        b.partial_fit(task)
    b = pickle.loads(pickle.dumps(b))
    np.testing.assert_array_equal(a.partial_fit(stream[2]).labels_, b.partial_fit(stream[2]).labels_)
    np.testing.assert_array_equal(a.predict(stream[0]), b.predict(stream[0]))


def test_the_registered_parameters_are_the_constructors():
    constructor = inspect.signature(SMBC).parameters
    expected = {name: p.default for name, p in constructor.items() if name != "random_state"}
    assert {p.name: p.default for p in SPEC.params} == expected
    assert SPEC.factory == f"{SMBC.__module__}:{SMBC.__name__}"


@pytest.mark.parametrize(
    "given", [{"lam": -1}, {"rule": "loose"}, {"divergence": "itakura"}, {"n_init": 0}, {"max_iter": 0}]
)
def test_parameters_outside_their_limits_are_refused(given):
    with pytest.raises(ParameterError, match=f"smbc: {next(iter(given))} takes"):
        resolve_params("smbc", SPEC.params, given)


@pytest.mark.slow
@pytest.mark.usefixtures("webkb")
def test_webkb4_is_within_two_points_of_the_measured_figures():
    results = lcbench.run({"smbc": SMBC()}, "webkb4", evaluate="last", order="fixed", repeats=10)
    for metric, expected in (("purity", 72.2), ("nmi", 35.9), ("ri", 69.9)):
        ours = np.mean([100 * run.summary[metric]["average_after_all"]["value"] for run in results])
        assert abs(ours - expected) <= 2.0, metric
