"""Spectral methods: L2SC, stSC, uSC, OnestepSC and TSC. Light: a method is loaded when it is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lcbench import MethodSpec, Param, Params, Setting, hookimpl
from lcbench_spectral import references

AFFINITY_PARAMS = (
    Param(
        "affinity",
        str,
        "knn",
        "graph: nearest neighbours with Gaussian weights or with weights 1, or all pairs (quadratic in n)",
        ("knn", "binary", "full"),
    ),
    Param("metric", str, "cosine", "distance of the graph; d² is 2 - 2 cos for cosine", ("cosine", "euclidean")),
    Param("n_neighbors", int, 10, "neighbours of a sample, at most n - 1", minimum=1),
    Param(
        "sigma",
        float,
        "median",
        "width of the Gaussian; median: sigma² is the median of d² over the edges",
        ("median",),
        above=0,
    ),
    Param("normalize_rows", bool, True, "scale the rows of the embedding to length 1 before k-means"),
    Param(
        "neighbors",
        str,
        "auto",
        "search for neighbours; auto: approximate from 20,000 samples on, if the extra large is installed",
        ("auto", "exact", "approximate"),
        added=True,
    ),
)

# Sun et al., AAAI 2020: the 58 values tried for the weights of every method; quotients, so that each is its decimal
PAPER_VALUES = (
    *(i / 1000 for i in range(1, 11)),
    *(i / 100 for i in range(2, 11)),
    *(i / 10 for i in range(2, 11)),
    *(2.0 * i for i in range(1, 11)),
    *(40.0 * i for i in range(1, 21)),
)


def tolerance(default: float) -> Param:
    """The parameter `tol` that ends the iterations of a method."""
    return Param("tol", float, default, "relative change of the objective that ends the iterations", minimum=0)


def weight(name: str, default: float, meaning: str, *, positive: bool = False) -> Param:
    """A weight of an objective, at least or `positive` above 0, with the values that the L2SC paper tried."""
    least, above = (None, 0) if positive else (0, None)
    return Param(name, float, default, meaning, minimum=least, above=above, grids={"paper": PAPER_VALUES})


_NJW = "Ng, Jordan, Weiss: On Spectral Clustering: Analysis and an Algorithm, NIPS 2001"
_L2SC = "Sun, Cong, Wang, Li, Fu: Lifelong Spectral Clustering, AAAI 2020"


def l2sc_note(params: Params) -> str:
    """The note that every table with l2sc carries: old tasks are re-encoded, unless encoding=frozen."""
    return "" if params["encoding"] == "frozen" else "old tasks re-encoded when asked"


L2SC = MethodSpec(
    name="l2sc",
    display="L²SC",
    citations=(references.L2SC,),
    factory="lcbench_spectral.l2sc:L2SC",
    setting=Setting.LIFELONG,
    nonnegative=True,
    params=(
        weight("lam", 1.0, "weight of the feature library (lambda)"),
        weight("mu", 0.01, "weight of the L2,1 term on the library"),
        Param(
            "k",
            int,
            None,
            "width of the library; none: as wide as the first task needs, and growing",
            minimum=1,
            optional=True,
        ),
        Param(
            "k_final", str, "task", "clusters of the final k-means: the task's, or the library's", ("task", "library")
        ),
        Param(
            "solver",
            str,
            "corrected",
            "update of B: its maximiser, or the paper's eigenvectors",
            ("corrected", "paper"),
        ),
        Param(
            "l21",
            str,
            "theta_inv",
            "L2,1 step: as in the displayed equations, as in Algorithm 1, or truly sparse",
            ("theta_inv", "theta", "sparse"),
        ),
        Param(
            "encoding",
            str,
            "current",
            "old tasks: re-encoded when asked, or frozen (kept, and unable to improve)",
            ("current", "frozen"),
        ),
        Param("max_iter", int, 50, "most iterations per task", minimum=1),
        tolerance(1e-5),
        *AFFINITY_PARAMS,
    ),
    summary="Lifelong Spectral Clustering: a feature library carried from task to task",
    reference=_L2SC,
    provenance=(
        "The paper's objective. Its update of B maximises a constant and its L2,1 step is printed in two ways; "
        "solver=corrected takes the true maximiser, solver=paper the printed one, l21 chooses the reading. "
        "Graph, step size, start and stopping rule are not in the paper and are ours."
    ),
    baseline="stsc",
    note=l2sc_note,
)

STSC = MethodSpec(
    name="stsc",
    display="stSC",
    citations=(references.NJW,),
    factory="lcbench_spectral.stsc:StSC",
    setting=Setting.SINGLE_TASK,
    params=AFFINITY_PARAMS,
    summary="single-task spectral clustering, each task alone",
    reference=_NJW,
    provenance="The published algorithm; the paper does not give its graph, so n_neighbors and sigma are ours.",
)

USC = MethodSpec(
    name="usc",
    display="uSC",
    citations=(references.NJW, references.L2SC),
    factory="lcbench_spectral.usc:USC",
    setting=Setting.MULTI_TASK,
    params=AFFINITY_PARAMS,
    summary="spectral clustering of all tasks seen, pooled into one",
    reference=f"{_NJW}; pooled as in {_L2SC}",
    provenance="The published algorithm; the paper does not give its graph, so n_neighbors and sigma are ours.",
    baseline="stsc",
)

ONESTEPSC = MethodSpec(
    name="onestepsc",
    display="OnestepSC",
    citations=(references.ONESTEPSC,),
    factory="lcbench_spectral.onestepsc:OnestepSC",
    setting=Setting.SINGLE_TASK,
    params=(
        weight("alpha", 1.0, "weight of the distance of the learned graph S from the affinity A", positive=True),
        weight("beta", 0.1, "weight of the transformed distances; 0 leaves the transformation out"),
        weight("gamma", 0.1, "weight of the L2,1 norm of the transformation", positive=True),
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

_GRAPH = {param.name: param for param in AFFINITY_PARAMS}

TSC = MethodSpec(
    name="tsc",
    display="TSC",
    citations=(references.TSC,),
    factory="lcbench_spectral.tsc:TSC",
    setting=Setting.MULTI_TASK,
    nonnegative=True,
    params=(
        Param("r", float, 3.0, "weight of the shared features", minimum=0),
        Param("solver", str, "polar", "step: always safe, or the authors' normalised gradient", ("polar", "author")),
        Param("unit_rows", bool, True, "scale samples to length 1 before the bipartite normalisation"),
        Param("max_iter", int, 500, "most iterations", minimum=1),
        tolerance(1e-6),
        replace(_GRAPH["affinity"], default="binary"),
        _GRAPH["metric"],
        replace(_GRAPH["n_neighbors"], default=27),
        _GRAPH["sigma"],
        _GRAPH["normalize_rows"],
        _GRAPH["neighbors"],
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


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """Registers the methods of this package."""
    for spec in (L2SC, STSC, USC, ONESTEPSC, TSC):
        register(spec)
