"""What lcbench knows of LSSMTC before it is built. Light."""

from __future__ import annotations

from lcbench import MethodSpec, Param, Setting

LSSMTC = MethodSpec(
    name="lssmtc",
    factory="lcbench_multitask.lssmtc:LSSMTC",
    setting=Setting.MULTI_TASK,
    params=(
        Param("lam", float, 0.75, "weight of the term of each task alone (lambda)", minimum=0, maximum=1),
        Param("dimensions", int, 2, "dimensions of the shared subspace, at most the number of features", minimum=1),
        Param("init", str, "kmeans", "first partitions: k-means of each task, or uniform noise", ("kmeans", "random")),
        Param(
            "subspace",
            str,
            "random",
            "first subspace: random, or the authors' unit matrix, whose zeros never move",
            ("random", "eye"),
        ),
        Param("unit_rows", bool, True, "scale samples to length 1 first"),
        Param("max_iter", int, 1000, "most iterations", minimum=1),
        Param("tol", float, 1e-4, "relative change of the objective that ends the iterations", minimum=0),
    ),
    summary="a factorisation of each task alone and of all tasks seen in a shared subspace",
    reference=(
        "Gu, Zhou: Learning the Shared Subspace for Multi-task Clustering and Transductive Transfer Classification, "
        "ICDM 2009"
    ),
    provenance=(
        "Objective and updates as in the public code; the start from k-means, the random subspace and the reading of "
        "the labels are ours. At these defaults the shared term is nearly inert, under 1 % of the objective: the "
        "result comes from the per-task term, and lam=1 gives nearly the same. Not run beside that code. On WebKB4 "
        "(tf-idf, ten seeds) purity / NMI / RI are 72.8 / 38.1 / 70.9; the L2SC paper does not compare with it."
    ),
    baseline="kmeans",
    shared=("unit_rows",),
)
