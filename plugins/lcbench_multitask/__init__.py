"""Multi-task methods that the L2SC paper compares with. This module is light: a method is loaded when it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lcbench import MethodSpec, Param, Setting, hookimpl
from lcbench_multitask import references
from lcbench_spectral import AFFINITY_PARAMS, tolerance, weight

BREGMAN_PARAMS = (
    Param(
        "divergence",
        str,
        "euclidean",
        "squared Euclidean distance, or generalised Kullback-Leibler for counts",
        ("euclidean", "kl"),
    ),
    Param("n_init", int, 1, "starts of the k-means run per task that it starts from", minimum=1),
    Param("max_iter", int, 100, "most iterations", minimum=1),
    tolerance(1e-5),
    Param("unit_rows", bool, True, "scale samples first: to length 1, with kl to sum 1"),
)


def _by_kl(params: Mapping[str, object]) -> bool:
    return params["divergence"] == "kl"


MBC = MethodSpec(
    name="mbc",
    display="MBC",
    citations=references.MBC,
    factory="lcbench_multitask.mbc:MBC",
    setting=Setting.MULTI_TASK,
    nonnegative=_by_kl,
    params=(
        weight("lam", 2.0, "weight of the coupling between tasks (lambda)"),
        *BREGMAN_PARAMS,
    ),
    summary="Multitask Bregman Clustering: k-means of all tasks at once, corresponding centroids pulled together",
    reference="Zhang, Zhang: Multitask Bregman Clustering, AAAI 2010; Neurocomputing 74, 2011",
    provenance=(
        "The structure (local losses plus an earth mover's distance between the partitions, solved by turns) is the "
        "paper's. The formulas are reconstructed from memory of it and its abstract: the weights are ours, and so are "
        "start, stopping rule and what happens to an empty cluster. Not verified against the paper's figures. On "
        "WebKB4 (tf-idf, ten seeds) purity / NMI / RI are 75.9 / 42.6 / 73.9, better than the 67.28 / 30.03 "
        "/ 66.45 that the "
        "L2SC paper prints for it."
    ),
    baseline="kmeans",
    shared=("unit_rows",),
)

SMBC = MethodSpec(
    name="smbc",
    display="SMBC",
    citations=references.SMART,
    factory="lcbench_multitask.smbc:SMBC",
    setting=Setting.MULTI_TASK,
    nonnegative=_by_kl,
    params=(
        weight("lam", 0.5, "weight of the coupling between tasks (lambda)"),
        Param(
            "rule",
            str,
            "means",
            "where losses with and without help are compared: at cluster means, or at the centroids that made them",
            ("means", "literal"),
        ),
        *BREGMAN_PARAMS,
    ),
    summary="Smart MBC: a task drops the help of the others in every iteration in which it does harm",
    reference=(
        "Zhang, Zhang: Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering, AAAI 2013; "
        "Zhang, Zhang, Liu, ACM TKDD 10(1), 2015"
    ),
    provenance=(
        "That a task drops the boosting when its local loss is worse than without is the paper's. How the losses are "
        "compared, and MBC's formulas, are reconstructed from the abstract: the weights are ours. Read literally "
        "(rule=literal) the help practically never wins and the result is k-means. Not verified against the paper. On "
        "WebKB4 (tf-idf, ten seeds) purity / NMI / RI are 72.8 / 36.1 / 69.4; the L2SC paper prints 67.98 / "
        "30.10 / 70.29 for "
        "it, of which ours is better in the first two."
    ),
    baseline="kmeans",
    shared=("unit_rows",),
)

SMKC = MethodSpec(
    name="smkc",
    display="SMKC",
    citations=references.SMART,
    factory="lcbench_multitask.smkc:SMKC",
    setting=Setting.MULTI_TASK,
    params=(
        weight("lam", 0.5, "weight of the coupling between tasks (lambda)"),
        Param(
            "kernel",
            str,
            "cosine",
            "cosine, Gaussian with 2 sigma² the median squared distance (quadratic in n), or inner product",
            ("cosine", "gaussian", "linear"),
        ),
        Param("partition", str, "soft", "memberships in parts, or in the nearest cluster alone", ("soft", "hard")),
        Param("smart", bool, True, "fall back on kernel k-means alone for a task where its loss is less"),
        Param("n_init", int, 1, "starts of kernel k-means, of which the best is kept", minimum=1),
        Param("max_iter", int, 100, "most iterations", minimum=1),
        tolerance(1e-5),
        Param("unit_rows", bool, True, "scale samples to length 1 first, as text needs"),
    ),
    summary="Smart Multitask Kernel Clustering: soft partitions in feature space, centroids pulled together",
    reference=(
        "Zhang, Zhang: Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering, AAAI 2013; "
        "Zhang, Zhang, Liu, ACM TKDD 10(1), 2015"
    ),
    provenance=(
        "Kernel, smart framework and non-negative partition matrices are the paper's; objective, weights and updates "
        "are reconstructed from the abstract and ours. Not verified against the paper. On WebKB4 (tf-idf, "
        "ten seeds) purity / "
        "NMI / RI are 75.0 / 41.6 / 72.7, better than the 64.29 / 20.03 / 62.60 that the L2SC paper prints for it, "
        "and better still with smart=false. Quadratic in the number of samples of all tasks with kernel=gaussian, "
        "which is refused where the matrix would not fit in memory; cosine and linear never form it and are linear."
    ),
    baseline="kmeans",
    shared=("unit_rows",),
)

MTSC = MethodSpec(
    name="mtsc",
    display="MTSC",
    citations=(references.MTSC,),
    factory="lcbench_multitask.mtsc:MTSC",
    setting=Setting.MULTI_TASK,
    params=(
        weight("alpha", 1.0, "weight of the linear maps from features to clusters; 0 is stsc"),
        weight("beta", 0.03, "weight of the L2,p norm over the maps of all tasks"),
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
        tolerance(1e-5),
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

MTCMRL = MethodSpec(
    name="mtcmrl",
    display="MTCMRL",
    citations=(references.MTCMRL,),
    factory="lcbench_multitask.mtcmrl:MTCMRL",
    setting=Setting.MULTI_TASK,
    params=(
        weight("lam", 10.0, "weight of the linear models (lambda)"),
        weight("mu", 1.0, "ridge of the linear models", positive=True),
        weight("alpha", 5.0, "weight of the relations between tasks; 0: each task alone"),
        weight("beta", 0.003, "ridge of the relations; at 0.1 they stay near uniform"),
        Param("intercept", bool, True, "give the linear models an intercept"),
        Param("unit_rows", bool, True, "scale samples to length 1 for the linear models"),
        Param("max_iter", int, 150, "most iterations", minimum=1),
        tolerance(1e-5),
        *(param for param in AFFINITY_PARAMS if param.name != "affinity"),
    ),
    summary="Multi-Task Clustering with Model Relation Learning: symmetric NMF with related linear models",
    reference="Zhang, Zhang, Liu, Luo: Multi-Task Clustering with Model Relation Learning, IJCAI 2018",
    provenance=(
        "Reconstructed from the abstract, the opening of the paper and the solvers it names: the form fits them, the "
        "weights, the start and the intercept are ours. Not verified against the paper. On WebKB4 (tf-idf, "
        "ten seeds) purity / "
        "NMI / RI are 75.8 / 42.9 / 73.2; the L2SC paper prints 75.19 / 40.58 / 74.69 for it: ours is better in the "
        "first two and below in the third. On a k-NN graph only; no matrix of samples by samples above 1,000 samples, "
        "none of features by features."
    ),
    baseline="stsc",
)

LSSMTC = MethodSpec(
    name="lssmtc",
    display="LSSMTC",
    citations=(references.LSSMTC,),
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
        tolerance(1e-4),
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


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """The methods of this package."""
    for spec in (MBC, SMBC, SMKC, MTSC, MTCMRL, LSSMTC):
        register(spec)
