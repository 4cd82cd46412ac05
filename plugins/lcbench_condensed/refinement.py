"""Refines a partition of samples and prototypes: a tempered mixture of class directions, smoothed over the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from lcbench import FloatArray, IntArray
from lcbench_condensed.shifted import Shifted
from lcbench_spectral.scaling import scaled

FIRST_TEMPERATURE = 10.0
TEMPERATURE_STEPS = 30
ENTROPY_TOLERANCE = 0.02


def refine(
    A: Shifted,
    weights: FloatArray,
    graph: Any,
    start: IntArray,
    *,
    k: int,
    steps: int,
    entropy: float,
    smoothing: float,
) -> IntArray | None:
    """The labels of the samples after some `steps` from the labels `start` of samples and prototypes; None if it fails.

    With A the samples (weight 1) above the unit prototypes, which have the `weights`, w the weights of both, S the
    row-stochastic graph, R the memberships:

        C = unit(Rᵀ diag(w) A),  U = A Cᵀ,  R = softmax(t U + log share + smoothing S R)

    t is such that softmax(t U + log share) has the mean entropy `entropy` log k; the share of a class is its weight in
    R plus the weight of all over k. Where `start` has more than k clusters, those with the fewest samples are
    dissolved. It fails if a cluster ends up without samples.
    """
    n = len(A) - len(weights)
    clusters = int(start.max()) + 1
    kept = np.sort(np.argsort(-np.bincount(start[:n], minlength=max(clusters, k)), kind="stable")[:k])
    R = np.eye(max(clusters, k))[start][:, kept]
    weight = np.concatenate([np.ones(n), weights])
    homeless = R.sum(axis=1) == 0
    weight[n:][homeless[n:]] = 0.0  # a prototype of a class that the task does not have
    R[homeless] = 1.0 / k
    degree = np.asarray(graph.sum(axis=1)).ravel()
    S = scaled(graph, 1.0 / np.where(degree > 0, degree, 1.0))
    t = FIRST_TEMPERATURE
    for _ in range(max(steps, int(homeless[:n].any()))):
        Q = R * weight[:, None]
        U = np.asfortranarray(A.times(unit(A.sums(Q)).T))  # few columns: sums over them are quicker this way round
        share = Q.sum(axis=0) + weight.sum() / k
        offset = np.log(share / share.sum())
        t = temperature(U, offset, entropy * np.log(k), t)
        R = softmax(t * U + offset + smoothing * (S @ R), axis=1)
    labels: IntArray = R[:n].argmax(axis=1).astype(np.int64)
    return labels if len(np.unique(labels)) == k else None


def temperature(U: FloatArray, offset: FloatArray, target: float, start: float) -> float:
    """A t with which the rows of softmax(t U + offset) have the mean entropy `target`, to two percent of it.

    The entropy falls with t; the search doubles or halves t until the target is passed, then takes geometric means.
    """
    low = high = None
    t = start
    for _ in range(TEMPERATURE_STEPS):
        R = softmax(t * U + offset, axis=1)
        entropy = -float((R * np.log(np.maximum(R, 1e-300))).sum()) / len(R)
        if abs(entropy - target) <= ENTROPY_TOLERANCE * target:
            break
        if entropy > target:
            low = t
            t = 2.0 * t if high is None else float(np.sqrt(low * high))
        else:
            high = t
            t = 0.5 * t if low is None else float(np.sqrt(low * high))
        if not 1e-6 < t < 1e6:
            break
    return t


def unit(A: FloatArray) -> FloatArray:
    """The rows of `A` scaled to length 1; zero rows stay."""
    scaled: FloatArray = A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-12)
    return scaled
