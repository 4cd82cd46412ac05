"""L2SC: Lifelong Spectral Clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from lcbench import FloatArray, IntArray, Setting, Task, UnknownTaskError, UnsuitableTaskError
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.library import L21, Library, eigenvector_basis, row_norms
from lcbench_spectral.products import adder, is_large, product, product_and_back, transposed
from lcbench_spectral.projections import polar, polar_parts, square_polar
from lcbench_spectral.scaling import bipartite, check_not_negative
from lcbench_spectral.spectral import SpectralClusterer

MOST_RANKED = 65535  # samples of a feature
SINGLE_FROM = 10_000_000  # entries of dense samples: half the bytes of as many are read in half the time


@dataclass(kw_only=True, eq=False, repr=False)
class L2SC(SpectralClusterer):
    """Lifelong Spectral Clustering.

    A library of a feature embedding L (d x k) and a basis B (k x k), both with orthonormal columns, is carried from
    task to task. The m-th task has the normalised affinity K, the bipartite matrix Â = D1^-1/2 X D2^-1/2 and the
    encoding E (n x k, orthonormal). With C = sum_t lam Â_tᵀ E_t over all tasks, learning it maximises

        J = (1/m) [tr(Eᵀ K E) + tr(Lᵀ C B)] + r(L)

    by turns over E, B and L; the terms of old tasks enter through C alone, so no old data are needed.

    - E = polar(E + ½ (2 K E + lam Â L Bᵀ)): ascent for every K with eigenvalues in [-1, 1].
    - B = polar(Cᵀ L), the maximiser. B is square and orthonormal, so tr(Bᵀ EᵀKE B) does not depend on it and the
      eigenvectors the paper takes (`solver="paper"`) maximise a constant; with them J may fall.
    - L = one or more polar steps on C B / m plus the gradient of r (`l21`, see `L21`).

    `predict` encodes whatever task it is handed with the present library (the E-step alone): that is how old tasks
    improve when later ones arrive. k-means does not see a rotation of E, so labels are taken from E and not from E B.

    A task that arrives again counts as one more arrival: taking the old one out of C would need what is not kept.

    Â of dense samples with ten million entries or more is in single precision.

    Parameters
    ----------
    lam : float, default=1
        Weight of the feature library.
    mu : float, default=0.01
        Weight of the L2,1 term.
    k : int or None, default=None
        Width of the library. None: the first task's number of clusters, growing by new orthonormal columns when a task
        with more clusters arrives. The paper fixes it (4 for its data sets).
    k_final : {"task", "library"}, default="task"
        Number of clusters of the final k-means: the task's own, or the library's width as in the paper.
    solver : {"corrected", "paper"}, default="corrected"
        How B is updated.
    l21 : {"theta_inv", "theta", "sparse"}, default="theta_inv"
        Which reading of the paper's L2,1 step is taken.
    encoding : {"current", "frozen"}, default="current"
        Whether old tasks are encoded anew when asked, or keep the encoding of their arrival. `frozen` stores every
        encoding, so it grows with the tasks, and old labels cannot change; it exists to show the difference.
    max_iter : int, default=50
        Most iterations per task.
    tol : float, default=1e-5
        Relative change of the objective that ends the iterations.
    affinity, metric, n_neighbors, sigma, normalize_rows
        The graph and the final k-means, as for stSC.
    random_state : int, default=0
        The seed of k-means.

    Attributes
    ----------
    library_ : Library
        L, B, C, the number of tasks learned and, with `solver="paper"`, the paper's M.
    objective_trace_ : list of float
        J before the first and after each iteration of the task just learned.

    References
    ----------
    Sun, Cong, Wang, Li, Fu: Lifelong Spectral Clustering. AAAI 2020.
    Jiang, Chung: Transfer Spectral Clustering. ECML-PKDD 2012 (the bipartite term).
    """

    setting: ClassVar[Setting] = Setting.LIFELONG
    predicts_unseen: ClassVar[bool] = True

    lam: float = 1.0
    mu: float = 0.01
    k: int | None = None
    k_final: str = "task"
    solver: str = "corrected"
    l21: str = "theta_inv"
    encoding: str = "current"
    max_iter: int = 50
    tol: float = 1e-5

    def partial_fit(self, task: Task) -> Self:
        """Encode the task with the library and refine the library with the task."""
        old: Library | None = getattr(self, "library_", None)
        width = self.k if self.k is not None else max(task.n_clusters, old.width if old else 0)
        K, A, E = self._prepare(task, width)
        if old is None:
            library = Library.first(A, E, keep_m=self.solver == "paper")
        else:
            library = old.widened(A, E)
            E = E @ polar(E.T @ product(A, library.L @ library.B.T), np.eye(width))

        E, library, trace = self._learn(K, A, E, library)
        if self.encoding == "frozen":
            self.encodings_: dict[str, FloatArray] = {**getattr(self, "encodings_", {}), task.name: E}
        self.library_ = library
        self.objective_trace_ = trace
        self.labels_ = self._labels(E, task)
        return self

    def predict(self, task: Task) -> IntArray:
        """Encode the task with the library as it is now, and cluster it."""
        library: Library | None = getattr(self, "library_", None)
        if library is None:
            raise UnknownTaskError("L2SC has no library yet: let it learn a task first.")
        if self.encoding == "frozen" and task.name in self.encodings_:
            return self._labels(self.encodings_[task.name], task)
        K, A, E = self._prepare(task, library.width)
        pull = product(A, library.L @ library.B.T)
        E = E @ polar(E.T @ pull, np.eye(library.width))
        return self._labels(self._encode(K, self.lam * pull, E), task)

    def _prepare(self, task: Task, width: int) -> tuple[Any, Any, FloatArray]:
        if width > task.n_samples:
            raise UnsuitableTaskError(
                f"Task '{task.name}' has {task.n_samples} samples, too few for an embedding of {width} dimensions: "
                "lower k."
            )
        if width > task.n_features:
            raise UnsuitableTaskError(
                f"l2sc needs at least as many features as its library is wide, but task '{task.name}' has "
                f"{task.n_features} features and the library {width} columns: lower k, or use stsc."
            )
        check_not_negative(task, "l2sc", "a method without a feature library such as cpsc or stsc")
        K = self._graph(task.X)
        return K, bipartite(task.X, single_from=SINGLE_FROM), leading_eigenvectors(K, width)

    def _learn(self, K: Any, A: Any, E: FloatArray, library: Library) -> tuple[FloatArray, Library, list[float]]:
        """Turn about over E, B and L until J settles.

        P = L Bᵀ is kept instead of L: with R = B_old B_newᵀ the steps of B and L are P = polar(C + m ∇r(P R)). P is
        the product of `base` and a small `root`, which are multiplied with others first; so each turn has its J when
        the next one is half done. A large dense Â is read `once` a turn, for Â P and for the product with the next E.
        """
        m = library.learned + 1
        penalty, raised = L21(self.l21, self.mu), L21(self.l21, self.mu * m)
        A = A if self.lam == 1.0 else float(self.lam) * A  # as precise as it was
        A, order, place = _in_use(A, library, everything=self.l21 == "sparse")
        base, root, old, B = library.L.take(order, axis=0), library.B.T, library.C.take(order, axis=0), library.B
        At = transposed(A)
        add_K, add_A, add_At = adder(K, K), adder(A, At), adder(At, A)  # K is its own transpose
        KE = add_K(E, np.zeros(E.shape))
        trace: list[float] = []
        nothing, once = np.zeros_like(B), is_large(A)
        while True:
            more = 2.0 * (E + KE)
            if once:
                AP, back = product_and_back(A, base @ root, more)
            else:
                AP = add_A(base, np.zeros(E.shape)) @ root
            old_PC = root.T @ (base.T @ old) if library.learned else nothing  # Pᵀ C without this task
            value = float(np.vdot(E, KE) + np.vdot(E, AP) + old_PC.trace()) / m
            raised_E = AP + more
            base_E, root_E = polar_parts(raised_E, E)
            next_E = base_E @ root_E
            next_KE = add_K(next_E, np.zeros(E.shape))
            next_B, R = self._basis(next_E, next_KE, old_PC + AP.T @ next_E, B, library, m)
            PR = base @ (root @ R)
            norms = row_norms(PR)
            trace.append(value + penalty.value(norms))
            if len(trace) > self.max_iter or (
                len(trace) > 1 and abs(trace[-1] - trace[-2]) <= self.tol * abs(trace[-2])
            ):
                break
            E, KE, B = next_E, next_KE, next_B
            C = old + back @ root_E if once and base_E is raised_E else add_At(E, old.copy())
            base, root = raised.step(C, PR, norms)
        M = None if library.M is None else library.M + E.T @ KE
        L, C = (np.vstack([rows, np.zeros(len(B))]).take(place, axis=0) for rows in (base @ (root @ B), add_At(E, old)))
        return E, Library(L=L, B=B, C=C, learned=m, M=M), trace

    def _basis(
        self, E: FloatArray, KE: FloatArray, PC: FloatArray, B: FloatArray, library: Library, m: int
    ) -> tuple[FloatArray, FloatArray]:
        """The next B, and the R = B_old B_newᵀ by which it turns; `PC` is Pᵀ C = B Lᵀ C."""
        if library.M is not None:
            new = eigenvector_basis((library.M + E.T @ KE + PC) / m)
            return new, B @ new.T
        R = square_polar(PC)
        return R.T @ B, R

    def _encode(self, K: Any, pull: FloatArray, E: FloatArray) -> FloatArray:
        """The E-steps alone: maximise tr(Eᵀ K E) + tr(Eᵀ pull)."""
        add = adder(K, K)
        KE = add(E, np.zeros(E.shape))
        value = float(np.sum(E * (KE + pull)))
        for _ in range(self.max_iter):
            E = polar(E + KE + 0.5 * pull, E)
            KE = add(E, np.zeros(E.shape))
            before, value = value, float(np.sum(E * (KE + pull)))
            if abs(value - before) <= self.tol * abs(before):
                break
        return E

    def _labels(self, E: FloatArray, task: Task) -> IntArray:
        k = E.shape[1] if self.k_final == "library" else task.n_clusters
        return self._partition(E, k, task.name)


def _in_use(A: Any, library: Library, *, everything: bool) -> tuple[Any, IntArray, IntArray]:
    """A without the features that no task had so far, the numbers of the others, and the new number of every feature.

    The rows of L and C of a feature without samples are zero and stay so; its new number is that of a row after all
    others. Of sparse A features with more samples come first: products go quicker through columns of equal length.
    `everything` keeps all features: in the sparse reading the steps are as short as the row of a missing one demands.
    """
    if not sparse.issparse(A):
        return A, np.arange(A.shape[1]), np.arange(A.shape[1])
    samples = np.bincount(A.indices, minlength=A.shape[1])
    rank = (MOST_RANKED - np.minimum(samples, MOST_RANKED)).astype(np.uint16)  # of narrow numbers a sort is quick
    order = np.argsort(rank, kind="stable")
    if not everything:
        used = samples + (np.abs(library.L) + np.abs(library.C)) @ np.ones(library.width) > 0
        order = order[used[order]]
    place = np.full(A.shape[1], len(order), dtype=A.indices.dtype)
    place[order] = np.arange(len(order))
    return sparse.csr_array((A.data, place[A.indices], A.indptr), shape=(A.shape[0], len(order))), order, place
