"""The publications that the spectral methods come from."""

from __future__ import annotations

from lcbench import Reference

AAAI = "Proceedings of the AAAI Conference on Artificial Intelligence"
NJW = Reference(
    "ng2001spectral",
    "inproceedings",
    "On Spectral Clustering: Analysis and an Algorithm",
    ("Ng, Andrew Y.", "Jordan, Michael I.", "Weiss, Yair"),
    2001,
    "Advances in Neural Information Processing Systems",
    volume="14",
)
L2SC = Reference(
    "sun2020lifelong",
    "inproceedings",
    "Lifelong Spectral Clustering",
    ("Sun, Gan", "Cong, Yang", "Wang, Qianqian", "Li, Jun", "Fu, Yun"),
    2020,
    AAAI,
    volume="34",
    pages="5867-5874",
)
ONESTEPSC = Reference(
    "zhu2017onestep",
    "inproceedings",
    "One-Step Spectral Clustering via Dynamically Learning Affinity Matrix and Subspace",
    (
        "Zhu, Xiaofeng",
        "He, Wei",
        "Li, Yonggang",
        "Yang, Yang",
        "Zhang, Shichao",
        "Hu, Rongyao",
        "Zhu, Yonghua",
    ),
    2017,
    AAAI,
    pages="2963-2969",
)
TSC = Reference(
    "jiang2012transfer",
    "inproceedings",
    "Transfer Spectral Clustering",
    ("Jiang, Wenhao", "Chung, Fu-lai"),
    2012,
    "Machine Learning and Knowledge Discovery in Databases",
    pages="789-803",
)
