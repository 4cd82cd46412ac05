"""k-means of river as a lifelong method with a name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lcbench_river.adapter import River, load_clusterer

KMeans = load_clusterer("river.cluster:KMeans")


@dataclass(kw_only=True, eq=False, repr=False)
class RiverKMeans(River):
    """k-means one sample at a time, whose centres go on from task to task: a River of river's KMeans.

    The centre c that is nearest to a sample x moves to c + halflife (x - c).

    Parameters
    ----------
    halflife : float, default=0.05
        Share of the way that a centre moves to a sample.
    width : int, default=8
        Centres per cluster.
    passes : int, default=1
        Passes over the samples of the task that has just arrived.
    unit_rows : bool, default=True
        Whether samples are scaled to length 1 first, as text needs.
    scale : {"features", "common", "none"}, default="common"
        The deviation that features are divided by: each its own, one for all, or none.
    directions : int, default=64
        Most features: where there are more, samples are projected on as many random directions.
    random_state : int, default=0
        The seed.
    """

    clusterer: Any = field(default=None, init=False)
    halflife: float = 0.05
    unit_rows: bool = True
    scale: str = "common"

    def _adapted(self) -> Any:
        return KMeans(halflife=self.halflife)
