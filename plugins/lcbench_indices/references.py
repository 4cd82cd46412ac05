"""The publications that the metrics come from."""

from __future__ import annotations

from lcbench import Reference

JMLR = "Journal of Machine Learning Research"
PURITY = Reference(
    "manning2008introduction",
    "book",
    "Introduction to Information Retrieval",
    ("Manning, Christopher D.", "Raghavan, Prabhakar", "Schütze, Hinrich"),
    2008,
    "Cambridge University Press",
)
NMI = Reference(
    "strehl2002cluster",
    "article",
    "Cluster Ensembles: A Knowledge Reuse Framework for Combining Multiple Partitions",
    ("Strehl, Alexander", "Ghosh, Joydeep"),
    2002,
    JMLR,
    volume="3",
    pages="583-617",
)
RI = Reference(
    "rand1971objective",
    "article",
    "Objective Criteria for the Evaluation of Clustering Methods",
    ("Rand, William M.",),
    1971,
    "Journal of the American Statistical Association",
    volume="66",
    number="336",
    pages="846-850",
)
ARI = Reference(
    "hubert1985comparing",
    "article",
    "Comparing Partitions",
    ("Hubert, Lawrence", "Arabie, Phipps"),
    1985,
    "Journal of Classification",
    volume="2",
    pages="193-218",
)
AMI = Reference(
    "vinh2010information",
    "article",
    "Information Theoretic Measures for Clusterings Comparison: Variants, Properties, Normalization and Correction "
    "for Chance",
    ("Vinh, Nguyen Xuan", "Epps, Julien", "Bailey, James"),
    2010,
    JMLR,
    volume="11",
    pages="2837-2854",
)
ACCURACY = Reference(
    "kuhn1955hungarian",
    "article",
    "The Hungarian Method for the Assignment Problem",
    ("Kuhn, Harold W.",),
    1955,
    "Naval Research Logistics Quarterly",
    volume="2",
    pages="83-97",
)
SILHOUETTE = Reference(
    "rousseeuw1987silhouettes",
    "article",
    "Silhouettes: A Graphical Aid to the Interpretation and Validation of Cluster Analysis",
    ("Rousseeuw, Peter J.",),
    1987,
    "Journal of Computational and Applied Mathematics",
    volume="20",
    pages="53-65",
)
