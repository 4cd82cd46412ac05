from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import far_groups
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import Birch, KMeans, MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

import lcbench
from lcbench import Task, derive_seed
from lcbench_baselines import Partial
from lcbench_baselines.seeding import spread_rows

ESTIMATORS = {"MiniBatchKMeans": Partial(MiniBatchKMeans(), width=4), "Birch": Partial(Birch(n_clusters=None))}
both = pytest.mark.parametrize("method", ESTIMATORS.values(), ids=ESTIMATORS)


class Remembers(ClusterMixin, BaseEstimator):
    """Writes down what it is handed; its labels are the values of the first feature."""

    def __init__(self, n_clusters: int = 2, random_state: int | None = None, takes_sparse: bool = False):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.takes_sparse = takes_sparse

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        return tags

    def partial_fit(self, X):
        X[:1] *= 1  # an estimator may write to its input
        self.batches_ = [*getattr(self, "batches_", []), X]
        return self

    def predict(self, X):
        return X[:, [0]].toarray().ravel() if sparse.issparse(X) else X[:, 0]


def fresh(method: Partial) -> Partial:
    return pickle.loads(pickle.dumps(method))


def test_the_centres_of_one_task_are_those_of_scikit_learn_from_the_same_start():
    task = Task("one", np.random.default_rng(0).random((50, 4)), 3)
    ours = Partial(MiniBatchKMeans(), batch_size=50, passes=4, random_state=5).partial_fit(task)
    seed = derive_seed(5, "one")
    generator = np.random.default_rng(seed)
    theirs = MiniBatchKMeans(3, init=task.X[spread_rows(task.X, 3, seed)], n_init=1, random_state=seed)
    for _ in range(4):
        theirs.partial_fit(task.X[generator.permutation(50)])
    np.testing.assert_array_equal(ours.model_.cluster_centers_, theirs.cluster_centers_)
    assert adjusted_rand_score(ours.labels_, theirs.predict(task.X)) == 1.0


def test_a_task_alone_is_clustered_about_as_well_as_by_batch_k_means():
    for labelled in lcbench.load_stream("digits").tasks()[:2]:
        X, k = labelled.task.X, labelled.task.n_clusters
        labels = lcbench.load_method("mini-batch-kmeans", unit_rows=False).partial_fit(labelled.task).labels_
        scatter = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))
        assert scatter < 1.1 * KMeans(k, n_init=10, random_state=0).fit(X).inertia_


def test_the_estimator_sees_each_row_of_a_task_once_per_pass_in_an_order_of_its_own_and_no_old_task():
    first, second = (Task(name, np.random.default_rng(i).random((25, 3)), 2) for i, name in enumerate("ab"))
    method = Partial(Remembers(), batch_size=10, passes=3).partial_fit(first)
    batches = method.model_.batches_
    assert [len(batch) for batch in batches] == [13, 12] * 3
    passes = [np.vstack(batches[i : i + 2]) for i in (0, 2, 4)]
    for rows in passes:
        np.testing.assert_array_equal(np.sort(rows, axis=0), np.sort(first.X, axis=0))
    assert not np.array_equal(passes[0], passes[1])
    method.partial_fit(second)
    later = np.vstack(method.model_.batches_[6:])
    assert set(map(tuple, later)) == set(map(tuple, second.X))


def test_an_estimator_gets_the_seed_and_the_most_clusters_so_far_and_the_one_given_stays_as_it_was():
    given = Remembers()
    method = Partial(given, random_state=3)
    for name, k, most in (("a", 3, 3), ("b", 2, 3), ("c", 5, 5)):
        method.partial_fit(Task(name, np.random.default_rng(0).random((9, 2)), k))
        assert method.model_.n_clusters == most
        assert method.model_.random_state == derive_seed(3, "a")
    assert (given.n_clusters, given.random_state) == (2, None)
    assert not hasattr(given, "batches_")


@pytest.mark.parametrize("takes_sparse", [True, False])
def test_sparse_data_are_made_dense_only_for_an_estimator_that_needs_it(takes_sparse):
    task = Task("t", sparse.csr_array(np.eye(4)), 2)
    method = Partial(Remembers(takes_sparse=takes_sparse)).partial_fit(task)
    assert sparse.issparse(method.model_.batches_[0]) == takes_sparse


@both
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_far_groups_are_found_whatever_the_numbers_of_clusters_and_old_tasks_after_new_ones(method, container):
    for seed in range(2):
        learner = fresh(method).set_params(random_state=seed)
        tasks = [Task(f"{k}-{i}", container(far_groups(k, seed=i)), k) for i, k in enumerate((2, 4, 1, 3, 6))]
        for task in tasks:
            labels = learner.partial_fit(task).labels_
            assert adjusted_rand_score(np.arange(60) % task.n_clusters, labels) == 1.0
        for task in tasks:
            assert adjusted_rand_score(np.arange(60) % task.n_clusters, learner.predict(task)) == 1.0


