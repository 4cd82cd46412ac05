"""Leading eigenvectors by iteration, of an operator that is known only on vectors near those one asks for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from lcbench import FloatArray

EXTRA = 4  # random columns beside the start
DEPTH = 12  # blocks in the basis before it is made small again
STEPS = 800
RESIDUAL = 1e-7
NOISE = 1e-12


def room_needed(k: int) -> int:
    """Samples from which on k eigenvectors can be found by iteration."""
    return 2 * DEPTH * (k + EXTRA)


def leading_ritz(
    near: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    apply: Callable[[FloatArray, FloatArray], FloatArray],
    start: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The leading eigenvectors F of a symmetric operator, by falling eigenvalue, and the Z that belongs to them.

    `near(V)` gives U near V and a Z from which U follows linearly; `apply(U, Z)` is the operator on U. The space of
    `start` and a few random columns grows by the residuals of its Ritz vectors (Davidson's method; block Lanczos where
    U = V), and shrinks to these vectors when it gets large. How near U is to V matters to the number of steps alone. A
    block finds multiple eigenvalues, which single vectors may miss.
    """
    n, k = start.shape
    generator = np.random.default_rng(0)
    U = Z = image = np.empty((n, 0))
    fresh = np.hstack([start, generator.standard_normal((n, EXTRA))])
    width = fresh.shape[1]
    for _ in range(STEPS):
        u, z = near(np.linalg.qr(fresh)[0])
        overlap = U.T @ u
        u, R = np.linalg.qr(u - U @ overlap)
        z = solve_triangular(R, (z - Z @ overlap).T, trans="T", check_finite=False).T
        U, Z, image = np.hstack([U, u]), np.hstack([Z, z]), np.hstack([image, apply(u, z)])
        T = U.T @ image
        values, vectors = np.linalg.eigh((T + T.T) / 2.0)
        values, vectors = values[: -width - 1 : -1], vectors[:, : -width - 1 : -1]
        F, ZF, image_F = U @ vectors, Z @ vectors, image @ vectors
        fresh = image_F - F * values
        if np.abs(fresh[:, :k]).max() <= RESIDUAL:
            break
        fresh += NOISE * generator.standard_normal((n, width))  # a solved column starts anew
        if U.shape[1] >= DEPTH * width:
            U, Z, image = F, ZF, image_F
    return F[:, :k], ZF[:, :k]
