"""The publications that the multi-task methods come from."""

from __future__ import annotations

from lcbench import Reference

AAAI = "Proceedings of the AAAI Conference on Artificial Intelligence"
MBC = (
    Reference(
        "zhang2010multitask",
        "inproceedings",
        "Multitask Bregman Clustering",
        ("Zhang, Jianwen", "Zhang, Changshui"),
        2010,
        AAAI,
    ),
    Reference(
        "zhang2011multitask",
        "article",
        "Multitask Bregman Clustering",
        ("Zhang, Jianwen", "Zhang, Changshui"),
        2011,
        "Neurocomputing",
        volume="74",
    ),
)
SMART = (
    Reference(
        "zhang2013smart",
        "inproceedings",
        "Smart Multi-Task Bregman Clustering and Multi-Task Kernel Clustering",
        ("Zhang, Xianchao", "Zhang, Xiaotong"),
        2013,
        AAAI,
    ),
    Reference(
        "zhang2015smart",
        "article",
        "Smart Multitask Bregman Clustering and Multitask Kernel Clustering",
        ("Zhang, Xianchao", "Zhang, Xiaotong", "Liu, Han"),
        2015,
        "ACM Transactions on Knowledge Discovery from Data",
        volume="10",
        number="1",
    ),
)
MTSC = Reference(
    "yang2015multitask",
    "article",
    "Multitask Spectral Clustering by Exploring Intertask Correlation",
    ("Yang, Yang", "Ma, Zhigang", "Yang, Yi", "Nie, Feiping", "Shen, Heng Tao"),
    2015,
    "IEEE Transactions on Cybernetics",
)
MTCMRL = Reference(
    "zhang2018multitask",
    "inproceedings",
    "Multi-Task Clustering with Model Relation Learning",
    ("Zhang, Xiaotong", "Zhang, Xianchao", "Liu, Han", "Luo, Jiebo"),
    2018,
    "Proceedings of the Twenty-Seventh International Joint Conference on Artificial Intelligence",
)
LSSMTC = Reference(
    "gu2009learning",
    "inproceedings",
    "Learning the Shared Subspace for Multi-task Clustering and Transductive Transfer Classification",
    ("Gu, Quanquan", "Zhou, Jie"),
    2009,
    "Proceedings of the IEEE International Conference on Data Mining",
    pages="159-168",
)
