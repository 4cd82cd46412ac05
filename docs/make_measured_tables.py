"""Makes tables of the docs by measuring, and fills their pages: `python docs/make_measured_tables.py NAME`.

NAME is one of MAKERS; the data must be at hand. No runs are stored: methods learn here, or, for `paper-averages`, a
paper's printed figures are added up.
"""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import make_tables
import numpy as np
from make_tables import Cell

import lcbench

Tasks = Sequence[lcbench.LabelledTask]
Measure = Callable[[Tasks], Iterator[float]]
Make = Callable[[int], lcbench.Clusterer]

# Settings of stsc and l2sc, by ARI

NEIGHBOURS = (3, 4, 5, 7, 10, 15, 20)
STREAMS = (
    "vowel", "digits", "20ng-same", "reuters-12", "watch", "mnist-rot", "topics", "mnist-slide", "webkb4", "mnist10",
    "reuters",
)  # fmt: skip
WIDER = (0, 1, 2, 3, 4, 6)
WIDENED = (
    "mnist-slide", "mnist-rot", "mnist10", "digits", "vowel", "watch", "20ng-same", "reuters-12", "webkb4", "reuters",
    "topics",
)  # fmt: skip
WIDTHS = ["k = c", *(f"k = c + {more}" for more in WIDER[1:])]


def ari(labelled: lcbench.LabelledTask, labels: np.ndarray) -> float:
    """The adjusted Rand index of a partition, in percent."""
    from sklearn.metrics import adjusted_rand_score

    return 100 * adjusted_rand_score(labelled.y, labels)


def neighbours(tasks: Tasks) -> Iterator[float]:
    """The mean ARI of stsc for each number of neighbours, over all tasks and two seeds."""
    for count in NEIGHBOURS:
        scores = []
        for labelled in tasks:
            for seed in range(2):
                method = lcbench.load_method("stsc", n_neighbors=count).set_params(random_state=seed)
                scores.append(ari(labelled, method.partial_fit(labelled.task).labels_))
        yield float(np.mean(scores))


def widths(tasks: Tasks) -> Iterator[float]:
    """The mean ARI of l2sc after all tasks in three random orders, with a library wider than a task has clusters."""
    clusters = max(labelled.task.n_clusters for labelled in tasks)
    for more in WIDER:
        scores = []
        for seed in range(3):
            method = lcbench.load_method("l2sc", k=clusters + more).set_params(random_state=seed)
            for i in np.random.default_rng(seed).permutation(len(tasks)):
                method.partial_fit(tasks[i].task)
            scores += [ari(labelled, method.predict(labelled.task)) for labelled in tasks]
        yield float(np.mean(scores))


def alone(tasks: Tasks) -> Iterator[float]:
    """The same for a fresh l2sc on each task."""
    for more in WIDER:
        scores = []
        for labelled in tasks:
            width = labelled.task.n_clusters + more
            method = lcbench.load_method("l2sc", k=width).set_params(random_state=0)
            scores.append(ari(labelled, method.partial_fit(labelled.task).labels_))
        yield float(np.mean(scores))


def settings(streams: Sequence[str], names: Sequence[str], measure: Measure) -> Iterator[Cell]:
    """A row per stream; the best setting is bold."""
    for stream in streams:
        row, tasks = f"`{stream}`", lcbench.load_stream(stream).tasks()
        yield Cell(row, "samples", "", str(round(np.mean([labelled.task.n_samples for labelled in tasks]))))
        found = list(measure(tasks))
        for name, value in zip(names, found, strict=True):
            yield Cell(row, name, "ari", f"{value:.1f}", bold="yes" if value == max(found) else "")
        print(stream, *(f"{value:.1f}" for value in found), flush=True)


# Seeds of k-means

POOLED, SEEDS = ("20ng-same", "reuters-12", "mnist-rot", "watch", "vowel"), 40


