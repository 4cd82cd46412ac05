"""The publications that the baselines come from."""

from __future__ import annotations

from lcbench import Reference

LLOYD = Reference(
    "lloyd1982least",
    "article",
    "Least Squares Quantization in PCM",
    ("Lloyd, Stuart P.",),
    1982,
    "IEEE Transactions on Information Theory",
    volume="28",
    number="2",
    pages="129-137",
)
SEEDING = Reference(
    "arthur2007kmeans",
    "inproceedings",
    "k-means++: The Advantages of Careful Seeding",
    ("Arthur, David", "Vassilvitskii, Sergei"),
    2007,
    "Proceedings of the Eighteenth Annual ACM-SIAM Symposium on Discrete Algorithms",
    pages="1027-1035",
)
SCULLEY = Reference(
    "sculley2010webscale",
    "inproceedings",
    "Web-Scale k-Means Clustering",
    ("Sculley, D.",),
    2010,
    "Proceedings of the 19th International Conference on World Wide Web",
    pages="1177-1178",
)
