"""Writes the table of long streams in docs/streams.md: `python docs/make_stream_table.py FOLDER`.

The page has the commands that make the runs in FOLDER.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import stats

import lcbench

METRICS = ("purity", "nmi", "ari")
STREAMS = ("20ng-same", "reuters-12", "mnist10", "mnist-rot", "mnist-slide", "watch", "vowel")
METHODS = ("random", "stsc", "kmeans", "usc", "pooled-kmeans", "tsc", "l2sc", "cpsc")
FULL = 5  # orders
ALONE = ("l2sc", "cpsc")
PAGE = Path(__file__).with_name("streams.md")
START, END = "<!-- table -->\n", "<!-- end of table -->"

# What version 0.1 had on the same cuts: purity, NMI and ARI. Its images of MNIST were others.
BEFORE = {
    "20ng-same": {
        "stsc": (80.4, 59.0, 56.9), "kmeans": (57.5, 27.4, 22.0), "usc": (50.6, 46.0, 23.9),
        "pooled-kmeans": (64.3, 54.0, 35.9), "tsc": (91.9, 79.2, 79.5), "l2sc": (89.1, 72.9, 73.2),
        "l2sc alone": (81.3, 60.9, 58.8),
    },
    "reuters-12": {
        "stsc": (76.7, 68.0, 56.9), "kmeans": (65.1, 52.9, 38.2), "usc": (61.2, 57.8, 37.2),
        "pooled-kmeans": (74.7, 68.2, 53.9), "tsc": (76.0, 68.8, 56.8), "l2sc": (78.9, 71.4, 60.7),
        "l2sc alone": (77.2, 69.0, 57.9),
    },
    "watch": {
        "stsc": (93.0, 92.2, 86.3), "kmeans": (88.4, 89.8, 80.5), "usc": (47.8, 73.1, 50.2),
        "pooled-kmeans": (62.3, 78.1, 58.7), "tsc": (84.2, 83.7, 72.8), "l2sc": (93.0, 92.1, 86.2),
        "l2sc alone": (93.1, 92.2, 86.5),
    },
    "vowel": {
        "stsc": (89.2, 91.7, 81.0), "kmeans": (92.8, 94.5, 86.5), "usc": (53.9, 76.2, 45.4),
        "pooled-kmeans": (57.8, 77.1, 48.6), "tsc": (79.1, 81.8, 63.2), "l2sc": (88.7, 91.4, 80.3),
        "l2sc alone": (89.2, 91.7, 80.9),
    },
}  # fmt: skip


def last_scores(results: lcbench.Results, stream: str, method: str) -> np.ndarray:
    """Averages over tasks in percent after all of them, a row per order."""
    runs = [run for run in results.runs if (run.stream, run.label, run.status) == (stream, method, "ok")]
    return 100 * np.array([[np.mean(run.scores[metric][-1]) for metric in METRICS] for run in runs])


def alone_scores(results: lcbench.Results, stream: str, method: str) -> np.ndarray:
    """Averages over tasks in percent that a fresh instance has on each task, a row per order."""
    solos = {run.run_id: run for run in results.solos}
    runs = [run for run in results.runs if (run.stream, run.label, run.status) == (stream, method, "ok")]
    found = [[solos[run_id] for run_id in run.solo_ids] for run in runs]
    return 100 * np.array([[np.mean([run.scores[m][0][0] for run in each]) for m in METRICS] for each in found])


def interval(values: np.ndarray) -> str:
    """Half the width of the 95 % interval of the mean by Student's t; nothing for fewer than five values."""
    if len(values) < FULL:
        return ""
    return f" ± {stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)):.1f}"


def cell(scores: np.ndarray) -> str:
    """Means by all metrics, and the interval of the last one; how many orders, where there are fewer than five."""
    if not len(scores):
        return ""
    means = " / ".join(f"{round(mean, 1) + 0.0:.1f}" for mean in scores.mean(axis=0))  # + 0.0: no negative zero
    return means + (interval(scores[:, -1]) or f" ({len(scores)})")


def transfer(last: np.ndarray, alone: np.ndarray) -> str:
    """What other tasks bring by the last metric: the mean difference of the same orders, with its interval."""
    if not len(last) or last.shape != alone.shape:
        return ""
    gain = last[:, -1] - alone[:, -1]
    return f"{round(gain.mean(), 1) + 0.0:+.1f}{interval(gain)}"


def rows(results: lcbench.Results) -> Iterator[str]:
    """A row per stream, and below it what version 0.1 had."""
    columns = [*METHODS, *(f"{method} alone" for method in ALONE)]
    names = [f"`{method}`" for method in METHODS] + [f"`{method}` alone" for method in ALONE]
    changes = [f"transfer of `{method}`, ARI" for method in ALONE]
    yield f"| stream | {' | '.join([*names, *changes])} |"
    yield "|---" * (1 + len(columns) + len(ALONE)) + "|"
    for stream in STREAMS:
        last = {method: last_scores(results, stream, method) for method in METHODS}
        alone = {method: alone_scores(results, stream, method) for method in ALONE}
        cells = [cell(found) for found in (*last.values(), *alone.values())]
        cells += [transfer(last[method], alone[method]) for method in ALONE]
        yield f"| `{stream}` | " + " | ".join(cells) + " |"
        if stream in BEFORE:
            before = [" / ".join(map(str, BEFORE[stream].get(name, ()))) for name in columns]
            yield "| version 0.1 | " + " | ".join([*before, *[""] * len(ALONE)]) + " |"


def main(folder: str) -> None:
    """Replace the table of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    table = "\n".join(rows(lcbench.load_results(folder)))
    PAGE.write_text(f"{before}{START}\n{table}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
