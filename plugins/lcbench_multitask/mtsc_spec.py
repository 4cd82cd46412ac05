"""What MTSC is and takes. Light."""

from __future__ import annotations

from lcbench import MethodSpec, Param, Setting
from lcbench_spectral.parameters import AFFINITY_PARAMS, WEIGHT_GRIDS

MTSC = MethodSpec(
    name="mtsc",
    factory="lcbench_multitask.mtsc:MTSC",
    setting=Setting.MULTI_TASK,
    params=(
        Param(
            "alpha",
            float,
            1.0,
            "weight of the linear maps from features to clusters; 0 is stsc",
            minimum=0,
            grids=WEIGHT_GRIDS,
        ),
        Param("beta", float, 0.03, "weight of the L2,p norm over the maps of all tasks", minimum=0, grids=WEIGHT_GRIDS),
        Param("p", float, 1.0, "exponent of that norm; 2 decouples the tasks", above=0, maximum=2),
        Param(
            "discretize",
            str,
            "kmeans",
            "labels from the embedding: k-means, or the nearest rotation (Yu and Shi)",
            ("kmeans", "rotation"),
        ),
        Param("unit_rows", bool, True, "scale samples to length 1 for the linear maps"),
        Param("max_iter", int, 50, "most iterations", minimum=1),
        Param("tol", float, 1e-5, "relative change of the objective that ends the iterations", minimum=0),
        *AFFINITY_PARAMS,
    ),
    summary="Multitask Spectral Clustering: linear maps that choose features for all tasks together",
    reference=(
        "Yang, Ma, Yang, Nie, Shen: Multitask Spectral Clustering by Exploring Intertask Correlation, IEEE T-Cyb 2015"
    ),
    provenance=(
        "Terms as in the abstract; the formula is recalled and not verified against the paper: weights, start and "
        "stopping rule are ours, and labels come from k-means (or Yu and Shi's rotation, an option). New samples of a "
        "learned task are clustered through its linear map (predict_samples), by a rule that is ours too: the cluster "
        "to which their predicted row of the embedding belongs. Memory is quadratic and the time of the first "
        "iterations cubic in the samples of a task: dense n x n matrices, refused where they do not fit."
    ),
    baseline="stsc",
)
