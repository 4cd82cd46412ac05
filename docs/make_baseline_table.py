"""Prints the settings looked at for `mini-batch-kmeans` and `river-kmeans`, scored without labels.

Run `python docs/make_baseline_table.py`, with the data of webkb4 at hand. Each setting learns the four tasks in three
random orders with three seeds. A cell has the mean silhouette times 100, of rows of length 1, and the mean share of the
largest cluster in percent; the last column how many of 40 partitions of far groups are right after all tasks.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator

import numpy as np
from river import cluster
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.preprocessing import normalize

import lcbench
from lcbench_baselines import Partial
from lcbench_river import River

STREAMS = ("digits", "topics", "webkb4")
FAR = (2, 4, 1, 3)  # numbers of clusters of the tasks of far groups
Make = Callable[[int], lcbench.Clusterer]


def settings() -> Iterator[tuple[str, Make]]:
    """All that were looked at."""
    yield "`kmeans`", lambda seed: lcbench.load_method("kmeans").set_params(random_state=seed)
    for width, passes, batch_size in (
        (1, 10, 32), (1, 10, 256), (2, 10, 32), (2, 10, 256), (4, 1, 32), (4, 3, 32), (4, 10, 32), (4, 30, 32),
        (4, 10, 256), (8, 1, 32), (8, 3, 32), (8, 10, 32), (8, 10, 64), (8, 10, 256), (16, 10, 32),
    ):  # fmt: skip
        own = {"width": width, "passes": passes, "batch_size": batch_size, "unit_rows": True}
        label = f"MiniBatchKMeans, width {width}, passes {passes}, batches of {batch_size}"
        yield label, lambda seed, own=own: Partial(MiniBatchKMeans(), random_state=seed, **own)
    rivers = {
        **{
            f"KMeans, width {width}, halflife {halflife}, scale {scale}, {directions} directions": (
                cluster.KMeans(halflife=halflife), {"width": width, "scale": scale, "directions": directions}
            )
            for width, halflife, scale, directions in (
                (1, 0.05, "common", 64), (4, 0.02, "common", 64), (4, 0.05, "common", 64), (4, 0.1, "common", 64),
                (4, 0.5, "common", 64), (8, 0.05, "common", 64), (8, 0.1, "common", 64), (4, 0.1, "features", 64),
                (4, 0.1, "common", 32), (4, 0.1, "common", 128),
            )
        },
        "STREAMKMeans, width 1": (cluster.STREAMKMeans(), {"width": 1}),
        "STREAMKMeans, width 4, chunks of 50": (cluster.STREAMKMeans(chunk_size=50, halflife=0.1), {"width": 4}),
        "CluStream, 50 micro-clusters, gap 20": (cluster.CluStream(max_micro_clusters=50, time_gap=20), {}),
        "DenStream, epsilon 3, starts after 60": (
            cluster.DenStream(epsilon=3, n_samples_init=60, decaying_factor=0.01), {},
        ),
        "DBSTREAM, threshold 6, fading 0.001": (cluster.DBSTREAM(6, fading_factor=0.001), {}),
        "DBSTREAM, threshold 8, fading 0.001": (cluster.DBSTREAM(8, fading_factor=0.001), {}),
        "TextClust, automatic radius, rows as they are": (
            cluster.TextClust(term_fading=False, auto_r=True), {"scale": "none", "unit_rows": False},
        ),
    }  # fmt: skip
    for label, (clusterer, given) in rivers.items():
        own = {"scale": "common", "unit_rows": True, **given}
        yield f"river's {label}", lambda seed, made=clusterer, own=own: River(made, random_state=seed, **own)


def scored(make: Make, tasks: list[lcbench.Task]) -> str:
    """The mean silhouette and the mean share of the largest cluster, after all tasks."""
    silhouettes, shares = [], []
    for seed in range(3):
        method = make(seed)
        for i in np.random.default_rng(seed).permutation(len(tasks)):
            method.partial_fit(tasks[i])
        for task in tasks:
            labels = method.predict(task)
            shares.append(np.bincount(labels).max() / len(labels))
            several = len(set(labels)) > 1
            silhouettes.append(silhouette_score(normalize(task.X), labels) if several else 0.0)
    return f"{100 * np.mean(silhouettes):.1f}, {100 * np.mean(shares):.0f} %"


def far_groups(make: Make) -> int:
    """How many of 40 partitions of far groups are right: those of four tasks after the last one, with ten seeds."""
    right = 0
    for seed in range(10):
        method, tasks = make(seed), []
        for k in FAR:
            noise = 0.05 * np.random.default_rng(k).random((60, 12))
            X = np.kron(np.eye(k), np.ones(12 // k))[np.arange(60) % k] + noise
            tasks.append(lcbench.Task(f"{k} groups", X, k))
            method.partial_fit(tasks[-1])
        right += sum(adjusted_rand_score(np.arange(60) % t.n_clusters, method.predict(t)) == 1.0 for t in tasks)
    return right


def main() -> None:
    """Print a row for each setting."""
    logging.disable()
    streams = [[labelled.task for labelled in lcbench.load_stream(name).tasks()] for name in STREAMS]
    print(f"| setting | {' | '.join(STREAMS)} | far groups |")
    print("|---|" + "---|" * (len(STREAMS) + 1))
    for label, make in settings():
        print(f"| {label} | {' | '.join(scored(make, tasks) for tasks in streams)} | {far_groups(make)} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
