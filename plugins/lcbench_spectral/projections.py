"""Projects onto matrices with orthonormal columns, and rows onto the probability simplex."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgesdd, dsyevd

from lcbench import FloatArray

# Below this ratio of the extreme eigenvalues of the Gram matrix its square root loses too many digits.
GRAM_CONDITION = 1e-6
SQUARE_CONDITION = 1e-3  # the same, of the singular values


def polar(A: FloatArray, previous: FloatArray | None = None) -> FloatArray:
    """The orthonormal factor U Vᵀ of A = U S Vᵀ: the Q with QᵀQ = I that maximises tr(Qᵀ A).

    Computed as A (AᵀA)^-1/2 through the k x k Gram matrix where that is accurate, else by a thin SVD. Where A has not
    full rank the factor is not unique; a trace of `previous` decides.
    """
    base, root = polar_parts(A, previous)
    factor: FloatArray = base @ root
    return factor


def polar_parts(A: FloatArray, previous: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """The orthonormal factor of A as the product of two: of A and (AᵀA)^-1/2, where that is accurate.

    It need not be multiplied out where only its products with others count. Otherwise the first of the two is another
    matrix than A.
    """
    gram = A.T @ A
    values, vectors, failed = dsyevd(gram, lower=1)  # NumPy's eigh to the bit, in a third of its time
    if failed:
        values, vectors = np.linalg.eigh(gram)
    if values[0] > GRAM_CONDITION * values[-1]:
        return A, (vectors / np.sqrt(values)) @ vectors.T
    if previous is not None:
        A = A + 1e-10 * previous
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return left, right


def square_polar(A: FloatArray) -> FloatArray:
    """The orthonormal factor of a small square A, near I where it is not unique: in half of the time of `polar`."""
    left, values, right, failed = dgesdd(A)
    if failed or values[-1] <= SQUARE_CONDITION * values[0]:
        return polar(A, np.eye(len(A)))
    factor: FloatArray = left @ right
    return factor


def simplex_rows(V: FloatArray) -> FloatArray:
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
