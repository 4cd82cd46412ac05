from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import kl_div as kl
from scipy.special import rel_entr
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_multitask.divergences import KL_FLOOR, Coupling, GeneralisedKL, SquaredEuclidean, _stationary
from lcbench_multitask.transport import blocks_of


def task(seed=0, n=12, d=6, k=3) -> Task:
    generator = np.random.default_rng(seed)
    return Task("a", generator.poisson(1.5, (n, d)).astype(float), k)


@pytest.mark.parametrize("kind", [SquaredEuclidean(), GeneralisedKL()])
@pytest.mark.parametrize("unit_rows", [True, False])
def test_sparse_and_dense_samples_have_the_same_distances(kind, unit_rows):
    dense = task()
    csr = Task("a", sparse.csr_array(dense.X), 3)
    M = np.random.default_rng(1).random((3, 6)) + 0.1
    a, b = kind.points(dense, unit_rows), kind.points(csr, unit_rows)
    np.testing.assert_allclose(kind.distances(a, M), kind.distances(b, M), atol=1e-12)
    labels = np.arange(12) % 3
    np.testing.assert_allclose(a.means(labels), b.means(labels), atol=1e-15)


def test_squared_euclidean_distances_are_scikit_learns():
    points, M = SquaredEuclidean().points(task(), False), np.random.default_rng(1).random((3, 6))
    expected = euclidean_distances(points.X, M, squared=True)
    np.testing.assert_allclose(SquaredEuclidean().distances(points, M), expected, atol=1e-12)
    np.testing.assert_allclose(SquaredEuclidean().between(M), euclidean_distances(M, squared=True), atol=1e-12)


def test_kl_distances_are_scipys():
    points, M = GeneralisedKL().points(task(), False), np.random.default_rng(1).random((3, 6)) + 0.1
    expected = kl(points.X[:, None, :], M[None, :, :]).sum(axis=2)
    np.testing.assert_allclose(GeneralisedKL().distances(points, M), expected, atol=1e-12)
    np.testing.assert_allclose(GeneralisedKL().between(M), kl(M[:, None, :], M[None, :, :]).sum(axis=2), atol=1e-12)


def test_unit_rows_have_length_1_or_for_kl_sum_1_and_zero_rows_stay():
    X = np.vstack([task().X, np.zeros(6)])
    norms = np.linalg.norm(SquaredEuclidean().points(Task("a", X, 3), True).X, axis=1)
    sums = GeneralisedKL().points(Task("a", X, 3), True).X.sum(axis=1)
    for lengths in (norms, sums):
        np.testing.assert_allclose(lengths, [1.0] * 12 + [0.0])


def test_k_means_starts_on_the_samples_or_for_kl_on_their_square_roots_of_length_1():
    X = task().X
    euclidean, kl_kind = SquaredEuclidean(), GeneralisedKL()
    np.testing.assert_allclose(euclidean.features(euclidean.points(task(), True)), normalize(X))
    np.testing.assert_allclose(kl_kind.features(kl_kind.points(task(), True)), normalize(np.sqrt(X)))


def test_samples_that_equal_a_centroid_have_distance_zero_exactly():
    points = SquaredEuclidean().points(task(), True)
    assert not np.diagonal(SquaredEuclidean().distances(points, points.X.copy())).any()


def test_kl_of_a_word_that_a_centroid_lacks_is_large_but_finite():
    kind = GeneralisedKL()
    points = kind.points(Task("a", np.array([[1.0, 1.0], [2.0, 0.0]]), 1), False)
    D = kind.distances(points, np.array([[1.0, 0.0]]))
    expected = rel_entr([1.0, 1.0], [1.0, KL_FLOOR]).sum() - 2 + 1
    assert D[0, 0] == pytest.approx(expected, rel=1e-9)


def test_a_new_centroid_is_the_sample_or_for_kl_half_way_to_it_so_that_it_lacks_no_word():
    x, m = np.array([1.0, 0.0]), np.array([0.25, 0.75])
    np.testing.assert_array_equal(SquaredEuclidean().seed(x, m), x)
    np.testing.assert_array_equal(GeneralisedKL().seed(x, m), [0.625, 0.375])


def test_kl_refuses_negative_features():
    with pytest.raises(UnsuitableTaskError, match="divergence=kl needs features that are not negative, but task 'a'"):
        GeneralisedKL().points(Task("a", np.array([[1.0], [-1.0]]), 1), True)


def test_means_of_empty_clusters_are_that_of_all_or_what_was_there():
    points = SquaredEuclidean().points(task(), False)
    labels = np.zeros(12, dtype=np.int64)
    np.testing.assert_allclose(points.means(labels)[1:], np.tile(points.X.mean(axis=0), (2, 1)))
    kept = np.arange(18.0).reshape(3, 6)
    np.testing.assert_allclose(points.means(labels, kept)[1:], kept[1:])


def slope(z, a, b, c, e) -> float:
    """The derivative of the objective by a coordinate of a centroid, z its logarithm."""
    return a * z - b + c - e * np.exp(-z)


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1.0, 1e3, 1e8])
def test_the_closed_form_of_a_kl_centroid_is_the_root_a_solver_finds(scale):
    generator = np.random.default_rng(0)
    a, c = scale * generator.random(5), generator.random(5)
    b, e = scale * (generator.random((5, 4)) * 10 - 9), generator.random((5, 4)) ** 8 * (1 + scale)
    m = _stationary(a, b, c, e)
    for k in range(5):
        for j in range(4):
            root = brentq(slope, -600, 600, args=(a[k], b[k, j], c[k], e[k, j]), xtol=1e-13, rtol=1e-14)
            assert np.log(m[k, j]) == pytest.approx(root, abs=1e-6)


def test_a_kl_centroid_without_coupling_is_the_mean_and_without_samples_a_geometric_one():
    m = _stationary(np.array([0.0, 2.0]), np.array([[0.0], [3.0]]), np.array([0.5, 0.0]), np.array([[2.0], [0.0]]))
    np.testing.assert_allclose(m, [[4.0], [np.exp(1.5)]])


@pytest.mark.parametrize("kind", [SquaredEuclidean(), GeneralisedKL()])
def test_an_empty_cluster_keeps_its_centroid(kind):
    M = np.random.default_rng(0).random((4, 3)) + 0.1
    R = np.zeros((4, 4))
    R[0, 2] = R[2, 0] = 1.0
    masses, sums = np.array([1.0, 0.0, 1.0, 0.0]), np.vstack([M[0], np.zeros(3), M[2], np.zeros(3)])
    moved = kind.centroids(masses, sums, M, Coupling(R, blocks_of([2, 2]), 1.0))
    np.testing.assert_allclose(moved[[1, 3]], M[[1, 3]])
    assert not np.allclose(moved[0], M[0])


def test_two_euclidean_centroids_by_hand():
    # Two tasks of one cluster: (1 + w) m = x + w m', so m = (x + w (x + x')) / (1 + 2 w), here with w = 2 * 0.5.
    sums = np.array([[0.0], [3.0]])
    coupling = Coupling(np.array([[0.0, 1.0], [1.0, 0.0]]), blocks_of([1, 1]), 0.5)
    moved = SquaredEuclidean().centroids(np.ones(2), sums, sums, coupling)
    np.testing.assert_allclose(moved, [[1.0], [2.0]])
