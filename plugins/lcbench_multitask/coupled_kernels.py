"""The memberships and the centroids in feature space of coupled tasks, and the steps that lower their objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lcbench import FloatArray, IntArray
from lcbench_multitask.kernels import Kernel
from lcbench_multitask.partitions import blocks_of, one_hot
from lcbench_multitask.transport import transport_plans
from lcbench_spectral.simplex import project_rows

SOFTENING = 0.2
P_STEPS = 5
FLOOR = 1e-9


@dataclass(slots=True, eq=False)
class CoupledKernels:
    """The state of SMKC: P_t (n_t x k_t) for every task, and the centroids M = Phi A of all tasks.

    A (n x clusters of all tasks) has a column per cluster, and KA = K A follows it: the kernel matrix enters through
    the products K[:, rows of t] P_t alone, one per task and iteration. `weight` is w = 2 lam / (T - 1).
    """

    kernel: Kernel
    rows: tuple[slice, ...]
    columns: tuple[slice, ...]
    weight: float
    P: list[FloatArray]
    A: FloatArray
    KA: FloatArray

    @classmethod
    def start(
        cls, kernel: Kernel, labels: Sequence[IntArray], sizes: Sequence[int], *, lam: float, hard: bool
    ) -> CoupledKernels:
        """Memberships from labels, softened unless `hard`, and each task's own best centroids for them."""
        rows, columns = blocks_of([len(h) for h in labels]), blocks_of(sizes)
        P = [one_hot(h, k) for h, k in zip(labels, sizes, strict=True)]
        if not hard:
            P = [(p + SOFTENING) / (1.0 + SOFTENING * p.shape[1]) for p in P]
        shape = (rows[-1].stop, columns[-1].stop)
        model = cls(kernel, rows, columns, 2.0 * lam / max(len(P) - 1, 1), P, np.zeros(shape), np.zeros(shape))
        for t in range(len(P)):
            model.update_centroids(t, np.zeros((shape[1], shape[1])))
        return model

    def couple(self) -> tuple[FloatArray, float]:
        """The best plans between the partitions, and what the coupling adds to the objective."""
        gram = self.A.T @ self.KA
        squares = np.diagonal(gram)
        cost = np.maximum(squares[:, None] + squares[None, :] - gram - gram.T, 0.0)
        if self.weight == 0:
            return np.zeros_like(cost), 0.0
        R = transport_plans([P.mean(axis=0) for P in self.P], cost, symmetric=True)
        return R, self.weight / 2.0 * float(np.sum(R * cost))

    def loss(self) -> float:
        """sum_t (1/n_t) ||Phi_t - M_t P_tᵀ||²."""
        diagonal = self.kernel.diagonal
        total = 0.0
        for rows, columns, P in zip(self.rows, self.columns, self.P, strict=True):
            fit = 2.0 * np.sum(P * self.KA[rows, columns]) - np.sum(self._gram(columns) * (P.T @ P))
            total += (diagonal[rows].sum() - float(fit)) / len(P)
        return total

    def update_centroids(self, t: int, R: FloatArray) -> None:
        """A_t = (E_t P_t / n_t + w sum_s A_s R_tsᵀ) (P_tᵀP_t / n_t + w diag(R_t 1))^-1, and KA with it.

        A cluster without members or mass gets the zero centroid.
        """
        rows, columns, P = self.rows[t], self.columns[t], self.P[t]
        pull = self.weight * R[columns]
        H = P.T @ P / len(P) + np.diag(pull.sum(axis=1))
        inverse = np.linalg.pinv(H, rcond=FLOOR, hermitian=True)
        A = self.A @ pull.T
        A[rows] += P / len(P)
        KA = self.KA @ pull.T + self.kernel.times(P / len(P), rows)
        self.A[:, columns] = A @ inverse
        self.KA[:, columns] = KA @ inverse

    def update_memberships(self, t: int, *, hard: bool) -> None:
        """Projected gradient steps P <- Proj(P + (G - P B) / lambda_max(B)), G = K[rows of t] A_t and B = A_tᵀ K A_t.

        With `hard` each sample belongs to the nearest centroid instead.
        """
        G, B, P = self.KA[self.rows[t], self.columns[t]], self._gram(self.columns[t]), self.P[t]
        if hard:
            self.P[t] = one_hot(np.argmin(np.diagonal(B)[None, :] - 2.0 * G, axis=1), G.shape[1])
            return
        largest = float(np.linalg.eigvalsh(B)[-1])
        if largest <= 0:
            return
        for _ in range(P_STEPS):
            P = project_rows(P + (G - P @ B) / largest)
        self.P[t] = P

    def labels(self) -> list[IntArray]:
        """The strongest membership of every sample."""
        return [np.argmax(P, axis=1).astype(np.int64) for P in self.P]

    def _gram(self, columns: slice) -> FloatArray:
        gram: FloatArray = self.A[:, columns].T @ self.KA[:, columns]
        return (gram + gram.T) / 2.0
