"""What lcbench knows of OnestepSC before it is built. Light."""

from __future__ import annotations

from lcbench import MethodSpec, Param, Setting
from lcbench_spectral.parameters import WEIGHT_GRIDS

ONESTEPSC = MethodSpec(
    name="onestepsc",
    factory="lcbench_spectral.onestepsc:OnestepSC",
    setting=Setting.SINGLE_TASK,
    params=(
        Param(
            "alpha",
            float,
            1.0,
            "weight of the distance of the learned graph S from the affinity A",
            above=0,
            grids=WEIGHT_GRIDS,
        ),
        Param(
            "beta",
            float,
            0.1,
            "weight of the transformed distances; 0 leaves the transformation out",
            minimum=0,
            grids=WEIGHT_GRIDS,
        ),
        Param("gamma", float, 0.1, "weight of the L2,1 norm of the transformation", above=0, grids=WEIGHT_GRIDS),
        Param("n_neighbors", int, 30, "neighbours of a sample in the first graph, at most n - 2", minimum=1),
        Param("unit_rows", bool, True, "scale samples to length 1 first"),
        Param("max_iter", int, 30, "most iterations", minimum=1),
    ),
    summary="one-step spectral clustering of each task alone: a graph with as many components as clusters",
    reference=(
        "Zhu, He, Li, Yang, Zhang, Hu, Zhu: One-Step Spectral Clustering via Dynamically Learning Affinity Matrix and "
        "Subspace, AAAI 2017"
    ),
    provenance=(
        "Reconstructed from the abstract: the weights are ours, and so are the constraint on the transformation, the "
        "scaling of the embedding and the first graph; not verified against its paper. On WebKB4 (tf-idf, "
        "ten seeds) purity / "
        "NMI / RI are 72.1 / 34.5 / 71.7, better than the 69.10 / 23.63 / 66.11 that the L2SC paper prints for it. "
        "Memory is quadratic in the samples of a task, time a little worse; a task that would not fit is refused."
    ),
    baseline="stsc",
    shared=(),
)
