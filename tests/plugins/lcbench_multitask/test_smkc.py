from __future__ import annotations

import inspect
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import lcbench
from lcbench.contract.metric import Contingency
from lcbench.contract.specs import resolve_params
from lcbench.contract.task import Task
from lcbench.errors import ParameterError, UnsuitableTaskError
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_multitask import smkc as module
from lcbench_multitask.bregman import CoupledTasks
from lcbench_multitask.coupled_kernels import CoupledKernels
from lcbench_multitask.kernels import DenseKernel, LinearKernel, kernel_kmeans, kernel_lloyd, kernel_loss
from lcbench_multitask.partitions import one_hot
from lcbench_multitask.smkc import SMKC
from lcbench_multitask.specs import SMKC as SPEC
from lcbench_spectral import affinity


def agreement(a, b) -> float:
    return AdjustedRandIndex().score(Contingency(a, b))


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
            members = one_hot(labels[t], task.n_clusters)
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
    for a, b in zip(ours, gauss_seidel_mbc(stream, starts, lam=2.0, iterations=15), strict=True):
        np.testing.assert_array_equal(a, b)


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
    for a, b in zip(factored, SMKC().fit_tasks(stream), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n_init", [1, 5])
def test_being_smart_keeps_for_every_task_what_loses_less_and_that_is_now_the_one_now_the_other(n_init):
    stream, helped, fell_back = tasks("topics:documents=40,words=80,signal=0.2,relatedness=0.5"), 0, 0
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


def test_the_lengths_of_samples_matter_to_the_inner_product_alone_and_only_if_they_are_not_scaled_first():
    stream = tasks()
    factors = np.random.default_rng(0).uniform(0.1, 9.0, (60, 1))
    moved = [Task(t.name, t.X * factors, 4) for t in stream]
    for kernel, unit_rows, same in (("cosine", False, True), ("linear", True, True), ("linear", False, False)):
        traces = []
        for samples in (stream, moved):
            method = SMKC(kernel=kernel, unit_rows=unit_rows)
            method.fit_tasks(samples)
            traces.append(method.objective_trace_[0])
        assert np.allclose(*traces) == same


def test_the_objective_falls_and_the_iterations_end():
    method = SMKC()
    method.fit_tasks(tasks())
    assert 2 <= len(method.objective_trace_) <= 101
    assert method.objective_trace_[-1] < method.objective_trace_[0]


@pytest.mark.parametrize("kernel", ["cosine", "gaussian", "linear"])
@pytest.mark.parametrize("partition", ["soft", "hard"])
def test_far_groups_are_found_in_tasks_with_different_numbers_of_clusters(make_task, kernel, partition):
    stream = [make_task(f"k{k}", k=k, n=60, d=12) for k in (2, 4, 3)]
    method = SMKC(n_init=10, kernel=kernel, partition=partition)
    for labelled in stream:
        method.partial_fit(labelled.task)
    for labelled in stream:
        assert agreement(labelled.y, method.predict(labelled.task)) == 1.0


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


@pytest.mark.parametrize("kernel", ["cosine", "gaussian"])
def test_zero_rows_duplicates_and_one_cluster(make_task, kernel):
    labelled = make_task("a")
    zeros = Task("zeros", np.vstack([labelled.task.X, np.zeros((3, 12))]), 3)
    same = Task("same", np.ones((8, 12)), 3)
    one = Task("one", labelled.task.X, 1)
    nothing = Task("nothing", np.zeros((5, 12)), 2)
    method = SMKC(n_init=10, lam=0.1, kernel=kernel)
    a, b, c, d = method.fit_tasks([zeros, same, one, nothing])
    assert agreement(labelled.y, a[:60]) == 1.0
    assert len(set(b)) == len(set(d)) == 1
    assert not c.any()
    assert np.isfinite(method.objective_trace_).all()
    assert all(labels.dtype == np.int64 for labels in (a, b, c, d))


@pytest.mark.parametrize("kernel", ["cosine", "gaussian"])
def test_sparse_and_dense_input_agree(kernel):
    stream = tasks("digits")
    csr = [Task(t.name, sparse.csr_array(t.X), t.n_clusters) for t in stream]
    method = SMKC(kernel=kernel)
    for a, b in zip(method.fit_tasks(stream), method.fit_tasks(csr), strict=True):
        np.testing.assert_array_equal(a, b)


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


def test_the_seed_alone_decides_and_a_pickle_goes_on(make_task):
    stream = [make_task(f"t{s}", seed=s, spread=1.0).task for s in range(3)]
    a, b = SMKC(random_state=5), SMKC(random_state=5)
    for task in stream[:2]:
        a.partial_fit(task)
        b.partial_fit(task)
    b = pickle.loads(pickle.dumps(b))
    np.testing.assert_array_equal(a.partial_fit(stream[2]).labels_, b.partial_fit(stream[2]).labels_)
    np.testing.assert_array_equal(a.predict(stream[0]), b.predict(stream[0]))


def test_a_matrix_that_would_not_fit_is_refused_before_it_is_made(make_task, monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 16 * 100**2)
    monkeypatch.setattr(DenseKernel, "gaussian", None)
    stream = [make_task("a").task, make_task("b").task]
    message = r"the 120 samples seen with task 'b' need 0\.0 GB .* enough for 100 samples: use kernel=cosine"
    with pytest.raises(UnsuitableTaskError, match=message):
        SMKC(kernel="gaussian").fit_tasks(stream)
    assert len(SMKC().fit_tasks(stream)) == 2


def test_a_refusal_says_how_much_memory_is_needed_and_there(monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 8_000_000_000)
    monkeypatch.setattr(DenseKernel, "gaussian", None)
    stream = [Task(name, np.ones((20_000, 1)), 2) for name in "ab"]
    message = r"the 40000 samples .* need 25\.6 GB of memory, and 8\.0 GB are there, enough for 22360 samples"
    with pytest.raises(UnsuitableTaskError, match=message):
        SMKC(kernel="gaussian").fit_tasks(stream)


def test_the_memory_that_is_asked_for_beforehand_is_enough_and_cosine_needs_no_matrix_of_pairs(monkeypatch):
    n = 800
    monkeypatch.setattr(
        affinity, "CHUNK_BYTES", n * 80
    )  # rows are worked on ten at a time, as they are when n is large
    stream = [Task(str(t), np.random.default_rng(t).random((n // 2, 5)), 3) for t in range(2)]
    peaks = {}
    for kernel in ("gaussian", "cosine"):
        tracemalloc.start()
        SMKC(kernel=kernel).fit_tasks(stream)
        peaks[kernel] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert 8 * n**2 < peaks["gaussian"] < module.GAUSSIAN_BYTES_PER_PAIR * n**2
    assert peaks["cosine"] < 2 * n**2


def test_where_the_system_does_not_say_how_much_memory_there_is_nothing_is_refused(make_task, monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: None)
    assert SMKC(kernel="gaussian").partial_fit(make_task("a").task).labels_.shape == (60,)


def test_the_registered_parameters_are_the_constructors():
    constructor = inspect.signature(SMKC).parameters
    expected = {name: p.default for name, p in constructor.items() if name != "random_state"}
    assert {p.name: p.default for p in SPEC.params} == expected
    assert SPEC.factory == f"{SMKC.__module__}:{SMKC.__name__}"
    assert "uadratic" in SPEC.provenance


@pytest.mark.parametrize(
    "given", [{"lam": -1}, {"kernel": "poly"}, {"partition": "fuzzy"}, {"n_init": 0}, {"max_iter": 0}, {"tol": -1}]
)
def test_parameters_outside_their_limits_are_refused(given):
    with pytest.raises(ParameterError, match=f"smkc: {next(iter(given))} takes"):
        resolve_params("smkc", SPEC.params, given)


@pytest.mark.slow
@pytest.mark.usefixtures("webkb")
def test_on_webkb4_the_coupled_labels_are_within_two_points_of_the_measured_figures():
    results = lcbench.run({"smkc": SMKC(smart=False)}, "webkb4", evaluate="last", order="fixed", repeats=10)
    for metric, expected in (("purity", 76.3), ("nmi", 44.5), ("ri", 74.7)):
        ours = np.mean([100 * run.summary[metric]["average_after_all"]["value"] for run in results])
        assert abs(ours - expected) <= 2.0, metric
