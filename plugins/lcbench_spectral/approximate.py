"""The nearest neighbours of every row of a large matrix, nearly all of them, in little more than linear time."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix
from lcbench_spectral.neighbours import Edges, exact_squared_distances, nearest_found
from lcbench_spectral.scaling import unit_rows

DIMENSIONS = {True: 256, False: 64}  # of the projection, of sparse rows and of dense ones
CANDIDATES = {True: 8, False: 5}  # rows found in the projection for every neighbour asked for
LISTED, LISTS = 100, 20  # rows in a list of like ones, and lists that are searched for every row
BACK = 2  # rows looked at that have a row as their neighbour, the nearest of them, for every neighbour asked for
BLOCK = 4000  # rows whose neighbours' neighbours are looked at together


def is_installed() -> bool:
    """True if the extra `large` is there."""
    return find_spec("faiss") is not None


def approximate_pairs(X: Matrix, count: int, *, unit: bool) -> Edges:
    """The `count` nearest other rows of every row, nearly all of them, with their exact squared distances.

    Rows are projected on a few directions (randomised, from a fixed seed) and put into lists of like ones by k-means.
    The nearest in some of these lists are candidates, and exact distances choose among them. Sparse rows lose more in
    the projection: the neighbours of their neighbours, in both directions, are looked at too.

    References
    ----------
    Jégou, Douze, Schmid: Product Quantization for Nearest Neighbor Search. IEEE TPAMI 33(1), 2011 (inverted lists).
    Dong, Moses, Li: Efficient k-Nearest Neighbor Graph Construction for Generic Similarity Measures. WWW 2011.
    Halko, Martinsson, Tropp: Finding Structure with Randomness. SIAM Review 53(2), 2011.
    """
    n, is_sparse = X.shape[0], sparse.issparse(X)
    found = _candidates(_projected(X, unit), min(CANDIDATES[is_sparse] * count, n - 1))
    edges = _nearest(X, count, np.repeat(np.arange(n), found.shape[1]), found.ravel())
    if not is_sparse:
        return edges
    linked = _linked(n, count, edges)
    parts = []
    for start in range(0, n, BLOCK):
        i, j = (linked[start : start + BLOCK] @ linked).tocoo().coords
        parts.append(_nearest(X, count, start + i.astype(np.int64), j.astype(np.int64)))
    i, j, squared = (np.concatenate(column) for column in zip(*parts, strict=True))
    return i, j, squared


def _nearest(X: Matrix, count: int, i: IntArray, j: IntArray) -> Edges:
    """The `count` nearest of the rows `j` that were found for each row `i`, rising; not itself, ties by number."""
    others = i != j
    i, j = i[others], j[others]
    return nearest_found((i, j, exact_squared_distances(X, i, j)), count)


def _linked(n: int, count: int, edges: Edges) -> sparse.csr_array:
    """Links from each row to itself, to its neighbours, and to the nearest of those whose neighbour it is."""
    i, j, squared = edges
    order = np.lexsort((i, squared, j))
    place = np.arange(len(order)) - np.searchsorted(j[order], j[order])
    back = order[place < BACK * count]
    own = np.arange(n)
    ends = np.concatenate([own, i, j[back]]), np.concatenate([own, j, i[back]])
    return sparse.csr_array((np.ones(len(ends[0]), dtype=np.int32), ends), shape=(n, n))


def _projected(X: Matrix, unit: bool) -> FloatArray:
    from sklearn.utils.extmath import randomized_svd

    is_sparse = sparse.issparse(X)
    X = X if is_sparse else X - X.mean(axis=0)
    width = DIMENSIONS[is_sparse]
    if min(X.shape) <= width:
        dense = X.toarray() if is_sparse else X
    else:
        dense = X @ randomized_svd(X, width, n_iter=0, random_state=0)[2].T
    rows: FloatArray = unit_rows(dense) if unit and is_sparse else dense
    return rows


def _candidates(V: FloatArray, count: int) -> IntArray:
    """About the `count` nearest rows of each row, and itself."""
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # several would add up in the order in which they happen to end
    try:
        rows = np.ascontiguousarray(V, dtype=np.float32)
        n, width = rows.shape
        lists = max(1, n // LISTED)
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(width), width, lists)
        index.cp.niter, index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 8, 1, 64
        index.train(rows)
        index.add(rows)
        index.nprobe = LISTS
        found: IntArray = index.search(rows, count + 1)[1]
        few = np.flatnonzero(found[:, -1] < 0)  # lists with hardly any rows
        if len(few):
            index.nprobe = lists
            found[few] = index.search(rows[few], count + 1)[1]
    finally:
        faiss.omp_set_num_threads(threads)
    return found
