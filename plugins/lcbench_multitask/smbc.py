"""SMBC: Smart Multitask Bregman Clustering."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lcbench import FloatArray, IntArray
from lcbench_multitask.bregman import BregmanClusterer, CoupledTasks

TIE = 1e-12


@dataclass(kw_only=True, eq=False, repr=False)
class SMBC(BregmanClusterer):
    """Smart Multitask Bregman Clustering: MBC that drops the help of other tasks where it does harm.

    In every iteration a task has two candidates: the labels h_a after MBC's step (centroids coupled to those of the
    other tasks, then the nearest centroid) and h_b after a step of its own (plain means, then the nearest centroid).
    With loc*(h) = (1/n_t) sum_i d(x_i, mean of the cluster of x_i under h) it keeps h_a, with its centroids, if
    loc*(h_a) <= loc*(h_b), else h_b. The sum of loc* over the tasks never rises: loc*(h_b) <= loc*(h), because a
    step of k-means raises no loss.

    `rule="literal"` compares the losses at each candidate's own centroids instead. That is how the abstract reads, but
    plain means have the least loss for given labels, so the coupled candidate hardly ever wins and the labels are those
    of k-means.

    The rule (stop the boosting of a task whose local loss is worse than that of single-task clustering) is the paper's;
    how the two are compared and the formulas of MBC are reconstructed from the abstract: the weights are ours. Not
    verified against its paper: on WebKB4 (tf-idf) purity / NMI / RI are 72.8 / 36.1 / 69.4; the L2SC paper prints
    67.98 / 30.10 / 70.29 for it, of which ours is better in the first two.

    Parameters
    ----------
    lam : float, default=0.5
        Weight of the coupling between tasks.
    rule : {"means", "literal"}, default="means"
        Where the losses of the two candidates are compared: at the means of their clusters, or at the centroids that
        made them.
    divergence, n_init, max_iter, tol, unit_rows, random_state
        As for MBC; `tol` is relative to the sum of the local losses.

    Attributes
    ----------
    objective_trace_ : list of float
        The sum of loc* over the tasks before the first and after each iteration.

    References
    ----------
    Zhang, Zhang: Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering. AAAI 2013.
    Zhang, Zhang, Liu: Smart Multitask Bregman Clustering and Multitask Kernel Clustering. ACM TKDD 10(1), 2015.

    Examples
    --------
    >>> import lcbench
    >>> from lcbench_multitask.smbc import SMBC
    >>> results = lcbench.run({"smbc": SMBC()}, "digits")
    >>> results[0].status
    'ok'
    """

    lam: float = 0.5
    rule: str = "means"

    def _iterate(self, coupled: CoupledTasks, labels: list[IntArray]) -> list[IntArray]:
        M = coupled.means(labels)
        self.objective_trace_ = [float(coupled.losses(M, labels).sum())]
        for _ in range(self.max_iter):
            coupling, _ = coupled.couple(M, labels)
            boosted, at_boosted, M = coupled.assign(coupled.centroids(M, labels, coupling))
            alone, at_alone, M_alone = coupled.assign(coupled.means(labels, M))
            star_boosted, star_alone = _own_losses(coupled, boosted), _own_losses(coupled, alone)
            keep = at_boosted <= at_alone + TIE if self.rule == "literal" else star_boosted <= star_alone + TIE
            labels = [a if kept else b for a, b, kept in zip(boosted, alone, keep, strict=True)]
            for block, kept in zip(coupled.blocks, keep, strict=True):
                if not kept:
                    M[block] = M_alone[block]
            self.objective_trace_.append(float(np.where(keep, star_boosted, star_alone).sum()))
            if self._settled():
                break
        return labels


def _own_losses(coupled: CoupledTasks, labels: list[IntArray]) -> FloatArray:
    """loc* of every task."""
    return coupled.losses(coupled.means(labels), labels)