def test_centres_are_added_for_a_task_with_more_clusters_from_its_own_samples():
    method = Partial(MiniBatchKMeans(), width=2).partial_fit(Task("two", far_groups(2), 2))
    counts = method.model_._counts.copy()
    assert len(method.model_.cluster_centers_) == 4
    method.partial_fit(Task("six", far_groups(6), 6))
    assert len(method.model_.cluster_centers_) == 12
    assert (method.model_._counts[:4] >= counts).all()
    nearest = np.linalg.norm(method.model_.cluster_centers_[4:, None] - far_groups(6)[None], axis=2).min(axis=1)
    assert nearest.max() < 0.2
    assert method.partial_fit(Task("three", far_groups(3), 3)).model_.n_clusters == 12


def test_a_first_task_with_fewer_rows_than_centres_is_made_up_for_by_the_next():
    method = Partial(MiniBatchKMeans(), width=4).partial_fit(Task("tiny", far_groups(3, n=4), 3))
    assert len(method.model_.cluster_centers_) == 4
    method.partial_fit(Task("larger", far_groups(3), 3))
    assert len(method.model_.cluster_centers_) == 12


@both
def test_the_state_does_not_grow_with_tasks_nor_with_the_size_of_the_last(method):
    learner, sizes = fresh(method), []
    for number in range(16):
        task = Task(f"task-{number:02}", far_groups(3, n=12 + number, seed=number), 3)
        sizes.append(len(pickle.dumps(learner.partial_fit(task))))
    assert max(sizes[1:]) - min(sizes[1:]) <= 3


def test_birch_is_kept_bounded_where_no_threshold_fits():
    learner, sizes = Partial(Birch(threshold=1e-3, n_clusters=None), most_groups=40), []
    for number in range(20):
        X = np.random.default_rng(number).random((100, 3)) + 10 * (np.arange(100) % 2)[:, None]
        learner.partial_fit(Task(f"task-{number}", X, 2))
        sizes.append(len(pickle.dumps(learner)))
        assert len(learner.model_.subcluster_centers_) <= 40
        assert adjusted_rand_score(np.arange(100) % 2, learner.labels_) == 1.0
    assert max(sizes[10:]) < 2 * max(sizes[:10])
    assert learner.model_.threshold > 1e-3 == learner.estimator.threshold


@both
def test_predicting_changes_nothing(method):
    learner = fresh(method).partial_fit(Task("a", far_groups(3), 3))
    before = pickle.dumps(learner)
    learner.predict(Task("never learned", far_groups(4, seed=9), 4))
    assert pickle.dumps(learner) == before


def test_the_lengths_of_samples_do_not_matter_with_unit_rows():
    X, factors = far_groups(3), np.random.default_rng(0).uniform(0.1, 9, (60, 1))
    plain, stretched = (
        Partial(MiniBatchKMeans(), unit_rows=True).partial_fit(Task("t", rows, 3)).model_.cluster_centers_
        for rows in (X, X * factors)
    )
    np.testing.assert_allclose(plain, stretched)


def test_mini_batch_kmeans_is_the_adapter_of_that_estimator():
    tasks = [one.task for one in lcbench.load_stream("digits:tasks=2").tasks()]
    ours = lcbench.load_method("mini-batch-kmeans", width=3)
    same = Partial(MiniBatchKMeans(), width=3, passes=10, batch_size=64, unit_rows=True)
    for task in tasks:
        np.testing.assert_array_equal(ours.partial_fit(task).labels_, same.partial_fit(task).labels_)
    np.testing.assert_array_equal(ours.predict(tasks[0]), same.predict(tasks[0]))


def test_with_unit_rows_centres_have_length_one_and_a_text_does_not_collapse():
    tasks = [one.task for one in lcbench.load_stream("topics:signal=0.15").tasks()]
    method = lcbench.load_method("mini-batch-kmeans")
    for task in tasks:
        method.partial_fit(task)
    np.testing.assert_allclose(np.linalg.norm(method.model_.cluster_centers_, axis=1), 1.0)
    for task in tasks:
        assert np.bincount(method.predict(task)).max() < 0.8 * task.n_samples


def test_a_task_that_falls_into_one_centre_is_warned_of(caplog):
    far = Task("far away", far_groups(3) + np.repeat([100.0, 0.0], [4, 8]), 3)  # all on the side of one group
    method = Partial(MiniBatchKMeans(reassignment_ratio=0), width=1)
    method.partial_fit(Task("near", far_groups(3), 3)).partial_fit(far)
    assert any("all 60 samples of task 'far away' into one cluster" in message for message in caplog.messages)
    assert "raise width" in caplog.text


def test_what_cannot_go_on_is_refused():
    for estimator in (KMeans(), PCA(), None):
        with pytest.raises(TypeError, match="no partial_fit and predict"):
            Partial(estimator).partial_fit(Task("t", far_groups(2), 2))
