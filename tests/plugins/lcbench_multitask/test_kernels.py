from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score as agreement
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from lcbench_multitask.kernels import (
    DenseKernel,
    LinearKernel,
    _plus_plus,
    kernel_distances,
    kernel_kmeans,
    kernel_lloyd,
    kernel_loss,
)


def samples(seed=0, n=40, d=6) -> np.ndarray:
    return np.random.default_rng(seed).random((n, d))


def test_the_linear_kernel_is_the_product_it_never_forms():
    X, P = samples(), samples(1, 10, 3)
    for kernel in (LinearKernel(X), LinearKernel(sparse.csr_array(X)), DenseKernel(X @ X.T)):
        np.testing.assert_allclose(kernel.times(P, slice(5, 15)), X @ X[5:15].T @ P, atol=1e-12)
        np.testing.assert_allclose(kernel.diagonal, np.sum(X**2, axis=1), atol=1e-12)
        np.testing.assert_allclose(kernel.block(slice(5, 15)).times(P), X[5:15] @ X[5:15].T @ P, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 40, 41])
def test_the_gaussian_kernel_is_scikit_learns_with_the_median_of_all_pairs(n):
    X = samples(n=n)
    squared = euclidean_distances(X, squared=True)
    median = np.median(squared[np.triu_indices(n, 1)])
    for matrix in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(DenseKernel.gaussian(matrix).K, rbf_kernel(X, gamma=1 / median), atol=1e-12)


def test_the_gaussian_kernel_of_equal_samples_and_of_one_is_all_ones():
    np.testing.assert_array_equal(DenseKernel.gaussian(np.ones((4, 2))).K, np.ones((4, 4)))
    np.testing.assert_array_equal(DenseKernel.gaussian(np.ones((1, 2))).K, [[1.0]])
    mostly = np.vstack([np.zeros((9, 1)), np.ones((1, 1))])  # the median is 0: the mean of the other distances is taken
    np.testing.assert_allclose(DenseKernel.gaussian(mostly).K[0, 9], np.exp(-1.0))


def test_distances_and_loss_are_those_from_the_means_of_the_samples():
    X, labels = samples(), np.arange(40) % 3
    means = np.vstack([X[labels == c].mean(axis=0) for c in range(3)])
    expected = euclidean_distances(X, means, squared=True)
    D = kernel_distances(LinearKernel(X), labels, 4)
    np.testing.assert_allclose(D[:, :3], expected, atol=1e-12)
    assert np.isinf(D[:, 3]).all()
    assert kernel_loss(LinearKernel(X), labels, 4) == pytest.approx(expected[np.arange(40), labels].mean())


def test_kernel_k_means_with_a_linear_kernel_is_k_means_from_the_same_start():
    for seed in range(5):
        X, start = samples(seed), np.random.default_rng(seed).permutation(np.arange(40) % 4)
        means = np.vstack([X[start == c].mean(axis=0) for c in range(4)])
        theirs = KMeans(4, init=means, n_init=1, tol=0.0, algorithm="lloyd").fit(X)
        np.testing.assert_array_equal(kernel_lloyd(LinearKernel(X), start, 4), theirs.labels_)


def test_an_empty_cluster_takes_the_farthest_sample(make_task):
    X = make_task("a").task.X
    labels = kernel_lloyd(LinearKernel(X), np.zeros(60, dtype=np.int64), 3)
    assert agreement(np.arange(60) % 3, labels) == 1.0


def test_equal_samples_leave_clusters_empty_and_end():
    assert set(kernel_kmeans(LinearKernel(np.ones((6, 2))), 3, n_init=2, seed=0)) == {0}
    assert not kernel_kmeans(LinearKernel(np.zeros((6, 2))), 3, n_init=1, seed=0).any()


def test_far_groups_get_a_seed_each_and_more_starts_lose_no_more(make_task):
    labelled = make_task("a")
    kernel = LinearKernel(labelled.task.X)
    start = _plus_plus(kernel, 3, np.random.default_rng(0))
    assert agreement(labelled.y, start) == 1.0
    hard = LinearKernel(samples(n=80))
    one, ten = (kernel_loss(hard, kernel_kmeans(hard, 6, n_init=n, seed=1), 6) for n in (1, 10))
    assert ten <= one


def test_a_further_seed_is_the_draw_that_leaves_the_least_distance():
    X = samples(n=50)
    squared = euclidean_distances(X, squared=True)
    for seed in range(5):
        generator = np.random.default_rng(seed)
        first = generator.integers(50)
        draws = generator.choice(50, size=2, p=squared[first] / squared[first].sum())
        second = min(draws, key=lambda j: np.minimum(squared[first], squared[j]).sum())
        expected = (squared[second] < squared[first]).astype(int)
        np.testing.assert_array_equal(_plus_plus(LinearKernel(X), 2, np.random.default_rng(seed)), expected)
