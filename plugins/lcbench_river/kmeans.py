"""k-means of river as a lifelong method with a name."""

from __future__ import annotations

from typing import Any

from lcbench_river.adapter import River, load_clusterer

KMeans = load_clusterer("river.cluster:KMeans")


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

    def __init__(
        self,
        *,
        halflife: float = 0.05,
        width: int = 8,
        passes: int = 1,
        unit_rows: bool = True,
        scale: str = "common",
        directions: int = 64,
        random_state: int = 0,
    ) -> None:
        self.halflife = halflife
        self.width = width
        self.passes = passes
        self.unit_rows = unit_rows
        self.scale = scale
        self.directions = directions
        self.random_state = random_state

    @property
    def clusterer(self) -> Any:
        """A KMeans of river that has learned nothing."""
        return KMeans(halflife=self.halflife)
