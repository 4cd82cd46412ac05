from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from lcbench_spectral import neighbours
from lcbench_spectral.neighbours import exact_squared_distances, nearest_pairs, squared_distances
from lcbench_spectral.scaling import unit_rows


def documents(n: int, d: int = 300, *, seed: int = 0) -> sparse.csr_array:
    """Unit rows of about a dozen words, some words in many rows."""
    generator = np.random.default_rng(seed)
    chances = 1.0 / np.arange(1, d + 1)
    counts = generator.poisson(12 * chances / chances.sum(), size=(n, d)).astype(float)
    counts[:, 0] += 1
    return unit_rows(sparse.csr_array(counts * generator.uniform(0.5, 1.5, size=d)))


def by_row(edges, n: int):
    """Distances of each row's neighbours, in rising order."""
    i, _, squared = edges
    return np.array([np.sort(squared[i == row]) for row in range(n)])


@pytest.mark.parametrize("block", [64, 100, 1024])
@pytest.mark.parametrize("count", [1, 10, 40])
def test_rough_cosines_find_the_nearest_rows_that_scikit_learn_finds(monkeypatch, block, count):
    monkeypatch.setattr(neighbours, "BLOCK", block)
    n = 250
    X = documents(n)
    found = neighbours._by_rough_cosines(X, count)
    theirs, _ = NearestNeighbors(n_neighbors=count, metric="euclidean").fit(X).kneighbors()
    assert all((found[0] == row).sum() == count for row in range(n))
    assert not (found[0] == found[1]).any()
    np.testing.assert_allclose(by_row(found, n), theirs**2, atol=1e-9)


def test_rough_cosines_give_every_bit_of_a_search_row_by_row(monkeypatch):
    X = documents(500)
    row_by_row = nearest_pairs(X, 10, unit=True)
    monkeypatch.setattr(neighbours, "ROUGH_FROM", 0)
    monkeypatch.setattr(neighbours, "MANY_SUMS", np.inf)
    rough = nearest_pairs(X, 10, unit=True)
    assert (by_row(rough, 500) == by_row(row_by_row, 500)).all()


def test_equal_distances_are_decided_by_number():
    X = sparse.csr_array(np.repeat(np.eye(2), 30, axis=0))
    i, j, squared = neighbours._by_rough_cosines(X, 3)
    assert not squared.any()
    assert j[i == 45].tolist() == [30, 31, 32]
    assert j[i == 30].tolist() == [31, 32, 33]


def test_rough_cosines_hold_no_matrix_of_all_pairs():
    n = 4000
    X = documents(n)
    tracemalloc.start()
    neighbours._by_rough_cosines(X, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * n * n / 2


def test_exact_distances_of_pairs_are_those_of_the_whole_matrix(monkeypatch):
    X = documents(90)
    generator = np.random.default_rng(1)
    i, j = np.sort(generator.integers(90, size=400)), generator.integers(90, size=400)
    for bytes_at_a_time in (neighbours.CHUNK_BYTES, 8 * 300 * 7):
        monkeypatch.setattr(neighbours, "CHUNK_BYTES", bytes_at_a_time)
        assert (exact_squared_distances(X, i, j) == squared_distances(X)[i, j]).all()
        np.testing.assert_allclose(exact_squared_distances(X.toarray(), i, j), squared_distances(X)[i, j], atol=1e-12)


@pytest.mark.parametrize("values", [3, 1000])
def test_of_equal_distances_those_are_taken_that_argpartition_takes(values):
    generator = np.random.default_rng(0)
    X = generator.integers(values, size=(60, 2)).astype(float)  # with few values many distances are equal
    i, j, squared = nearest_pairs(X, 5, unit=False)
    distances = squared_distances(X)
    np.fill_diagonal(distances, np.inf)
    for row, near in enumerate(j.reshape(60, 5)):
        assert set(near) == set(np.argpartition(distances[row], 4)[:5])
    assert (i == np.repeat(np.arange(60), 5)).all()
    assert (squared == distances[i, j]).all()
