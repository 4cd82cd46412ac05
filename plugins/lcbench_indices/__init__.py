"""Indices that compare a partition with the true classes, and silhouette. This module is light."""

from __future__ import annotations

import math
from collections.abc import Callable

from lcbench import MetricKind, MetricSpec, Param, hookimpl
from lcbench_indices import references

METRICS = (
    MetricSpec(
        name="purity",
        display="Purity",
        citations=(references.PURITY,),
        factory="lcbench_indices.indices:Purity",
        kind=MetricKind.EXTERNAL,
        range=(0, 1),
        shown=True,
        summary="share of samples that belong to the largest class of their cluster",
        reference="Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 16.3",
    ),
    MetricSpec(
        name="nmi",
        display="NMI",
        citations=(references.NMI,),
        factory="lcbench_indices.indices:NormalizedMutualInformation",
        kind=MetricKind.EXTERNAL,
        range=(0, 1),
        shown=True,
        params=(Param("average", str, "arithmetic", "mean of the two entropies", ("arithmetic", "geometric")),),
        summary="mutual information over the mean of the entropies",
        reference="Strehl, Ghosh: Cluster Ensembles, JMLR 2002 (geometric mean)",
    ),
    MetricSpec(
        name="ri",
        display="RI",
        citations=(references.RI,),
        factory="lcbench_indices.indices:RandIndex",
        kind=MetricKind.EXTERNAL,
        range=(0, 1),
        shown=True,
        params=(
            Param(
                "include_diagonal",
                bool,
                False,
                "count a sample with itself as a pair, as TSC's code does",
            ),
        ),
        summary="share of pairs of samples on which partition and classes agree",
        reference="Rand: Objective Criteria for the Evaluation of Clustering Methods, JASA 1971",
    ),
    MetricSpec(
        name="ari",
        display="ARI",
        citations=(references.ARI,),
        factory="lcbench_indices.indices:AdjustedRandIndex",
        kind=MetricKind.EXTERNAL,
        range=(-0.5, 1),
        shown=True,
        summary="Rand index corrected for chance",
        reference="Hubert, Arabie: Comparing Partitions, Journal of Classification 1985",
    ),
    MetricSpec(
        name="ami",
        display="AMI",
        citations=(references.AMI,),
        factory="lcbench_indices.indices:AdjustedMutualInformation",
        kind=MetricKind.EXTERNAL,
        range=(-math.inf, 1),
        summary="mutual information corrected for chance",
        reference="Vinh, Epps, Bailey: Information Theoretic Measures for Clusterings Comparison, JMLR 2010",
    ),
    MetricSpec(
        name="accuracy",
        display="Accuracy",
        citations=(references.ACCURACY,),
        factory="lcbench_indices.indices:Accuracy",
        kind=MetricKind.EXTERNAL,
        range=(0, 1),
        summary="share of samples in the right cluster under the best one-to-one matching (Hungarian)",
        reference="Kuhn: The Hungarian Method for the Assignment Problem, Naval Research Logistics 1955",
    ),
    MetricSpec(
        name="silhouette",
        display="Silhouette",
        citations=(references.SILHOUETTE,),
        factory="lcbench_indices.indices:Silhouette",
        kind=MetricKind.INTERNAL,
        range=(-1, 1),
        percent=False,
        shown=True,
        params=(Param("distance", str, "euclidean", "distance between samples", ("euclidean", "cosine")),),
        summary="how much closer samples are to their own cluster than to the next; needs no classes",
        reference="Rousseeuw: Silhouettes, Journal of Computational and Applied Mathematics 1987",
    ),
)


@hookimpl
def lcbench_register_metrics(register: Callable[[MetricSpec], None]) -> None:
    """The metrics of this package."""
    for spec in METRICS:
        register(spec)
