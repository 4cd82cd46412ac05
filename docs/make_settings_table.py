"""Writes the two tables of settings in docs/streams.md: `python docs/make_settings_table.py`, with the data at hand.

The first has the ARI of stsc with several numbers of neighbours, over all tasks and two seeds; the second that of l2sc
with several widths of its library, after all tasks in three random orders.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
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
WIDTHS = (None, 4, 6, 8, 10, 14, 20)
SLIDING = ("mnist-slide", "mnist-rot", "20ng-same", "reuters-12")
Tasks = Sequence[lcbench.LabelledTask]


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
    """The mean ARI of l2sc after all tasks for each width; None is its default."""
    for width in WIDTHS:
        scores = []
        for seed in range(3):
            method = lcbench.load_method("l2sc", k=width).set_params(random_state=seed)
            for i in np.random.default_rng(seed).permutation(len(tasks)):
                method.partial_fit(tasks[i].task)
            scores += [adjusted_rand_score(labelled.y, method.predict(labelled.task)) for labelled in tasks]
        yield 100 * float(np.mean(scores))


def table(streams: Sequence[str], settings: Sequence[int | None], measure) -> str:
    """A row per stream; the best setting is bold."""
    lines = ["| stream | samples | " + " | ".join("none" if s is None else str(s) for s in settings) + " |"]
    lines.append("|---" + "|---:" * (1 + len(settings)) + "|")
    for stream in streams:
        tasks = lcbench.load_stream(stream).tasks()
        found = list(measure(stream, tasks))
        cells = [f"**{value:.1f}**" if value == max(found) else f"{value:.1f}" for value in found]
        size = round(np.mean([labelled.task.n_samples for labelled in tasks]))
        lines.append(f"| `{stream}` | {size} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Replace both tables of the page."""
    logging.disable()
    warnings.simplefilter("ignore")
    for name, made in (
        ("neighbours", table(STREAMS, NEIGHBOURS, neighbours)),
        ("widths", table(SLIDING, WIDTHS, widths)),
    ):
        start, end = f"<!-- table: {name} -->\n", f"<!-- end of table: {name} -->"
        text = PAGE.read_text(encoding="utf-8")
        before, rest = text.split(start)
        PAGE.write_text(f"{before}{start}\n{made}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
