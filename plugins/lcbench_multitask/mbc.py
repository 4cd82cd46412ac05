"""MBC: Multitask Bregman Clustering."""

from __future__ import annotations

from lcbench import IntArray
from lcbench_multitask.bregman import BregmanClusterer, CoupledTasks


class MBC(BregmanClusterer):
    """Multitask Bregman Clustering.

    Task t has labels h and centroids m_k of its own; pi_k is the share of its samples in cluster k. MBC minimises

        J = sum_t (1/n_t) sum_i d(x_i, m_h(i)) + lam / (T - 1) sum_t sum_{s != t} D(t, s)
        D(t, s) = min_R sum_kl R_kl d(m_k of t, m_l of s),  R >= 0, R 1 = pi of t, Rᵀ 1 = pi of s

    with d a Bregman divergence: the local losses, and the earth mover's distance between the partitions of every two
    tasks, which pulls clusters that correspond together. By turns:

    - R of all pairs: transport plans between the present partitions.
    - All centroids. With squared Euclidean distance at once, from one linear system with a row per cluster (w twice the
      weight of an ordered pair): (pi_k + w sum_l R_kl) m_k - w sum_l R_kl m_l = (1/n_t) sum of the samples of cluster
      k, l running over the clusters of all other tasks. With KL task after task, per coordinate.
    - h: the nearest centroid. A cluster left empty starts again from the farthest sample of the cluster that loses
      most.

    The steps for centroids and labels never raise J while R is fixed; J may rise when R follows the new shares. Tasks
    may have different numbers of clusters. With lam=0, or one task, it is k-means of each task alone.

    The structure (local loss plus task regularisation, solved by turns over clusterings and cluster relationship) is
    the paper's; the formulas are reconstructed from memory of it and its abstract: the weights are ours. Not verified
    against its paper: on WebKB4 (tf-idf) purity / NMI / RI are 75.9 / 42.6 / 73.9, better than the 67.28 / 30.03 /
    66.45 that the L2SC paper prints for it.

    Parameters
    ----------
    lam : float, default=2
        Weight of the coupling between tasks.
    divergence : {"euclidean", "kl"}, default="euclidean"
        Squared Euclidean distance, or generalised Kullback-Leibler divergence, for counts.
    n_init : int, default=1
        Starts of the k-means run per task that this method starts from.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-5
        Relative change of the objective that ends the iterations; they also end when no label changes.
    unit_rows : bool, default=True
        Whether samples are scaled first: to length 1, with KL to sum 1. On raw counts one cluster takes nearly all.
    random_state : int, default=0
        The seed of k-means.

    Attributes
    ----------
    objective_trace_ : list of float
        J before the first and after each iteration, each time with the best R.

    References
    ----------
    Zhang, Zhang: Multitask Bregman Clustering. AAAI 2010; Neurocomputing 74, 2011.

    Examples
    --------
    >>> import lcbench
    >>> from lcbench_multitask.mbc import MBC
    >>> results = lcbench.run({"mbc": MBC()}, "digits")
    >>> results[0].status
    'ok'
    """

    def _iterate(self, coupled: CoupledTasks, labels: list[IntArray]) -> list[IntArray]:
        M = coupled.means(labels)
        coupling, penalty = coupled.couple(M, labels)
        self.objective_trace_ = [float(coupled.losses(M, labels).sum()) + penalty]
        for _ in range(self.max_iter):
            before = labels
            labels, losses, M = coupled.assign(coupled.centroids(M, labels, coupling))
            coupling, penalty = coupled.couple(M, labels)
            self.objective_trace_.append(float(losses.sum()) + penalty)
            if self._settled() or all((old == new).all() for old, new in zip(before, labels, strict=True)):
                break
        return labels
