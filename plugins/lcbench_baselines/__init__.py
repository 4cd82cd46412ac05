"""Baselines: k-means alone and pooled, any scikit-learn clusterer, and two controls. This module is light."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lcbench import MethodSpec, Param, Setting, hookimpl

if TYPE_CHECKING:
    from lcbench_baselines.adapter import Pooled, SingleTask

__all__ = ["Pooled", "SingleTask", "lcbench_register_methods"]

KMEANS_PARAMS = (
    Param("n_init", int, 10, "starts, of which the best is kept", minimum=1),
    Param("max_iter", int, 300, "most iterations of a start", minimum=1),
    Param("unit_rows", bool, True, "scale samples to length 1 first, as text needs"),
)
_LLOYD = "Lloyd: Least Squares Quantization in PCM, IEEE Trans. Inf. Theory 1982; k-means++ starts"
METHODS = (
    MethodSpec(
        name="kmeans",
        factory="lcbench_baselines.kmeans:SingleTaskKMeans",
        setting=Setting.SINGLE_TASK,
        params=KMEANS_PARAMS,
        summary="k-means, each task alone",
        reference=_LLOYD,
        provenance="scikit-learn's KMeans.",
    ),
    MethodSpec(
        name="pooled-kmeans",
        factory="lcbench_baselines.kmeans:PooledKMeans",
        setting=Setting.MULTI_TASK,
        params=KMEANS_PARAMS,
        summary="k-means of all tasks seen, pooled into one",
        reference=_LLOYD,
        provenance="scikit-learn's KMeans.",
        baseline="kmeans",
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
    raise AttributeError(f"module 'lcbench_baselines' has no attribute '{name}'")
