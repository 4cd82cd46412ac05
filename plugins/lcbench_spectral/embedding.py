"""Leading eigenvectors and singular vectors, and partitions from embeddings made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, svds

from lcbench import FloatArray, IntArray, Matrix, UnsuitableTaskError
from lcbench_spectral.kmeans import kmeans_labels
from lcbench_spectral.products import SquareOperator
from lcbench_spectral.projections import polar
from lcbench_spectral.scaling import unit_rows

DENSE_BELOW = 100
DENSE_RESCUE = 3000
ROTATION_STARTS = 20
ROTATION_STEPS = 100
ROTATION_TOLERANCE = 1e-12


def leading_eigenvectors(K: Any, k: int, *, tolerance: float = 0.0, most: float = 1.0) -> FloatArray:
    """The k leading eigenvectors of a normalised affinity, as columns, by falling eigenvalue.

    `most` is a bound on the eigenvalues, where K is another matrix.

    They are exact up to rounding, or for a sparse K to about `tolerance`, which saves time.

    A sparse K is taken apart into its connected components, each of which has the eigenvalue 1 exactly once: an
    iterative solver could miss copies of a multiple eigenvalue. With more than k components the larger ones win.
    """
    if not sparse.issparse(K):
        return _dense(K, k)[1]
    count, member = connected_components(K, directed=False)
    if count == 1:
        return _component(K, k, tolerance)[1]
    pairs: list[tuple[float, int, Any, FloatArray]] = []
    sizes = np.bincount(member)
    for c in np.argsort(-sizes, kind="stable"):
        if sizes[c] == 1 and len(pairs) >= k:
            break  # rows without an edge have the eigenvalue 0; enough others have been found
        if sum(value >= most for value, *_ in pairs) >= k:
            break  # none is greater, and of equal ones those of larger components win
        index = np.flatnonzero(member == c)
        values, vectors = _component(K[index][:, index], min(k, len(index)), tolerance)
        pairs += [(round(value, 9), len(index), index, vector) for value, vector in zip(values, vectors.T, strict=True)]
    pairs.sort(key=lambda pair: (-pair[0], -pair[1]))
    F = np.zeros((K.shape[0], k))
    for column, (_, _, index, vector) in enumerate(pairs[:k]):
        F[index, column] = vector
    return F


def _component(K: Any, k: int, tolerance: float) -> tuple[FloatArray, FloatArray]:
    n = K.shape[0]
    if n < DENSE_BELOW or 2 * k + 1 >= n:
        return _dense(K.toarray(), k)
    start = np.random.default_rng(0).uniform(0.5, 1.5, n)
    graph = SquareOperator(K)
    for ncv in (None, min(n, max(10 * k, 100))):
        try:
            values, vectors = eigsh(
                graph, k, which="LA", v0=start, ncv=ncv, tol=tolerance, rng=np.random.default_rng(0)
            )
        except ArpackNoConvergence:
            continue
        order = np.argsort(-values)
        return values[order], vectors[:, order]
    if n <= DENSE_RESCUE:
        return _dense(K.toarray(), k)
    raise UnsuitableTaskError(
        f"The graph of {n} samples is so loosely knit that its leading eigenvectors cannot be found: raise "
        "n_neighbors, or sigma where the method has one."
    )


def _dense(K: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    from scipy.linalg import LinAlgError, eigh

    n = K.shape[0]
    try:
        values, vectors = eigh(K, subset_by_index=(n - k, n - 1))
    except LinAlgError:
        vectors = np.empty((n, 0))
    if vectors.shape[1] < k:  # LAPACK may miss copies of a multiple eigenvalue, as that of a complete graph
        values, vectors = (found[..., n - k :] for found in eigh(K, driver="evd"))
    return values[::-1], vectors[:, ::-1]


def right_singular(X: Matrix, k: int, mean: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """The k largest singular values of `X`, or of `X - 1 meanᵀ`, and their right singular vectors as columns.

    There are fewer where `X` is smaller. A sparse `X` is not made dense to be centred, unless one side of it is short.
    """
    smaller = min(X.shape)
    if smaller < DENSE_BELOW or 2 * k + 1 >= smaller:
        dense = X.toarray() if sparse.issparse(X) else X
        _, values, right = np.linalg.svd(dense if mean is None else dense - mean, full_matrices=False)
    else:
        start = np.random.default_rng(0).uniform(-1.0, 1.0, smaller)
        operator = X if mean is None else centred(X, mean)
        _, values, right = svds(operator, k, v0=start, rng=np.random.default_rng(0))
    order = np.argsort(-values, kind="stable")[:k]
    return values[order], right[order].T


def centred(X: Matrix, mean: FloatArray) -> Any:
    """`X - 1 meanᵀ` as a linear operator."""

    def apply(U: FloatArray) -> FloatArray:
        product: FloatArray = X @ U - mean @ U
        return product

    def apply_transposed(V: FloatArray) -> FloatArray:
        product: FloatArray = X.T @ V - (np.outer(mean, V.sum(axis=0)) if V.ndim == 2 else mean * V.sum())
        return product

    return LinearOperator(
        X.shape, dtype=np.float64, matvec=apply, rmatvec=apply_transposed, matmat=apply, rmatmat=apply_transposed
    )


def embed_labels(F: FloatArray, k: int, *, seed: int, normalize_rows: bool = True) -> IntArray:
    """Labels by k-means on the rows of an embedding.

    Rows are scaled to length 1 first (zero rows stay); `normalize_rows=False` is the letter of the L2SC paper.
    """
    if normalize_rows:
        norms = np.linalg.norm(F, axis=1, keepdims=True)
        F = np.divide(F, norms, out=np.zeros_like(F), where=norms > 1e-12)
    return kmeans_labels(F, k, seed=seed)


def rotation_labels(F: FloatArray, k: int, *, seed: int) -> IntArray:
    """Labels argmax_j (F Q)_ij of the rotation Q that brings the rows of F, scaled to length 1, nearest to indicators.

    Alternates Y = onehot(argmax F Q) and Q = polar(Fᵀ Y), which never lowers tr(Qᵀ Fᵀ Y), from twenty starts whose axes
    are rows of F: the first at random, each further one that which is least like those before. The best start wins.
    Zero rows get the label 0.

    References
    ----------
    Yu, Shi: Multiclass Spectral Clustering. ICCV 2003.
    """
    if k == 1:
        return np.zeros(len(F), dtype=np.int64)
    F = unit_rows(F)
    generator = np.random.default_rng(seed)
    runs = [_rotate(F, _axes(F, k, int(first))) for first in generator.integers(len(F), size=ROTATION_STARTS)]
    return max(runs, key=lambda run: run[0])[1]  # the first of equals


def _axes(F: FloatArray, k: int, first: int) -> FloatArray:
    Q = np.empty((F.shape[1], k))
    Q[:, 0] = F[first]
    similarity = np.zeros(len(F))
    for column in range(1, k):
        similarity += np.abs(F @ Q[:, column - 1])
        Q[:, column] = F[np.argmin(similarity)]
    return Q


def _rotate(F: FloatArray, Q: FloatArray) -> tuple[float, IntArray]:
    rows, k = np.arange(len(F)), Q.shape[1]
    reached = -np.inf
    labels = np.zeros(len(F), dtype=np.int64)
    for _ in range(ROTATION_STEPS):
        labels = (F @ Q).argmax(axis=1)
        Q = polar(F.T @ np.eye(k)[labels], Q)
        before, reached = reached, float(np.sum((F @ Q)[rows, labels]))
        if reached <= before + ROTATION_TOLERANCE * len(F):
            break
    return reached, labels
