"""What lcbench knows of TSC before it is built. Light."""

from __future__ import annotations

from dataclasses import replace

from lcbench import MethodSpec, Param, Setting
from lcbench_spectral.parameters import AFFINITY_PARAMS

_GRAPH = {param.name: param for param in AFFINITY_PARAMS}

TSC = MethodSpec(
    name="tsc",
    factory="lcbench_spectral.tsc:TSC",
    setting=Setting.MULTI_TASK,
    params=(
        Param("r", float, 3.0, "weight of the shared features", minimum=0),
        Param("solver", str, "polar", "step: always safe, or the authors' normalised gradient", ("polar", "author")),
        Param("unit_rows", bool, True, "scale samples to length 1 before the bipartite normalisation"),
        Param("max_iter", int, 500, "most iterations", minimum=1),
        Param("tol", float, 1e-6, "relative change of the objective that ends the iterations", minimum=0),
        replace(_GRAPH["affinity"], default="binary"),
        _GRAPH["metric"],
        replace(_GRAPH["n_neighbors"], default=27),
        _GRAPH["sigma"],
        _GRAPH["normalize_rows"],
    ),
    summary="Transfer Spectral Clustering: all tasks seen share one embedding of the features",
    reference="Jiang, Chung: Transfer Spectral Clustering, ECML-PKDD 2012",
    provenance=(
        "Objective, graph, r and stopping rule as in the authors' code. For any number of tasks instead of two, with "
        "a safe step (solver=author takes theirs for the samples), a rotation instead of a flip of signs at the "
        "start, the best of ten k-means runs instead of the most frequent of a hundred, the stream's weighting "
        "instead of theirs, and negative features refused instead of shifted. Not run beside their code. On WebKB4 "
        "(tf-idf, ten seeds) purity / NMI / RI are 76.5 / 42.7 / 72.8; the L2SC paper does not compare with it."
    ),
    baseline="stsc",
)
