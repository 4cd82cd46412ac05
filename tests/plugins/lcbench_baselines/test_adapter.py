from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lcbench.contract.hashing import derive_seed
from lcbench.contract.task import Task
from lcbench_baselines import Pooled, SingleTask

X = np.random.default_rng(0).random((40, 4))
DENSE, THIN = Task("t", X, 3), Task("t", sparse.csr_array(X), 3)


class SaysWhetherSparse(ClusterMixin, BaseEstimator):
    """Labels everything 1 if it was handed a sparse matrix, else 0."""

    def __init__(self, takes_sparse: bool = True):
        self.takes_sparse = takes_sparse

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        return tags

    def fit_predict(self, X, y=None):
        return np.full(X.shape[0], int(sparse.issparse(X)))


@pytest.mark.parametrize("task", [DENSE, THIN], ids=["dense", "CSR"])
@pytest.mark.parametrize("adapter", [SingleTask, Pooled])
def test_a_clusterer_of_dense_data_gets_dense_data_and_the_number_of_clusters(task, adapter):
    labels = adapter(AgglomerativeClustering()).partial_fit(task).labels_
    assert np.array_equal(labels, AgglomerativeClustering(n_clusters=3).fit_predict(X))


@pytest.mark.parametrize("takes_sparse", [True, False])
@pytest.mark.parametrize("adapter", [SingleTask, Pooled])
def test_sparse_data_are_made_dense_only_for_a_clusterer_that_needs_it(takes_sparse, adapter):
    method = adapter(SaysWhetherSparse(takes_sparse)).partial_fit(THIN)
    assert set(method.labels_) == {int(takes_sparse)}


@pytest.mark.parametrize("task", [DENSE, THIN], ids=["dense", "CSR"])
def test_a_mixture_gets_its_number_of_components_and_the_seed(task):
    labels = SingleTask(GaussianMixture(), random_state=5).partial_fit(task).labels_
    expected = GaussianMixture(3, random_state=derive_seed(5, "t")).fit_predict(X)
    assert np.array_equal(labels, expected)
    assert len(set(labels)) == 3


@pytest.mark.parametrize("task", [DENSE, THIN], ids=["dense", "CSR"])
def test_a_clusterer_without_a_number_of_clusters_finds_its_own(task):
    labels = SingleTask(DBSCAN(eps=0.3, min_samples=3)).partial_fit(task).labels_
    expected = DBSCAN(eps=0.3, min_samples=3).fit_predict(X)
    assert np.array_equal(labels, expected)
    assert -1 in expected
    assert len(set(expected)) > 2


def test_the_estimator_given_stays_as_it_was():
    estimator = KMeans(n_clusters=2)
    SingleTask(estimator).partial_fit(DENSE)
    assert estimator.n_clusters == 2
    assert not hasattr(estimator, "labels_")


def test_predict_repeats_the_labels_of_a_method_that_draws_random_numbers():
    method = SingleTask(KMeans(n_init=1, max_iter=1))
    assert np.array_equal(method.partial_fit(DENSE).labels_, method.predict(DENSE))


def test_pooled_clusters_the_union_and_cuts_it_apart():
    other = Task("u", X[:10] + 0.5, 2)
    method = Pooled(AgglomerativeClustering()).partial_fit(DENSE).partial_fit(other)
    expected = AgglomerativeClustering(n_clusters=3).fit_predict(np.vstack([X, other.X]))
    assert np.array_equal(method.predict(DENSE), expected[:40])
    assert np.array_equal(method.labels_, expected[40:])


@pytest.mark.parametrize("estimator", [PCA(), None], ids=["PCA", "nothing"])
@pytest.mark.parametrize("adapter", [SingleTask, Pooled])
def test_what_is_no_clusterer_is_refused(estimator, adapter):
    with pytest.raises(TypeError, match="no clusterer"):
        adapter(estimator).partial_fit(DENSE)


def test_a_pipeline_gets_the_number_of_clusters_and_the_seed_in_its_last_step(make_task):
    task = make_task("a").task
    method = SingleTask(make_pipeline(StandardScaler(), KMeans()))
    assert len(set(method.predict(task))) == 3
    assert (method.predict(task) == method.predict(task)).all()


def test_an_estimator_that_writes_to_its_input_gets_a_copy(make_task):
    task = Task("a", sparse.csr_array(make_task("a").task.X), 3)
    assert len(SingleTask(MiniBatchKMeans()).predict(task)) == 60
