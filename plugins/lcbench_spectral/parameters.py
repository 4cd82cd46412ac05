"""The parameters of the spectral methods: what they take and mean. Light."""

from __future__ import annotations

from lcbench import Param

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
)

# Sun et al., AAAI 2020: the 58 values tried for the weights of every method; quotients, so that each is its decimal
PAPER_VALUES = (
    *(i / 1000 for i in range(1, 11)),
    *(i / 100 for i in range(2, 11)),
    *(i / 10 for i in range(2, 11)),
    *(2.0 * i for i in range(1, 11)),
    *(40.0 * i for i in range(1, 21)),
)
WEIGHT_GRIDS = {"paper": PAPER_VALUES}

L2SC_PARAMS = (
    Param("lam", float, 1.0, "weight of the feature library (lambda)", minimum=0, grids=WEIGHT_GRIDS),
    Param("mu", float, 0.01, "weight of the L2,1 term on the library", minimum=0, grids=WEIGHT_GRIDS),
    Param(
        "k",
        int,
        None,
        "width of the library; none: as wide as the first task needs, and growing",
        minimum=1,
        optional=True,
    ),
    Param("k_final", str, "task", "clusters of the final k-means: the task's, or the library's", ("task", "library")),
    Param(
        "solver", str, "corrected", "update of B: its maximiser, or the paper's eigenvectors", ("corrected", "paper")
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
    Param("tol", float, 1e-5, "relative change of the objective that ends the iterations", minimum=0),
)
