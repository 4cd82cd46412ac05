"""The contract of every registered method: one suite for what each of them has to keep."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import far_groups
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

import lcbench
from lcbench.contract.task import Task
from lcbench.errors import ParameterError, UnsuitableTaskError
from lcbench.registry.host import plugin_host
from lcbench.testing.kit import checks_of
from lcbench.testing.subjects import subjects_of

SPECS = list(plugin_host().registry.methods)
VARIANTS = [
    "l2sc:encoding=frozen", "l2sc:solver=paper", "mbc:divergence=kl", "smbc:divergence=kl", "smkc:kernel=gaussian",
    "smkc:partition=hard", "mtsc:discretize=rotation", "mtcmrl:intercept=false", "lssmtc:init=random",
]  # fmt: skip
METHODS = [*(spec.name for spec in SPECS), *VARIANTS]
EXPECTED = {"l2sc:encoding=frozen": {"check_promise"}}  # the encoding of every old task is kept, as its page says
CONTROLS = ("random", "one-cluster")
POOLED = ("usc", "pooled-kmeans")  # they find one set of clusters for all tasks
FINDERS = [*(name for name in METHODS if name not in CONTROLS), "stsc:affinity=full"]  # those that look at the data
NO_RANDOM_START = ("l2sc", "stsc", "onestepsc", "mtsc", "mtcmrl")  # order matters to their last k-means alone
every_method = pytest.mark.parametrize("name", METHODS)
every_finder = pytest.mark.parametrize("name", FINDERS)
STORED_ALIKE = {"cpsc": "cpsc:centre=always"}  # its graph depends on how samples are stored, unless it is told


def quick(name: str) -> lcbench.Clusterer:
    """A method with fewer iterations than it has by default, where they are slow."""
    method = name.partition(":")[0]
    fewer = {"max_iter": {"onestepsc": 3, "smkc": 5, "mtsc": 5, "mtcmrl": 5, "lssmtc": 10}.get(method)}
    fewer["n_init"] = {"kmeans": 2, "pooled-kmeans": 2, "mbc": 3, "smbc": 3}.get(method)
    fewer["passes"] = {"mini-batch-kmeans": 1, "river-kmeans": 1}.get(method)
    return lcbench.load_method(name, **{key: value for key, value in fewer.items() if value})


def as_sparse(task: Task) -> Task:
    return Task(task.name, sparse.csr_array(task.X), task.n_clusters)


def learned(method: lcbench.Clusterer, tasks: list[Task]) -> lcbench.Clusterer:
    pooled = type(method).__name__ in ("USC", "PooledKMeans")  # a task may have labels up to the largest k
    k = max(task.n_clusters for task in tasks)
    for task in tasks:
        labels = method.partial_fit(task).labels_
        assert labels.dtype == np.int64
        assert labels.shape == (task.n_samples,)
        assert labels.min() >= 0
        assert labels.max() < (k if pooled else task.n_clusters)
        assert np.isfinite(getattr(method, "objective_trace_", [0.0])).all()
    return method


def test_a_spec_says_what_the_method_is_and_how_sure_its_formulas_are():
    assert [spec.name for spec in SPECS if not (spec.summary and spec.provenance)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        "kmeans:n_init=0", "kmeans:max_iter=0", "l2sc:lam=-1", "l2sc:mu=-1", "l2sc:k=0", "l2sc:k_final=all",
        "l2sc:solver=newton", "l2sc:l21=none", "l2sc:encoding=old", "l2sc:max_iter=0", "l2sc:tol=-1", "stsc:sigma=0",
        "stsc:metric=manhattan", "stsc:n_neighbors=0", "stsc:affinity=ring", "onestepsc:alpha=0", "onestepsc:beta=-1",
        "onestepsc:gamma=0", "onestepsc:n_neighbors=0", "onestepsc:max_iter=0", "tsc:r=-1", "tsc:solver=newton",
        "tsc:affinity=ring", "tsc:n_neighbors=0", "tsc:max_iter=0", "mbc:lam=-1", "mbc:divergence=itakura",
        "mbc:n_init=0", "mbc:max_iter=0", "mbc:tol=-1e-9", "smbc:lam=-1", "smbc:rule=loose", "smkc:lam=-1",
        "smkc:kernel=poly", "smkc:partition=fuzzy", "smkc:n_init=0", "smkc:max_iter=0", "smkc:tol=-1", "mtsc:alpha=-1",
        "mtsc:beta=-1", "mtsc:p=0", "mtsc:p=2.1", "mtsc:discretize=none", "mtsc:max_iter=0", "mtcmrl:lam=-1",
        "mtcmrl:mu=0", "mtcmrl:alpha=-1", "mtcmrl:beta=-1", "mtcmrl:affinity=full", "mtcmrl:max_iter=0",
        "lssmtc:lam=-0.1", "lssmtc:lam=1.1", "lssmtc:dimensions=0", "lssmtc:init=zeros", "lssmtc:subspace=full",
        "mini-batch-kmeans:width=0", "mini-batch-kmeans:passes=0", "mini-batch-kmeans:batch_size=0",
        "river-kmeans:halflife=0", "river-kmeans:halflife=1.1",
        "river-kmeans:width=0", "river-kmeans:passes=0", "river-kmeans:scale=all", "river-kmeans:directions=0",
    ],
)  # fmt: skip
def test_a_parameter_outside_its_limits_is_refused_by_name(wrong):
    method, given = wrong.split(":")
    parameter = given.split("=")[0]
    with pytest.raises(ParameterError, match=rf"{method}.*{parameter}"):
        lcbench.load_method(wrong)


@pytest.mark.parametrize("name", [*(spec.name for spec in SPECS), *EXPECTED])
def test_it_passes_the_checks_for_authors_of_methods(name):
    """Those that ask for something else than the tests below, which all variants go through too."""
    known = {param.name for param in plugin_host().registry.methods[name.partition(":")[0]].params}
    fast = [f"{key}={value}" for key, value in {"max_iter": 3, "n_init": 1, "passes": 1}.items() if key in known]
    (subject,) = subjects_of(":".join(filter(None, [name.partition(":")[0], ",".join([*name.split(":")[1:], *fast])])))
    asked_below = {
        "check_labels", "check_clusters", "check_pickle", "check_dense_and_sparse", "check_permuted_rows",
        "check_one_task", "check_tiny_tasks", "check_zero_rows", "check_one_cluster", "check_more_clusters",
        "check_negative_features", "check_bounded_state",
    }  # fmt: skip
    others = [check for check in checks_of(subject) if check.name not in asked_below]
    assert len(others) == len(checks_of(subject)) - len(asked_below)
    failed = {
        result.check: result.reason
        for result in (check.result(subject) for check in others)
        if result.status == "failed"
    }
    assert failed.keys() == EXPECTED.get(name, set()), failed


X = far_groups(3, 30)
HARD_STREAMS = {
    "different numbers of clusters": [(far_groups(4, 40), 4), (far_groups(2, 30), 2), (X, 3)],
    "one cluster among others": [(X, 1), (X, 3), (X, 1)],
    "as many samples as clusters": [(X[:3], 3), (X, 3), (X[3:6], 3)],
    "one sample more than clusters": [(X[:4], 3), (X[4:8], 3)],
    "one sample, and one cluster everywhere": [(X[:1], 1), (X[:1], 1), (X, 1)],
    "zero rows": [(np.vstack([X, np.zeros((4, 12))]), 3), (X[::-1], 3)],
    "nothing but zeros": [(np.zeros((9, 12)), 3), (X, 3)],
    "every row many times": [(np.repeat(far_groups(3, 6), 6, axis=0), 3), (np.repeat(X[:3], 9, axis=0), 2)],
    "all rows equal": [(np.ones((12, 12)), 3), (X, 3)],
    "the same task twice": [(X, 3), (X, 3)],
    "more clusters than the transport simplex takes": [
        (np.random.default_rng(0).random((40, 24)), 12),
        (np.random.default_rng(1).random((40, 24)), 11),
    ],
}


@every_method
@pytest.mark.parametrize("kind", HARD_STREAMS)
@pytest.mark.filterwarnings("error", "ignore:Number of distinct clusters", "ignore::ResourceWarning")  # of other tests
def test_hard_tasks_are_clustered_the_same_dense_or_sparse_and_after_a_pickle(name, kind):
    name = STORED_ALIKE.get(name, name)
    tasks = [Task(f"task-{i}", X, k) for i, (X, k) in enumerate(HARD_STREAMS[kind])]
    dense, csr = learned(quick(name), tasks), learned(quick(name), list(map(as_sparse, tasks)))
    copy = pickle.loads(pickle.dumps(dense))
    # where there are fewer different rows than clusters, how equal ones are parted is free
    parted = [task for task in tasks if len(np.unique(task.X[task.X.any(axis=1)], axis=0)) >= task.n_clusters]
    labels = {task.name: dense.predict(task) for task in tasks}
    for task in tasks:
        np.testing.assert_array_equal(labels[task.name], copy.predict(task))
        if task.n_clusters == 1 and name not in POOLED:
            assert not labels[task.name].any()
    if name == "usc" and kind == "different numbers of clusters":
        return  # all tasks together are nine separate groups for four clusters: rounding says which of them are merged
    for task in parted if len(parted) == len(tasks) or name not in POOLED else []:
        alive = task.X.any(axis=1)  # a zero row is as near to one group as to another
        assert adjusted_rand_score(labels[task.name][alive], csr.predict(as_sparse(task))[alive]) == 1.0


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8])
def test_counts_may_come_as_any_type_of_number(kind):
    """A task makes them float64 before any method sees them."""
    counts = np.random.default_rng(0).poisson(0.3 + 3 * far_groups(n=30)).astype(np.float64)
    expected, labels = (quick("l2sc").partial_fit(Task("t", X, 3)).labels_ for X in (counts, counts.astype(kind)))
    np.testing.assert_array_equal(labels, expected)


@every_finder
def test_far_groups_are_found_whatever_the_numbers_of_clusters_zero_rows_and_absent_features(name):
    method = lcbench.load_method(name, **({"n_init": 10} if name.startswith(("mbc", "smbc", "smkc")) else {}))
    ks = (3, 3) if name in POOLED else (2, 4, 1, 3)
    tasks, absent = [], np.zeros((64, 2))
    for k in ks:
        X = np.vstack([far_groups(k, seed=k), np.zeros((4, 12))])
        tasks.append(Task(f"{k}-{len(tasks)}", np.hstack([X, absent]), k))
    learned(method, tasks)
    for task in tasks:
        labels = method.predict(task)[:60]
        assert adjusted_rand_score(np.arange(60) % task.n_clusters, labels) == 1.0


@every_finder
def test_sparse_and_dense_samples_get_the_same_partition(name):
    name = STORED_ALIKE.get(name, name)
    tasks = [labelled.task for labelled in lcbench.load_stream("digits:tasks=2,per_class=10").tasks()]
    dense, csr = learned(quick(name), tasks), learned(quick(name), list(map(as_sparse, tasks)))
    for task in tasks:
        assert adjusted_rand_score(dense.predict(task), csr.predict(as_sparse(task))) == 1.0


@pytest.mark.parametrize(
    ("name", "stream"),
    [
        *((name, "far groups") for name in FINDERS if name != "lssmtc:init=random"),
        *((name, "topics") for name in FINDERS if name.startswith(NO_RANDOM_START) and "full" not in name),
    ],
)
def test_the_order_of_samples_and_of_features_does_not_matter(name, stream):
    tasks, make = [Task(str(seed), far_groups(seed=seed, spread=0.3), 3) for seed in range(3)], quick
    if stream == "topics":
        labelled = lcbench.load_stream("topics:documents=60,words=150,tasks=2").tasks()
        tasks, make = [one.task for one in labelled], lcbench.load_method
    generator = np.random.default_rng(0)
    columns = generator.permutation(tasks[0].n_features)
    plain, permuted = make(name), make(name)
    for task in tasks:
        rows = generator.permutation(task.n_samples)
        plain.partial_fit(task)
        permuted.partial_fit(Task(task.name, task.X[rows][:, columns], task.n_clusters))
        assert adjusted_rand_score(plain.labels_[rows], permuted.labels_) == 1.0


@every_method
def test_a_pickle_goes_on_where_the_method_was_and_the_seed_alone_decides(name):
    tasks = [Task(str(seed), far_groups(n=40, seed=seed, spread=1.0), 3) for seed in range(3)]
    method, again = (learned(quick(name), tasks[:2]) for _ in range(2))
    copy = pickle.loads(pickle.dumps(method))
    for other in (copy, again):
        np.testing.assert_array_equal(other.predict(tasks[0]), method.predict(tasks[0]))
    labels = method.partial_fit(tasks[2]).labels_
    for other in (copy, again):
        np.testing.assert_array_equal(other.partial_fit(tasks[2]).labels_, labels)
        np.testing.assert_array_equal(other.predict(tasks[0]), method.predict(tasks[0]))


SCALED = ["onestepsc", "tsc", "mbc", "mbc:divergence=kl", "smbc", "smkc:kernel=linear", "mtsc", "mtcmrl", "lssmtc"]


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize("unit_rows", [True, False])
def test_the_lengths_of_samples_matter_only_if_they_are_not_scaled_first(name, unit_rows):
    task = lcbench.load_stream("topics:documents=60,words=150").tasks()[0].task
    factors = np.random.default_rng(0).uniform(0.1, 9.0, (60, 1))
    first, second = (
        lcbench.load_method(name, unit_rows=unit_rows, max_iter=2).partial_fit(one).objective_trace_[0]
        for one in (task, Task(task.name, task.X.toarray() * factors, 4))
    )
    assert np.allclose(first, second) == unit_rows


@pytest.mark.parametrize("name", ["l2sc", "tsc", "smbc", "smkc", "mtsc", "mtcmrl", "lssmtc"])
def test_iterations_end_by_the_relative_change_of_the_objective(name):
    task = lcbench.load_stream("topics:documents=60,words=150").tasks()[0].task
    trace = np.array(lcbench.load_method(name, tol=1e-3).partial_fit(task).objective_trace_)
    changes = np.abs(np.diff(trace) / trace[:-1])
    assert changes[-1] <= 1e-3
    assert (changes[:-1] > 1e-3).all()
    assert len(lcbench.load_method(name, tol=1e9).partial_fit(task).objective_trace_) == 2


@pytest.mark.parametrize("name", ["mbc", "mbc:divergence=kl", "smbc", "smbc:divergence=kl", "smkc"])
def test_equal_samples_share_a_cluster_where_clusters_are_those_of_the_nearest_centroids(name):
    assert len(set(lcbench.load_method(name).partial_fit(Task("same", np.ones((8, 12)), 3)).labels_)) == 1


@pytest.mark.parametrize("name", ["l2sc", "tsc", "mbc:divergence=kl", "smbc:divergence=kl"])
def test_negative_features_are_refused_with_a_sentence_that_names_the_task(name):
    with pytest.raises(UnsuitableTaskError, match=r"needs features that are not negative, but task 'minus' has "):
        lcbench.load_method(name).partial_fit(Task("minus", X - 1.0, 3))


@pytest.mark.parametrize("name", [spec.name for spec in SPECS if spec.name not in ("l2sc", "tsc", *CONTROLS)])
def test_other_methods_take_negative_features(name):
    labels = quick(name).partial_fit(Task("minus", far_groups(3) - 0.5, 3)).labels_
    assert adjusted_rand_score(np.arange(60) % 3, labels) == 1.0


@pytest.mark.parametrize("name", [spec.name for spec in SPECS if spec.setting is not lcbench.Setting.MULTI_TASK])
def test_the_state_of_a_method_that_may_not_keep_its_tasks_does_not_grow_with_them(name):
    method, sizes = lcbench.load_method(name), []
    for number in range(12):
        method.partial_fit(Task(f"task-{number:02}", far_groups(n=12, seed=number), 3))
        sizes.append(len(pickle.dumps(method)))
    assert abs(sizes[11] - sizes[1]) <= 2
