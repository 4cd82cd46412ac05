"""The spectral embedding of a graph, and a partition from an embedding."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from lcbench import FloatArray, IntArray, UnsuitableTaskError

DENSE_BELOW = 100
DENSE_RESCUE = 3000


def leading_eigenvectors(K: Any, k: int) -> FloatArray:
    """The k leading eigenvectors of a normalised affinity, as columns, by falling eigenvalue.

    A sparse K is taken apart into its connected components, each of which has the eigenvalue 1 exactly once: an
    iterative solver could miss copies of a multiple eigenvalue. With more than k components the larger ones win.
    """
    if not sparse.issparse(K):
        return _dense(K, k)[1]
    count, member = connected_components(K, directed=False)
    if count == 1:
        return _component(K, k)[1]
    pairs: list[tuple[float, int, Any, FloatArray]] = []
    sizes = np.bincount(member)
    for c in np.argsort(-sizes, kind="stable"):
        if sizes[c] == 1 and len(pairs) >= k:
            break  # rows without an edge have the eigenvalue 0; enough others have been found
        index = np.flatnonzero(member == c)
        values, vectors = _component(K[index][:, index], min(k, len(index)))
        pairs += [(round(value, 9), len(index), index, vector) for value, vector in zip(values, vectors.T, strict=True)]
    pairs.sort(key=lambda pair: (-pair[0], -pair[1]))
    F = np.zeros((K.shape[0], k))
    for column, (_, _, index, vector) in enumerate(pairs[:k]):
        F[index, column] = vector
    return F


def _component(K: Any, k: int) -> tuple[FloatArray, FloatArray]:
    n = K.shape[0]
    if n < DENSE_BELOW or 2 * k + 1 >= n:
        return _dense(K.toarray(), k)
    start = np.random.default_rng(0).uniform(0.5, 1.5, n)
    for ncv in (None, min(n, max(10 * k, 100))):
        try:
            values, vectors = eigsh(K, k, which="LA", v0=start, ncv=ncv, rng=np.random.default_rng(0))
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
    from scipy.linalg import eigh

    n = K.shape[0]
    values, vectors = eigh(K, subset_by_index=(n - k, n - 1))
    return values[::-1], vectors[:, ::-1]


def embed_labels(F: FloatArray, k: int, *, seed: int, normalize_rows: bool = True) -> IntArray:
    """Labels by k-means on the rows of an embedding: k-means++ starts, the best of ten.

    Rows are scaled to length 1 first (zero rows stay); `normalize_rows=False` is the letter of the L2SC paper.
    """
    if k == 1:
        return np.zeros(len(F), dtype=np.int64)
    if normalize_rows:
        norms = np.linalg.norm(F, axis=1, keepdims=True)
        F = np.divide(F, norms, out=np.zeros_like(F), where=norms > 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters: some stay empty
        labels: IntArray = KMeans(k, n_init=10, random_state=seed).fit(F).labels_.astype(np.int64)
    return labels
