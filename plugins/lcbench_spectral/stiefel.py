"""Projection onto the matrices with orthonormal columns."""

from __future__ import annotations

import numpy as np

from lcbench import FloatArray

# Below this ratio of the extreme eigenvalues of the Gram matrix its square root loses too many digits.
GRAM_CONDITION = 1e-6


def polar(A: FloatArray, previous: FloatArray | None = None) -> FloatArray:
    """The orthonormal factor U Vᵀ of A = U S Vᵀ: the Q with QᵀQ = I that maximises tr(Qᵀ A).

    Computed as A (AᵀA)^-1/2 through the k x k Gram matrix where that is accurate, else by a thin SVD. Where A has not
    full rank the factor is not unique; a trace of `previous` decides.
    """
    values, vectors = np.linalg.eigh(A.T @ A)
    if values[0] > GRAM_CONDITION * values[-1]:
        projected: FloatArray = A @ ((vectors / np.sqrt(values)) @ vectors.T)
        return projected
    if previous is not None:
        A = A + 1e-10 * previous
    left, _, right = np.linalg.svd(A, full_matrices=False)
    factor: FloatArray = left @ right
    return factor
