"""Writes a table of settings in docs/streams.md: `make_settings_table.py neighbours`, `widths` or `alone`.

The data must be at hand. The first has the ARI of stsc by the number of neighbours, over all tasks and two seeds; the
second that of l2sc with a library wider than a task has clusters, after all tasks in three random orders; the
third the same for a fresh l2sc on each task.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

import lcbench

PAGE = Path(__file__).with_name("streams.md")
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
Tasks = Sequence[lcbench.LabelledTask]
Measure = Callable[[str, Tasks], Iterator[float]]


def neighbours(stream: str, tasks: Tasks) -> Iterator[float]:
    """The mean ARI of stsc for each number of neighbours."""
    for count in NEIGHBOURS:
        scores = []
        for labelled in tasks:
            for seed in range(2):
                method = lcbench.load_method("stsc", n_neighbors=count).set_params(random_state=seed)
                scores.append(adjusted_rand_score(labelled.y, method.partial_fit(labelled.task).labels_))
        yield 100 * float(np.mean(scores))


def widths(stream: str, tasks: Tasks) -> Iterator[float]:
    """The mean ARI of l2sc after all tasks, with a library that is so much wider than a task has clusters."""
    clusters = max(labelled.task.n_clusters for labelled in tasks)
    for more in WIDER:
        scores = []
        for seed in range(3):
            method = lcbench.load_method("l2sc", k=clusters + more).set_params(random_state=seed)
            for i in np.random.default_rng(seed).permutation(len(tasks)):
                method.partial_fit(tasks[i].task)
            scores += [adjusted_rand_score(labelled.y, method.predict(labelled.task)) for labelled in tasks]
        yield 100 * float(np.mean(scores))


def alone(stream: str, tasks: Tasks) -> Iterator[float]:
    """The mean ARI of a fresh l2sc on each task, with a library that is so much wider than it has clusters."""
    for more in WIDER:
        scores = []
        for labelled in tasks:
            width = labelled.task.n_clusters + more
            method = lcbench.load_method("l2sc", k=width).set_params(random_state=0)
            scores.append(adjusted_rand_score(labelled.y, method.partial_fit(labelled.task).labels_))
        yield 100 * float(np.mean(scores))


def table(streams: Sequence[str], settings: Sequence[str], measure: Measure) -> str:
    """A row per stream; the best setting is bold."""
    lines = [f"| stream | samples | {' | '.join(settings)} |", "|---" + "|---:" * (1 + len(settings)) + "|"]
    for stream in streams:
        tasks = lcbench.load_stream(stream).tasks()
        found = list(measure(stream, tasks))
        cells = [f"**{value:.1f}**" if value == max(found) else f"{value:.1f}" for value in found]
        size = round(np.mean([labelled.task.n_samples for labelled in tasks]))
        lines.append(f"| `{stream}` | {size} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main(name: str) -> None:
    """Replace a table of the page."""
    logging.disable()
    warnings.simplefilter("ignore")
    wider = [f"k = c + {more}" if more else "k = c" for more in WIDER]
    made = {
        "neighbours": lambda: table(STREAMS, [str(count) for count in NEIGHBOURS], neighbours),
        "widths": lambda: table(WIDENED, wider, widths),
        "alone": lambda: table(WIDENED[:2], wider, alone),
    }[name]()
    start, end = f"<!-- table: {name} -->\n", f"<!-- end of table: {name} -->"
    before, rest = PAGE.read_text(encoding="utf-8").split(start)
    PAGE.write_text(f"{before}{start}\n{made}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