def seeds() -> Iterator[Cell]:
    """How much scikit-learn's k-means of all tasks pooled differs from seed to seed; and its ARI at the least inertia.

    It has the best of ten starts, and no line of our methods.
    """
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import normalize

    for stream in POOLED:
        tasks = lcbench.load_stream(stream).tasks()
        X, clusters = lcbench.stack_tasks([labelled.task for labelled in tasks])
        cuts = np.cumsum([labelled.task.n_samples for labelled in tasks])[:-1]
        scores, inertia = [], []
        for seed in range(SEEDS):
            found = KMeans(clusters, n_init=10, random_state=seed).fit(normalize(X))
            parts = zip(tasks, np.split(found.labels_, cuts), strict=True)
            scores.append(np.mean([ari(labelled, part) for labelled, part in parts]))
            inertia.append(found.inertia_)
        for column, value in (
            ("mean", np.mean(scores)), ("standard deviation", np.std(scores, ddof=1)), ("least", min(scores)),
            ("most", max(scores)), ("at the least inertia", scores[int(np.argmin(inertia))]),
        ):  # fmt: skip
            yield Cell(f"`{stream}`", column, "ari", f"{value:.1f}")


# Settings of the lifelong k-means, chosen without labels

BASELINE_STREAMS = ("digits", "topics", "webkb4")
FAR = (2, 4, 1, 3)  # numbers of clusters of the tasks of far groups


def baselines() -> Iterator[tuple[str, Make]]:
    """All settings that were looked at."""
    from river import cluster
    from sklearn.cluster import MiniBatchKMeans

    from lcbench_baselines import Partial
    from lcbench_river import River

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


def unlabelled_score(make: Make, tasks: list[lcbench.Task]) -> str:
    """The mean silhouette of rows of length 1, times 100, and the mean share of the largest cluster, after all tasks.

    The tasks come in three random orders, each with a seed of its own.
    """
    from sklearn.metrics import silhouette_score
    from sklearn.preprocessing import normalize

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
    from sklearn.metrics import adjusted_rand_score

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


def baseline_settings() -> Iterator[Cell]:
    """A row for each setting."""
    streams = [[labelled.task for labelled in lcbench.load_stream(name).tasks()] for name in BASELINE_STREAMS]
    for label, make in baselines():
        for name, tasks in zip(BASELINE_STREAMS, streams, strict=True):
            yield Cell(label, name, "text", unlabelled_score(make, tasks))
        yield Cell(label, "far groups", "text", str(far_groups(make)))
        print(label, flush=True)


# What cpsc costs

COST_STREAMS, COST_ORDERS = ("digits", "webkb4", "reuters"), 21


def cpsc_cost() -> Iterator[Cell]:
    """The median ratio of CPU times over random orders, in each of which all learn in turn, in one thread."""
    from lcbench.running.threads import ThreadLimit
    from lcbench.testing.timing import learn_all, learn_by_scikit_learn

    def seconds(name: str, order: Tasks) -> float:
        start = time.process_time()
        if name == "sklearn":
            learn_by_scikit_learn(order)
        else:
            learn_all(lambda: lcbench.load_method(name), order)
        return time.process_time() - start

    columns = {"stsc": "times `stsc`", "sklearn": "times scikit-learn's `SpectralClustering`"}
    for stream in COST_STREAMS:
        tasks, generator, ratios = lcbench.load_stream(stream).tasks(), np.random.default_rng(0), []
        with ThreadLimit(1):
            for _ in range(COST_ORDERS + 1):
                order = [tasks[i] for i in generator.permutation(len(tasks))]
                ours, *others = (seconds(name, order) for name in ("cpsc", *columns))
                ratios.append([ours / other for other in others])
        for column, ratio in zip(columns.values(), np.median(ratios[1:], axis=0), strict=True):  # the first warms up
            yield Cell(f"`{stream}`", column, "ratio", f"{ratio:.1f}")
        print(stream, *np.median(ratios[1:], axis=0).round(2), flush=True)


# Printed averages that are not the mean of their rows


