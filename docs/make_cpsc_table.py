"""Writes the table of docs/methods/cpsc.md: `python docs/make_cpsc_table.py FOLDER`, which keeps the runs in FOLDER.

Real streams meet ten random orders; of digits and topics each of the seeds 500 to 509 has one random order of its own.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

import lcbench

METRICS = ("purity", "nmi", "ri")
SEEDS = range(500, 510)
PAGE = Path(__file__).with_name("methods") / "cpsc.md"
START, END = "<!-- table -->\n", "<!-- end of table -->"
STREAMS = {
    "webkb4 (chosen on)": "webkb4",
    "reuters": "reuters",
    "20newsgroups": "20newsgroups",
    "digits 3, 5, 8, 9": "digits:seed={}",
    "digits, 8 tasks of 10 per class": "digits:tasks=8,per_class=10,seed={}",
    "digits, all ten": 'digits:classes="0,1,2,3,4,5,6,7,8,9",seed={}',
    "topics, relatedness 1": "topics:relatedness=1,seed={}",
    "topics, relatedness 0.7": "topics:relatedness=0.7,seed={}",
    "topics, relatedness 0": "topics:relatedness=0,seed={}",
}
COLUMNS = (
    "stream", "`stsc`", "`stsc`, square roots", "`l2sc`", "`cpsc` alone", "`cpsc`", "transfer, NMI",
    "over `stsc`, square roots, NMI",
)  # fmt: skip


@dataclass
class Scores:
    """The averages over tasks, a row per order: after all of them, and of each task alone."""

    last: np.ndarray
    alone: np.ndarray


def scores(results: list, method: str) -> Scores:
    """The scores of a method in all its runs."""
    solos = {run.run_id: run for found in results for run in found.solos}
    runs = [run for found in results for run in found.runs if run.method == method]
    last = [[np.mean(run.scores[metric][-1]) for metric in METRICS] for run in runs]
    solo_runs = [[solos[run_id] for run_id in run.solo_ids] for run in runs if run.solo_ids]
    alone = [[np.mean([run.scores[metric][0][0] for run in found]) for metric in METRICS] for found in solo_runs]
    return Scores(100 * np.array(last), 100 * np.array(alone))


def carried_out(stream: str, folder: str) -> tuple[Scores, Scores, Scores, Scores]:
    """The scores of stsc, of stsc on square roots, of l2sc and of cpsc."""
    plain, roots = [], []
    common = {"order": "random", "evaluate": "all", "out": folder, "jobs": 2}
    for seed in SEEDS if "{" in stream else (0,):
        name = stream.format(seed)
        more = {"repeats": 1, "seed": seed} if seed else {"repeats": 10}
        changed = f"{name}{',' if ':' in name else ':'}transform=sqrt"
        plain.append(lcbench.run(["stsc", "l2sc", "cpsc"], name, **common, **more))
        roots.append(lcbench.run(["stsc"], changed, **common, **more))
    return scores(plain, "stsc"), scores(roots, "stsc"), scores(plain, "l2sc"), scores(plain, "cpsc")


def interval(differences: np.ndarray) -> str:
    """The mean with its 95 % t-interval over orders."""
    half = stats.t.ppf(0.975, len(differences) - 1) * stats.sem(differences)
    return f"{differences.mean():+.1f} ± {half:.1f}"


def main(folder: str) -> None:
    """Make what runs are missing, and write the table."""
    rows = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for label, stream in STREAMS.items():
        stsc, roots, l2sc, cpsc = carried_out(stream, folder)
        means = [stsc.last, roots.last, l2sc.last, cpsc.alone, cpsc.last]
        cells = [" / ".join(f"{value:.1f}" for value in mean.mean(axis=0)) for mean in means]
        cells += [interval((cpsc.last - cpsc.alone)[:, 1]), interval((cpsc.last - roots.last)[:, 1])]
        rows.append(f"| {label} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    table = "\n".join(["", *rows, "", END])
    PAGE.write_text(before + START + table + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":  # processes import this file again where they are spawned
    main(sys.argv[1])
