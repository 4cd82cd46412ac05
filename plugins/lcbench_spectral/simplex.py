"""Projection onto the probability simplex."""

from __future__ import annotations

import numpy as np

from lcbench import FloatArray


def project_rows(V: FloatArray) -> FloatArray:
    """For every row v of V the nearest r with r >= 0 and sum(r) = 1.

    Sorted falling u, rho = max{j : u_j - (u_1 + ... + u_j - 1) / j > 0}, theta = (u_1 + ... + u_rho - 1) / rho; the
    projection is max(v - theta, 0).

    References
    ----------
    Duchi, Shalev-Shwartz, Singer, Chandra: Efficient Projections onto the l1-Ball. ICML 2008.
    """
    u = -np.sort(-V, axis=1)
    excess = np.cumsum(u, axis=1) - 1.0
    ranks = np.arange(1, V.shape[1] + 1)
    rho = np.count_nonzero(u * ranks > excess, axis=1)
    theta = np.take_along_axis(excess, rho[:, None] - 1, axis=1) / rho[:, None]
    projected: FloatArray = np.maximum(V - theta, 0.0)
    return projected
