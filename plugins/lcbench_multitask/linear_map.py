"""Clusters of new samples of a task, from the linear map that predicts its embedding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lcbench import FloatArray, IntArray, Matrix
from lcbench_spectral.affinity import unit_rows
from lcbench_spectral.scaling import squared_norms
from lcbench_spectral.stiefel import polar


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """The rows of X W + 1 bᵀ, scaled to length 1 if `unit`, go to the cluster of largest (row · axis) - offset.

    `features` are those whose rows of the d x k map are not zero, and `W` holds these rows.
    """

    features: IntArray
    W: FloatArray
    b: FloatArray
    unit: bool
    axes: FloatArray
    offsets: FloatArray
    clusters: IntArray

    def labels(self, X: Matrix) -> IntArray:
        """The clusters of the rows of X."""
        rows = np.asarray(X[:, self.features] @ self.W) + self.b
        if self.unit:
            rows = unit_rows(rows)[0]
        labels: IntArray = self.clusters[(rows @ self.axes - self.offsets).argmax(axis=1)]
        return labels


def map_to_centres(W: FloatArray, b: FloatArray, F: FloatArray, labels: IntArray, *, unit: bool) -> LinearMap:
    """To the nearest of the centres that the clusters have in the embedding F, whose rows are scaled if `unit`."""
    rows = unit_rows(F)[0] if unit else F
    clusters, Y = _indicators(labels)
    centres = (Y / Y.sum(axis=0)).T @ rows
    features = np.flatnonzero(W.any(axis=1))
    return LinearMap(features, W[features], b, unit, centres.T, 0.5 * squared_norms(centres), clusters)


def map_to_rotation(W: FloatArray, b: FloatArray, F: FloatArray, labels: IntArray) -> LinearMap:
    """To the largest coordinate after the rotation that brings the rows of F nearest to the indicators of `labels`."""
    clusters, Y = _indicators(labels)
    features = np.flatnonzero(W.any(axis=1))
    axes = polar(unit_rows(F)[0].T @ Y)
    return LinearMap(features, W[features], b, False, axes, np.zeros(len(clusters)), clusters)


def _indicators(labels: IntArray) -> tuple[IntArray, FloatArray]:
    """The clusters that are not empty, and the 0-1 matrix of samples by these."""
    clusters, codes = np.unique(labels, return_inverse=True)
    return clusters, np.eye(len(clusters))[codes]
