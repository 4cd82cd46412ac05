"""CPSC: condensed-pooling spectral clustering."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from lcbench import Clusterer, FloatArray, IntArray, Setting, Task, UnknownTaskError, UnsuitableTaskError, derive_seed
from lcbench_condensed.graphs import Neighbours, modularity, voted
from lcbench_condensed.library import Group, Library, condensed, matched_classes
from lcbench_condensed.refinement import refine, unit
from lcbench_condensed.rows import Rows
from lcbench_condensed.shifted import Shifted
from lcbench_spectral.embedding import leading_eigenvectors
from lcbench_spectral.kmeans import kmeans_labels

TOLERANCE = 1e-6  # of eigenvectors: exact ones take twice as long
STARTS = 2  # of k-means: with ten the scores are the same, as the refinement follows


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The labels of a task's samples and the embedding they come from.

    If a group was used, its number, and the products z · c of samples and the directions of its classes.
    """

    labels: IntArray
    embedding: FloatArray
    group: int | None = None
    likeness: FloatArray | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class CPSC(Clusterer):
    """Condensed-pooling spectral clustering: a task clustered together with prototypes of the tasks before it.

    Pooling all tasks in one graph helps where they are related, but keeps every sample and fails where they are not.
    CPSC keeps `budget` prototypes per class instead, and clusters a task's samples together with them if a gate that
    sees no labels says that they belong together. Its library has its full size from the first task on; it is widened
    only for a task with more clusters.

    1. **Rows.** y = sign(x)|x|^power at length 1, m their mean in the task, z = y - m at length 1.
    2. **Own graph** K: the `n_neighbors` nearest by the cosine of y where X is sparse, of z where it is dense, with
       weights exp(-d²/(2 sigma²)), d² = 2 - 2 cos, sigma² its median over the edges; normalised.
    3. **Routing.** The library has at most `groups` groups of related tasks. The classes of a group label each sample
       by the largest z · c, c the direction of the class. The group whose labels have the highest modularity Q on K
       is tried.
    4. **Joint graph** over samples and the group's prototypes p, with cosines z · p and p · p beside those of K: a
       sample's neighbours are the nearest of its own neighbours and of the prototypes. Leading eigenvectors and k-means
       give a partition of both. If the labels of step 3 have the higher Q on K, they are taken instead.
    5. **Refinement.** With A the samples (weight 1) above the prototypes (weight w, together at most `library_weight`
       times the samples), S the row-stochastic graph, from R the indicators of step 4, `steps` times

           C = unit(Rᵀ diag(w) A),  R = softmax(t A Cᵀ + log share + smoothing S R)

       with t such that softmax(t A Cᵀ + log share) has the mean entropy `entropy` log k.
    6. **Gate.** The group is used if Q(labels of step 3) >= gate Q(labels of step 5), on K; to save time it is closed
       before step 4 if that fails for the labels of step 3 after one vote among neighbours. Where it is closed the task
       is clustered on K alone, by steps 4 and 5 without prototypes, and founds a group when it arrives; a full library
       drops the group of the fewest tasks.
    7. **Condensing.** Each cluster of s samples is cut by k-means on the embedding into s/3 micro-clusters, at most
       `budget`; those of fewer than `smallest` samples are dissolved. Their means of z are the task's prototypes.
       Clusters are matched with the group's classes by the Hungarian method. Groups share the room for `budget`
       prototypes per class: a class of one of g groups with more than budget/g is merged to that by weighted k-means.
       Of a prototype of sparse rows the `features` largest entries are kept.

    `predict` is steps 1 to 6 with the library as it is now; that is how old tasks improve when later ones arrive. A
    task whose group has learned a single task, which may be itself, is clustered alone. One cluster, or hardly more
    samples than clusters, leave nothing to learn: such a task changes no library.

    There is no one objective: steps 4 and 5 maximise tr(Fᵀ G F) over FᵀF = I and a tempered mixture likelihood in turn.
    The constants were chosen on webkb4, digits and topics; docs/methods/cpsc.md has every setting looked at.

    Parameters
    ----------
    power : float, default=0.5
        Exponent of the features' sizes. Square roots of counts have a variance that does not depend on their mean.
    centre : {"dense", "always", "never"}, default="dense"
        Whether the own graph takes the cosine of z instead of that of y; "dense": where X is not sparse. Counts of
        words have their zero where nothing is said, and their mean says little; features of dense data have a common
        offset that hides what differs. The same numbers stored in both ways then have two graphs.
    n_neighbors : int, default=10
        Neighbours in both graphs, at most n - 1; that of stsc.
    budget : int, default=25
        Most prototypes of a class, in all groups together. With 12, a point of NMI less on webkb4 and digits.
    features : int, default=200
        Most entries of a prototype that are kept where X is sparse; four hundred bring half a point of NMI and twice
        the size.
    smallest : int, default=2
        Fewest samples of a prototype.
    groups : int, default=4
        Most groups of related tasks.
    gate : float, default=0.7
        Share of the pooled partition's modularity that the library's own labels must reach. Lower, and related tasks
        gain more; higher, and tasks that are related by half lose less.
    library_weight : float, default=2
        Most weight of all prototypes in the refinement, in weights of the task's samples: without such a bound a long
        stream would overrule the task.
    steps : int, default=3
        Steps of the refinement; 0 leaves it out.
    entropy : float, default=0.2
        Mean entropy of the memberships, as a share of log k.
    smoothing : float, default=5
        Weight of the neighbours' memberships.
    random_state : int, default=0
        The seed of k-means.

    Attributes
    ----------
    library_ : Library
        The prototypes with their weights, classes and groups, and the number of tasks in each group.
    joined_ : bool
        Whether the task just learned was clustered with a group.

    Examples
    --------
    >>> import lcbench
    >>> tasks = lcbench.load_stream("digits").tasks()
    >>> method = lcbench.load_method("cpsc")
    >>> for labelled in tasks:
    ...     method = method.partial_fit(labelled.task)
    >>> method.joined_, method.library_.tasks
    (True, (4,))
    """

    setting: ClassVar[Setting] = Setting.LIFELONG
    predicts_unseen: ClassVar[bool] = True

    power: float = 0.5
    centre: str = "dense"
    n_neighbors: int = 10
    budget: int = 25
    features: int = 200
    smallest: int = 2
    groups: int = 4
    gate: float = 0.7
    library_weight: float = 2.0
    steps: int = 3
    entropy: float = 0.2
    smoothing: float = 5.0
    random_state: int = 0

    def partial_fit(self, task: Task) -> Self:
        """Cluster the task with the library, then condense it into the library."""
        groups = self._groups(task)
        rows = self._rows(task)
        found = self._cluster(task, rows, groups, arriving=True)
        k = task.n_clusters
        self.labels_ = found.labels
        self.joined_ = found.group is not None
        if groups and _is_trivial(task):
            return self  # it has nothing to teach, and would take the room of others
        joined = None if found.group is None else groups[found.group]
        classes = np.arange(k) if found.likeness is None else matched_classes(found.likeness, found.labels, k)
        new = condensed(
            rows, found.embedding, found.labels, classes,
            budget=self.budget, smallest=self.smallest, seed=self.random_state,
        )  # fmt: skip
        leaving = joined
        if joined is not None:
            new = joined.with_task(new)
        elif len(groups) >= min(self.groups, self.budget):
            leaving = min(groups, key=lambda group: group.tasks)
        groups = [*(group for group in groups if group is not leaving), new]
        merged = [group.merged(self.budget // len(groups), self.random_state) for group in groups]
        room = self.budget * max(k, *(group.width for group in groups))
        self.library_ = Library.of(merged, features=self.features if rows.is_sparse else rows.d, room=room)
        return self

    def predict(self, task: Task) -> IntArray:
        """Cluster the task with the library as it is now."""
        if not hasattr(self, "library_"):
            raise UnknownTaskError("CPSC has no library yet: let it learn a task first.")
        return self._cluster(task, self._rows(task), self._groups(task), arriving=False).labels

    def _rows(self, task: Task) -> Rows:
        centred = not sparse.issparse(task.X) if self.centre == "dense" else self.centre == "always"
        return Rows(task.X, self.power, centred=centred)

    def _groups(self, task: Task) -> list[Group]:
        """The groups of the library, which must be of the task's features."""
        library: Library | None = getattr(self, "library_", None)
        if library is None:
            return []
        if task.n_features != library.n_features:
            raise UnsuitableTaskError(
                f"Task '{task.name}' has {task.n_features} features, but the library of cpsc was made from tasks with "
                f"{library.n_features}: it takes tasks with the same features."
            )
        return library.groups(as_sparse=sparse.issparse(task.X))

    def _cluster(self, task: Task, rows: Rows, groups: list[Group], *, arriving: bool) -> Partition:
        """The task with the prototypes of a group if the gate opens, else alone.

        Condensing wants twice as many eigenvectors as there are clusters, which tell apart parts of a cluster.
        """
        k, n = task.n_clusters, task.n_samples
        if _is_trivial(task):
            return Partition(np.arange(n, dtype=np.int64) % k, np.zeros((n, 1)))
        neighbours = Neighbours.within(rows, self.n_neighbors)
        K = neighbours.graph()
        likeness = [rows.z.times(group.directions().T) for group in groups]
        told = [products.argmax(axis=1) for products in likeness]
        fits = [modularity(K, labels) for labels in told]
        if fits:
            best = int(np.argmax(fits))
            if arriving or groups[best].tasks > 1:
                pooled = self._pooled(
                    task, rows, neighbours, K, groups[best], told[best], fits[best], arriving=arriving
                )
                if pooled is not None:
                    return replace(pooled, group=best, likeness=likeness[best])
        F = leading_eigenvectors(K, min(2 * k if arriving else k, n - 1), tolerance=TOLERANCE)
        start = self._start(F, k, task)
        labels = self._refined(rows.z, np.zeros(0), K, start, k)
        return Partition(start if labels is None else labels, F)

    def _pooled(
        self,
        task: Task,
        rows: Rows,
        neighbours: Neighbours,
        K: Any,
        group: Group,
        told: IntArray,
        fit: float,
        *,
        arriving: bool,
    ) -> Partition | None:
        """The task in one graph with the prototypes of a group; None if the gate is closed, or a cluster is lost.

        `told` are the labels that the group's classes give the samples, `fit` their modularity.
        """
        if fit < self.gate * modularity(K, voted(K, told)):
            return None
        k, n = task.n_clusters, task.n_samples
        width = max(k, group.width)
        P = group.units()
        A = rows.z.above(Shifted.plain(P))
        cosine = A.products(P)
        cosine[:n][rows.is_zero] = -np.inf
        G = neighbours.joined(cosine[:n], cosine[n:]).graph()
        F = leading_eigenvectors(G, min(2 * width if arriving else width, G.shape[0] - 1), tolerance=TOLERANCE)
        start = self._start(F, width, task)
        if fit > modularity(K, start[:n]):
            start = np.concatenate([told, group.classes])
        weights = group.weights * min(1.0, self.library_weight * n / group.weights.sum())
        labels = self._refined(A, weights, G, start, k)
        if labels is None or fit < self.gate * modularity(K, labels):
            return None
        return Partition(labels, F[:n])

    def _start(self, F: FloatArray, k: int, task: Task) -> IntArray:
        return kmeans_labels(unit(F[:, :k]), k, seed=derive_seed(self.random_state, task.name), n_init=STARTS)

    def _refined(self, A: Shifted, weights: FloatArray, graph: Any, start: IntArray, k: int) -> IntArray | None:
        return refine(A, weights, graph, start, k=k, steps=self.steps, entropy=self.entropy, smoothing=self.smoothing)


def _is_trivial(task: Task) -> bool:
    """True if there is nothing to cluster: one cluster, or hardly more samples than clusters."""
    return task.n_clusters == 1 or task.n_samples <= task.n_clusters + 1
