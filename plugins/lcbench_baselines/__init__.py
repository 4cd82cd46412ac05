"""Baselines: k-means in three settings, any scikit-learn clusterer, and two controls. This module is light."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lcbench import MethodSpec, Param, Reference, Setting, hookimpl
from lcbench_baselines.specs import NOTE, partial_spec

if TYPE_CHECKING:
    from lcbench_baselines.adapter import Pooled, SingleTask
    from lcbench_baselines.partial import Partial

__all__ = ["Partial", "Pooled", "SingleTask", "lcbench_register_methods", "partial_spec"]

KMEANS_PARAMS = (
    Param("n_init", int, 10, "starts, of which the best is kept", minimum=1),
    Param("max_iter", int, 300, "most iterations of a start", minimum=1),
    Param("unit_rows", bool, True, "scale samples to length 1 first, as text needs"),
)
_LLOYD = "Lloyd: Least Squares Quantization in PCM, IEEE Trans. Inf. Theory 1982; k-means++ starts"
LLOYD = Reference(
    "lloyd1982least",
    "article",
    "Least Squares Quantization in PCM",
    ("Lloyd, Stuart P.",),
    1982,
    "IEEE Transactions on Information Theory",
    volume="28",
    number="2",
    pages="129-137",
)
SEEDING = Reference(
    "arthur2007kmeans",
    "inproceedings",
    "k-means++: The Advantages of Careful Seeding",
    ("Arthur, David", "Vassilvitskii, Sergei"),
    2007,
    "Proceedings of the Eighteenth Annual ACM-SIAM Symposium on Discrete Algorithms",
    pages="1027-1035",
)
SCULLEY = Reference(
    "sculley2010webscale",
    "inproceedings",
    "Web-Scale k-Means Clustering",
    ("Sculley, D.",),
    2010,
    "Proceedings of the 19th International Conference on World Wide Web",
    pages="1177-1178",
)
METHODS = (
    MethodSpec(
        name="kmeans",
        display="k-means",
        citations=(LLOYD, SEEDING),
        factory="lcbench_baselines.kmeans:SingleTaskKMeans",
        setting=Setting.SINGLE_TASK,
        params=KMEANS_PARAMS,
        summary="k-means, each task alone",
        reference=_LLOYD,
        provenance="scikit-learn's KMeans, of samples scaled to length 1 unless unit_rows=false.",
    ),
    MethodSpec(
        name="pooled-kmeans",
        display="pooled k-means",
        citations=(LLOYD, SEEDING),
        factory="lcbench_baselines.kmeans:PooledKMeans",
        setting=Setting.MULTI_TASK,
        params=KMEANS_PARAMS,
        summary="k-means of all tasks seen, pooled into one",
        reference=_LLOYD,
        provenance="scikit-learn's KMeans, of samples scaled to length 1 unless unit_rows=false.",
        baseline="kmeans",
    ),
    MethodSpec(
        name="mini-batch-kmeans",
        display="mini-batch k-means",
        citations=(SCULLEY, SEEDING),
        factory="lcbench_baselines.partial:LifelongKMeans",
        setting=Setting.LIFELONG,
        params=(
            Param("width", int, 8, "centres per cluster, drawn by k-means++ from the task", minimum=1),
            Param("passes", int, 10, "passes over the samples of the task that has arrived", minimum=1),
            Param("batch_size", int, 64, "fewest samples of a mini-batch", minimum=1),
            Param("unit_rows", bool, True, "scale samples and centres to length 1, as text needs"),
        ),
        summary="mini-batch k-means whose centres go on from task to task",
        reference="Sculley: Web-scale k-means clustering, WWW 2010; k-means++ starts",
        provenance=(
            "scikit-learn's MiniBatchKMeans, carried on by its partial_fit. Ours: centres of length 1 with unit_rows, "
            "and more of them than clusters, merged for each task. width, passes and batch_size were chosen without "
            "labels, by the mean silhouette on digits, topics and webkb4: docs/methods.md has all settings looked at."
        ),
        baseline="kmeans",
        note=NOTE,
    ),
    MethodSpec(
        name="random",
        factory="lcbench_baselines.controls:RandomLabels",
        setting=Setting.SINGLE_TASK,
        summary="control: a random cluster for every sample",
        provenance="A control, not a method: what it scores is what chance scores.",
    ),
    MethodSpec(
        name="one-cluster",
        display="one cluster",
        factory="lcbench_baselines.controls:OneCluster",
        setting=Setting.SINGLE_TASK,
        summary="control: one cluster for everything",
        provenance="A control, not a method: its purity is the share of the largest class.",
    ),
)


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """The methods of this package."""
    for spec in METHODS:
        register(spec)


def __getattr__(name: str) -> Any:
    if name in ("Pooled", "SingleTask"):
        from lcbench_baselines import adapter

        return getattr(adapter, name)
    if name == "Partial":
        from lcbench_baselines.partial import Partial

        return Partial
    raise AttributeError(f"module 'lcbench_baselines' has no attribute '{name}'")
