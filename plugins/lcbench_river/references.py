"""The publications that the methods of river come from."""

from __future__ import annotations

from lcbench import Reference

MACQUEEN = Reference(
    "macqueen1967some",
    "inproceedings",
    "Some Methods for Classification and Analysis of Multivariate Observations",
    ("MacQueen, J.",),
    1967,
    "Proceedings of the Fifth Berkeley Symposium on Mathematical Statistics and Probability",
    volume="1",
    pages="281-297",
)
RIVER = Reference(
    "montiel2021river",
    "article",
    "River: Machine Learning for Streaming Data in Python",
    (
        "Montiel, Jacob",
        "Halford, Max",
        "Mastelini, Saulo Martiello",
        "Bolmier, Geoffrey",
        "Sourty, Raphael",
        "Vaysse, Robin",
        "Zouitine, Adil",
        "Gomes, Heitor Murilo",
        "Read, Jesse",
        "Abdessalem, Talel",
        "Bifet, Albert",
    ),
    2021,
    "Journal of Machine Learning Research",
    volume="22",
    number="110",
    pages="1-8",
)
