"""The nearest neighbours of every row of a large matrix, nearly all of them, in little more than linear time."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix
from lcbench_spectral.neighbours import CHUNK_BYTES, Edges, exact_squared_distances
from lcbench_spectral.scaling import unit_rows

DIMENSIONS = {True: 256, False: 64}  # of the projection, of sparse rows and of dense ones
CANDIDATES = {True: 15, False: 5}  # rows found in the projection for every neighbour asked for
ROUNDS = {True: 2, False: 0}  # in which the neighbours of neighbours are looked at
LINKS, EFFORT = 16, 40  # of the graph that is searched: links of a row, and rows looked at to find them


def is_installed() -> bool:
    """True if the extra `large` is there."""
    return find_spec("faiss") is not None


def approximate_pairs(X: Matrix, count: int, *, unit: bool) -> Edges:
    """The `count` nearest other rows of every row, nearly all of them, with their exact squared distances.

    Rows are projected on their leading singular vectors (randomised, from a fixed seed). A hierarchical navigable
    small-world graph, built in one thread so that it is always the same, gives candidates there, and exact distances
    choose among them. Sparse rows lose more in the projection: more of them are candidates, and the neighbours of their
    neighbours are looked at too, twice.

    References
    ----------
    Malkov, Yashunin: Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical Navigable Small World
    Graphs. IEEE TPAMI 42(4), 2020.
    Halko, Martinsson, Tropp: Finding Structure with Randomness. SIAM Review 53(2), 2011.
    """
    is_sparse = sparse.issparse(X)
    n = X.shape[0]
    found = _candidates(_projected(X, unit), min(CANDIDATES[is_sparse] * count, n - 1))
    near, squared = _best(X, found, np.empty((n, 0), dtype=np.int64), np.empty((n, 0)), count)
    rows = max(1, CHUNK_BYTES // (8 * count * count))
    for _ in range(ROUNDS[is_sparse]):
        parts = [
            _best(X, near[near[s : s + rows]].reshape(-1, count * count), near[s : s + rows], squared[s : s + rows],
                  count, start=s)
            for s in range(0, n, rows)
        ]  # fmt: skip
        near, squared = (np.vstack(column) for column in zip(*parts, strict=True))
    return np.repeat(np.arange(n), count), near.ravel(), squared.ravel()


def _projected(X: Matrix, unit: bool) -> FloatArray:
    from sklearn.utils.extmath import randomized_svd

    is_sparse = sparse.issparse(X)
    X = X if is_sparse else X - X.mean(axis=0)
    width = DIMENSIONS[is_sparse]
    if min(X.shape) <= width:
        dense = X.toarray() if is_sparse else X
    else:
        right = randomized_svd(X, width, n_iter=2, random_state=0)[2]
        dense = X @ right.T
    rows: FloatArray = unit_rows(dense) if unit and is_sparse else dense
    return rows


def _candidates(V: FloatArray, count: int) -> IntArray:
    """The numbers of about the `count` nearest rows of each row, its own among them; -1 where none was found."""
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # several would link rows in the order in which they happen to come
    try:
        index = faiss.IndexHNSWFlat(V.shape[1], LINKS)
        index.hnsw.efConstruction = EFFORT
        index.hnsw.efSearch = count + EFFORT
        rows = np.ascontiguousarray(V, dtype=np.float32)
        index.add(rows)
        found: IntArray = index.search(rows, count + 1)[1]
    finally:
        faiss.omp_set_num_threads(threads)
    return found


def _best(
    X: Matrix, found: IntArray, near: IntArray, squared: FloatArray, count: int, *, start: int = 0
) -> tuple[IntArray, FloatArray]:
    """The nearest `count` of rows found and of those known to be near, for the rows from `start` on."""
    own = start + np.arange(len(found))[:, None]
    found = np.sort(found, axis=1)
    new = (found >= 0) & (found != own)
    new[:, 1:] &= found[:, 1:] != found[:, :-1]
    for column in near.T:
        new &= found != column[:, None]
    distances = np.full(found.shape, np.inf)
    row, column = np.nonzero(new)
    distances[row, column] = exact_squared_distances(X, start + row, found[row, column])
    near, squared = np.hstack([near, found]), np.hstack([squared, distances])
    order = np.argsort(squared, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(squared, order, axis=1)
