"""The knowledge library of L2SC, and the three readings of its L2,1 term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lcbench import FloatArray
from lcbench_spectral.products import add_scaled, product
from lcbench_spectral.projections import polar, polar_parts

SPARSE_FLOOR = 1e-3
SPARSE_STEPS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """The knowledge that L2SC carries from task to task: nothing in it grows with the number of tasks.

    L (d x k) is the feature embedding, B (k x k) the basis, C = sum_t lam Â_tᵀ E_t (d x k) what the tasks said about
    the features, M = sum_t E_tᵀ K_t E_t (k x k; kept for the paper's update of B only, else None).
    """

    L: FloatArray
    B: FloatArray
    C: FloatArray
    learned: int
    M: FloatArray | None = None

    @property
    def width(self) -> int:
        """The number of columns of L."""
        return int(self.L.shape[1])

    @classmethod
    def first(cls, A: Any, E: FloatArray, *, keep_m: bool = False) -> Library:
        """An empty library whose L is the best for the encoding E of the first task."""
        k = E.shape[1]
        S = product(A.T, E)
        L = polar(S, np.eye(*S.shape))
        return cls(L=L, B=np.eye(k), C=np.zeros_like(L), learned=0, M=np.zeros((k, k)) if keep_m else None)

    def widened(self, A: Any, E: FloatArray) -> Library:
        """This library with as many columns as E, if it has fewer.

        The new columns of L are orthonormal, orthogonal to the old ones, and of those the ones that fit the new task
        best: the leading left singular vectors of what L leaves over of Âᵀ E.
        """
        old, new = self.width, E.shape[1]
        if new <= old:
            return self
        S = product(A.T, E)
        left = np.linalg.svd(S - self.L @ (self.L.T @ S), full_matrices=False)[0]
        basis = np.linalg.qr(np.hstack([self.L, left[:, : new - old]]))[0]
        L = np.hstack([self.L, basis[:, old:]])
        C = np.hstack([self.C, np.zeros((len(self.C), new - old))])
        B = np.eye(new)
        B[:old, :old] = self.B
        M = None if self.M is None else np.pad(self.M, (0, new - old))
        return Library(L=L, B=B, C=C, learned=self.learned, M=M)


def row_norms(L: FloatArray) -> FloatArray:
    """The lengths of the rows of L."""
    norms: FloatArray = np.sqrt((L * L) @ np.ones(L.shape[1]))  # a third of the time of sums along short rows
    return norms


@dataclass(frozen=True, slots=True)
class L21:
    """The term r(L) of the objective and the step that raises tr(Lᵀ S) + r(L); l_i are the rows of L.

    The paper prints + mu ||L||_2,1, calls it sparse, and gives two steps that differ:

    - `theta_inv`, the displayed equations: L = polar(S + 2 mu diag(||l_i||) L), ascent for r = (2/3) mu sum ||l_i||³.
      Mild, never divides by zero.
    - `theta`, Algorithm 1: L = polar(S + mu diag(1/||l_i||) L), ascent for r = + mu sum ||l_i||, as printed. It rewards
      rows of equal length, the opposite of sparsity.
    - `sparse`, what the text means: r = - mu sum h(||l_i||) with h(x) = x, rounded off to x²/(2 f) + f/2 below
      f = 0.001; twenty majorised steps.
    """

    reading: str
    mu: float

    def value(self, norms: FloatArray) -> float:
        """r(L) by the lengths of the rows of L."""
        if self.reading == "theta_inv":
            return float(2.0 / 3.0 * self.mu * (norms @ (norms * norms)))
        if self.reading == "theta":
            return float(self.mu * np.sum(norms))
        rounded = np.where(norms < SPARSE_FLOOR, norms**2 / (2 * SPARSE_FLOOR) + SPARSE_FLOOR / 2, norms)
        return float(-self.mu * np.sum(rounded))

    def step(self, S: FloatArray, L: FloatArray, norms: FloatArray) -> tuple[FloatArray, FloatArray]:
        """An L with orthonormal columns and tr(Lᵀ S) + r(L) no smaller than before, as the product of the two returned.

        `norms` are the lengths of the rows of L. S may be overwritten.
        """
        if not self.mu:
            return polar_parts(S, L)
        if self.reading != "sparse":
            return polar_parts(add_scaled(self._weights(norms), L, S), L)
        for _ in range(SPARSE_STEPS):
            base, root = polar_parts(add_scaled(self._weights(norms), L, S.copy()), L)
            L = base @ root
            norms = row_norms(L)
        return base, root

    def _weights(self, norms: FloatArray) -> FloatArray:
        """The factors of the rows of L in the step."""
        factors: FloatArray
        if self.reading == "theta_inv":
            factors = (2.0 * self.mu) * norms
        elif self.reading == "theta":
            factors = self.mu * np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        else:
            curvature = 0.5 / np.maximum(norms, SPARSE_FLOOR)
            factors = (2.0 * self.mu) * (curvature.max() - curvature)
        return factors


def eigenvector_basis(G: FloatArray) -> FloatArray:
    """The paper's B: eigenvectors of the symmetrised G by falling eigenvalue, each with its largest entry positive."""
    vectors = np.linalg.eigh((G + G.T) / 2.0)[1][:, ::-1]
    signs = np.sign(vectors[np.argmax(np.abs(vectors), axis=0), np.arange(vectors.shape[1])])
    signed: FloatArray = vectors * np.where(signs == 0, 1.0, signs)
    return signed
