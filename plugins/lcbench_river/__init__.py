"""Clusterers of the library river as lifelong methods, and one of them by name. This module is light."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lcbench import MethodSpec, Param, Reference, Setting, hookimpl
from lcbench_baselines.specs import NOTE, adapter_spec

if TYPE_CHECKING:
    from lcbench_river.adapter import River

__all__ = ["River", "lcbench_register_methods", "river_spec"]

RIVER_PARAMS = (
    Param("width", int, 8, "centres of KMeans per cluster, drawn by k-means++ from the task", minimum=1),
    Param("passes", int, 1, "passes over the samples of the task that has arrived", minimum=1),
    Param("unit_rows", bool, True, "scale samples to length 1 first, as text needs"),
    Param(
        "scale",
        str,
        "common",
        "deviation that features are divided by: each its own, one for all, or none, which leaves rows as they are",
        choices=("features", "common", "none"),
    ),
    Param("directions", int, 64, "most features: where there are more, random directions to project on", minimum=1),
)


def river_spec(name: str, clusterer: str, *, summary: str, **given: Any) -> MethodSpec:
    """The spec of a river clusterer as a lifelong method; `lcbench_baselines.partial_spec` says what to give.

    Examples
    --------
    >>> from lcbench_river import river_spec
    >>> river_spec("dbstream", "river.cluster:DBSTREAM", summary="shared density", clustering_threshold=8.0).name
    'dbstream'
    """
    return adapter_spec(
        name, "lcbench_river.adapter:river_method", ("clusterer", clusterer), RIVER_PARAMS, given,
        summary=summary, provenance=f"{clusterer.replace(':', '.')}, carried from task to task sample by sample.",
    )  # fmt: skip


MACQUEEN = Reference(
    "macqueen1967some",
    "inproceedings",
    "Some Methods for Classification and Analysis of Multivariate Observations",
    ("MacQueen, J.",),
    1967,
    "Proceedings of the Fifth Berkeley Symposium on Mathematical Statistics and Probability",
    volume="1",
    pages="281-297",
)
RIVER = Reference(
    "montiel2021river",
    "article",
    "River: Machine Learning for Streaming Data in Python",
    (
        "Montiel, Jacob",
        "Halford, Max",
        "Mastelini, Saulo Martiello",
        "Bolmier, Geoffrey",
        "Sourty, Raphael",
        "Vaysse, Robin",
        "Zouitine, Adil",
        "Gomes, Heitor Murilo",
        "Read, Jesse",
        "Abdessalem, Talel",
        "Bifet, Albert",
    ),
    2021,
    "Journal of Machine Learning Research",
    volume="22",
    number="110",
    pages="1-8",
)
METHODS = (
    MethodSpec(
        name="river-kmeans",
        display="river k-means",
        citations=(MACQUEEN, RIVER),
        factory="lcbench_river.kmeans:RiverKMeans",
        setting=Setting.LIFELONG,
        params=(
            Param("halflife", float, 0.05, "share of the way that a centre moves to a sample", above=0, maximum=1),
            *RIVER_PARAMS,
        ),
        summary="k-means of the library river, one sample at a time, whose centres go on from task to task",
        reference="MacQueen: Some methods for classification and analysis of multivariate observations, 1967; river",
        provenance=(
            "river's KMeans, but with centres from samples of the task instead of Gaussian noise, and more of them "
            "than clusters, merged for each task, which is ours. It and its settings were chosen without labels, on "
            "digits, topics and webkb4: the highest silhouette of what finds far groups again after other tasks and "
            "does not put most samples into one cluster; docs/methods.md has all that were looked at."
        ),
        baseline="kmeans",
        note=NOTE,
    ),
)


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """Registers the method of this package; river itself is imported when it is built."""
    for spec in METHODS:
        register(spec)


def __getattr__(name: str) -> Any:
    if name == "River":
        from lcbench_river.adapter import River

        return River
    raise AttributeError(f"module 'lcbench_river' has no attribute '{name}'")