def paper_averages() -> Iterator[Cell]:
    """A row for each misprint, as `lcbench reproduce` notes it."""
    from lcbench.analysis.published.table import published_for
    from lcbench.analysis.published.verdicts import misprint
    from lcbench.registry.host import plugin_host

    registry = plugin_host().registry
    for stream in ("webkb4", "reuters", "20newsgroups"):
        published = published_for(stream, registry)
        for metric in published.figures:
            for method in published.methods:
                wrong = misprint(published, metric, method)
                if wrong is not None:
                    shown = [registry.streams[stream].display, registry.metrics[metric].display or metric, method]
                    for column, value in (("printed", wrong.printed), ("mean of its rows", wrong.recomputed)):
                        yield Cell(", ".join(shown), column, "percent", f"{value:.2f}")


# Ten thousand tiny runs on a cluster

RUNS, MANY = 10_000, 1_000_000


def cluster() -> Iterator[Cell]:
    """What a run costs lcbench, and what a million would; takes ten minutes."""
    import tempfile

    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "benchmarks"))
    from many_cluster_runs import measured

    with tempfile.TemporaryDirectory() as folder:
        yield from cluster_cells({what: value / RUNS for what, value in measured(RUNS, Path(folder)).items()})


def cluster_cells(each: dict[str, float]) -> Iterator[Cell]:
    """The table, from what one run took on average: seconds, bytes, messages, files."""

    def row(what: str, one: str, many: str) -> Iterator[Cell]:
        yield from (Cell(what, "per run", "text", one), Cell(what, "a million runs", "text", many))

    def hours(seconds: float) -> str:
        return f"{MANY * seconds / 3600:.0f} hours"

    def gigabytes(size: float) -> str:
        return f"{MANY * size / 1e9:.{0 if size >= 2000 else 1}f} GB"

    def milliseconds(seconds: float) -> str:
        return f"{1000 * seconds:.0f} ms"

    scoring, writing = each["scoring"], each["writing"]
    files = f"{gigabytes(each['bytes of files'])} in {round(each['files'] * MANY / 1e6)} million files"
    yield from row(
        "scoring, two at a time here (one for each core, four at most)", milliseconds(scoring), hours(scoring / 2)
    )
    yield from row("writing the record and its labels", milliseconds(writing), f"{hours(writing)}; {files}")
    for what, key in (("CPU of lcbench's own process", "CPU here"), ("CPU of the scheduler", "CPU of the scheduler")):
        yield from row(what, milliseconds(each[key]), hours(each[key]))
    out, back = (
        f"{each[f'messages {way}']:.2g} of together {each[f'bytes {way}'] / 1000:.1f} kB" for way in ("out", "in")
    )
    both = each["bytes out"] + each["bytes in"]
    yield from row("messages to the scheduler, and back", f"{out}, {back}", gigabytes(both))
    for what in ("memory here", "memory of the scheduler"):
        size, digits = each[what], 0 if each[what] >= 2000 else 1
        more = ": records are kept until the end" if what == "memory here" else ""
        yield from row(what + more, f"{size / 1000:.{digits}f} kB", gigabytes(size))


MAKERS: dict[str, Callable[[], Iterator[Cell]]] = {
    "neighbours": lambda: settings(STREAMS, [str(count) for count in NEIGHBOURS], neighbours),
    "widths": lambda: settings(WIDENED, WIDTHS, widths),
    "alone": lambda: settings(WIDENED[:2], WIDTHS, alone),
    "seeds": seeds,
    "baseline-settings": baseline_settings,
    "cpsc-cost": cpsc_cost,
    "paper-averages": paper_averages,
    "cluster": cluster,
}


def main(name: str) -> None:
    """Make the file of a table, and fill the page."""
    logging.disable()
    warnings.simplefilter("ignore")
    make_tables.write_file(name, list(MAKERS[name]()))
    make_tables.main()


if __name__ == "__main__":
    main(sys.argv[1])
