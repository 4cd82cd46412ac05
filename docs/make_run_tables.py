"""Makes tables of the docs from stored runs, and fills their pages: `python docs/make_run_tables.py NAME FOLDER`.

NAME is one of MAKERS. A score is the mean over runs of the average over tasks after all of them, in percent. Cells
whose runs are not in the folder stay as they are. The runs are made by the commands on the page of each table; those of
`cpsc` are made here, and kept in FOLDER.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import make_tables
import numpy as np
from make_tables import Cell
from scipy import stats

import lcbench

COUNTS = "webkb4:weighting=counts"
PAPER = {"stsc": "stsc:affinity=full", "usc": "usc:affinity=full", "l2sc": "l2sc:affinity=full,lam=100"}
ALL = (
    "stsc", "usc", "onestepsc", "mbc", "smbc", "smkc", "mtsc", "mtcmrl", "l2sc", "tsc", "lssmtc", "pooled-kmeans",
)  # fmt: skip
BINARY, FULL_GRAPH = "stsc:affinity=binary,n_neighbors=27", "stsc:affinity=full"
SCORES = ("purity", "nmi", "ri")
Runs = Sequence[lcbench.RunRecord]


def ended(results: lcbench.Results, stream: str, method: str) -> Runs:
    """The runs that ended well, by the labels of stream and method."""
    return [run for run in results.runs if (run.stream_label, run.label, run.status) == (stream, method, "ok")]


def after_all(runs: Runs, metrics: Sequence[str]) -> np.ndarray:
    """Averages over tasks after all of them, in percent: a row per run, a column per metric."""
    return 100 * np.array([[np.mean(run.scores[metric][-1]) for metric in metrics] for run in runs])


def alone(runs: Runs, solos: Runs, metrics: Sequence[str]) -> np.ndarray:
    """The same of fresh instances that learn one task each."""
    known = {run.run_id: run for run in solos}
    found = [[known[run_id] for run_id in run.solo_ids] for run in runs if run.solo_ids]
    return 100 * np.array([[np.mean([run.scores[m][0][0] for run in each]) for m in metrics] for each in found])


def half_width(values: np.ndarray) -> str:
    """Half the width of the 95 % interval of the mean by Student's t."""
    return f"{stats.t.ppf(0.975, len(values) - 1) * stats.sem(values):.1f}"


def signed(value: float) -> str:
    """A difference in points, without a negative zero."""
    return f"{round(value, 1) + 0.0:+.1f}"


# Plans: which runs the cells of a table are made from


@dataclass(frozen=True)
class Wanted:
    """A cell: its place in the table, and the runs it is made from, by the labels of stream and method."""

    row: str
    column: str
    stream: str
    method: str


def paper_streams() -> Iterator[Wanted]:
    """What to expect on the paper's three streams: `lcbench run ... --order random --repeats 10`."""
    for name in ("webkb4", "reuters", "20newsgroups"):
        for method in ("l2sc", "stsc", "usc", "kmeans", "random", "one-cluster"):
            yield Wanted(f"`{name}`", f"`{method}`", name, method)
        for method in ("l2sc", "stsc"):
            yield Wanted(f"`{name}:idf=task`", f"`{method}`", f"{name}:idf=task", method)
    for method in ("l2sc", "stsc"):
        yield Wanted("`webkb4:weighting=log`", f"`{method}`", "webkb4:weighting=log", method)
    for method, entry in PAPER.items():
        yield Wanted("`webkb4:weighting=counts`, `affinity=full`, `lam=100`", f"`{method}`", COUNTS, entry)


def single_tasks() -> Iterator[Wanted]:
    """How far stsc gets with other features and graphs."""
    for name in ("webkb4", "reuters", "20newsgroups", "digits", "digits:tasks=8,per_class=10", "topics"):
        roots = f"{name}{',' if ':' in name else ':'}transform=sqrt"
        yield Wanted(f"`{name}`", "default", name, "stsc")
        yield Wanted(f"`{name}`", "`transform=sqrt`", roots, "stsc")
        yield Wanted(f"`{name}`", "`weighting=log`", f"{name}:weighting=log", "stsc")
        yield Wanted(f"`{name}`", "binary, 27", name, BINARY)
        yield Wanted(f"`{name}`", "both", roots, BINARY)
        yield Wanted(f"`{name}`", "full", name, FULL_GRAPH)
        yield Wanted(f"`{name}`", "by silhouette", name, "stsc (silhouette)")


def whose_webkb4() -> Iterator[Wanted]:
    """Ours beside the paper's on WebKB4, with tf-idf and with counts."""
    for method in ALL:
        yield Wanted(f"`{method}`", "ours, tf-idf", "webkb4", method)
        yield Wanted(f"`{method}`", "ours, counts", COUNTS, PAPER.get(method, method))


def whose_splits() -> Iterator[Wanted]:
    """Our splits of Reuters and 20 Newsgroups."""
    for method in ALL:
        for name in ("reuters", "20newsgroups"):
            yield Wanted(f"`{method}`", f"`{name}`", name, method)


def whose_seconds() -> Iterator[Wanted]:
    """Seconds of learning on WebKB4."""
    for method in ALL[:-1]:
        yield Wanted(f"`{method}`", "ours", "webkb4", method)


def lifelong_kmeans() -> Iterator[Wanted]:
    """The lifelong k-means beside single-task methods."""
    for name in ("digits", "topics", "webkb4"):
        for method in ("mini-batch-kmeans", "river-kmeans", "kmeans", "stsc"):
            yield Wanted(f"`{name}`", f"`{method}`", name, method)


PLANS = {
    "streams-paper": (paper_streams, SCORES),
    "single-task": (single_tasks, ("purity", "nmi")),
    "whose-webkb4": (whose_webkb4, SCORES),
    "whose-splits": (whose_splits, SCORES),
    "whose-seconds": (whose_seconds, ("seconds",)),
    "lifelong-kmeans": (lifelong_kmeans, ("purity", "nmi", "ari")),
}


def planned(name: str, folder: str) -> None:
    """A table that a plan describes; in `single-task` the best of each row by NMI is bold."""
    make_tables.update_file(name, planned_cells(name, lcbench.load_results(folder)))
    if name == "single-task":
        make_tables.write_file(name, best_in_bold(make_tables.read_file(name)))


def planned_cells(name: str, results: lcbench.Results) -> Iterator[Cell]:
    """The cells that the runs of a folder give: scores, or median seconds of learning."""
    plan, metrics = PLANS[name]
    for wanted in plan():
        runs = ended(results, wanted.stream, wanted.method)
        if runs and metrics == ("seconds",):
            seconds = np.median([sum(run.learn_seconds) for run in runs])
            yield Cell(wanted.row, wanted.column, "seconds", f"{seconds:.2f}")
        elif runs:
            for metric, value in zip(metrics, after_all(runs, metrics).mean(axis=0), strict=True):
                yield Cell(wanted.row, wanted.column, metric, f"{value:.1f}")


def best_in_bold(all_cells: list[Cell]) -> list[Cell]:
    """The same cells, with the best of each row by NMI in bold."""
    figures = [cell for cell in all_cells if cell.metric == "nmi" and cell.value != "–"]
    best = {
        row: max((c for c in figures if c.row == row), key=lambda c: float(c.value)) for row in {c.row for c in figures}
    }
    return [replace(cell, bold="yes" if best[cell.row].column == cell.column else "") for cell in all_cells]


# Long streams

LONG = ("20ng-same", "reuters-12", "mnist10", "mnist-rot", "mnist-slide", "watch", "vowel")
LONG_METHODS = ("random", "stsc", "kmeans", "usc", "pooled-kmeans", "tsc", "l2sc", "cpsc")
LONG_METRICS = ("purity", "nmi", "ari")
ORDERS = 5  # with fewer, a cell has their number and no interval
ALONE = ("l2sc", "cpsc")


def long_streams(name: str, folder: str) -> None:
    """A row per stream; transfer is the mean difference to the same method alone, of the same orders."""
    make_tables.write_file(name, list(long_cells(lcbench.load_results(folder))))


def long_cells(results: lcbench.Results) -> Iterator[Cell]:
    """The cells of the table of long streams."""
    for stream in LONG:
        row = f"`{stream}`"
        runs = {method: ended(results, stream, method) for method in LONG_METHODS}
        last = {method: after_all(found, LONG_METRICS) for method, found in runs.items()}
        by_itself = {method: alone(runs[method], results.solos, LONG_METRICS) for method in ALONE}
        for method in LONG_METHODS:
            yield from scored(row, f"`{method}`", last[method])
        for method in ALONE:
            yield from scored(row, f"`{method}` alone", by_itself[method])
        for method in ALONE:
            if len(last[method]) and last[method].shape == by_itself[method].shape:
                gain = last[method][:, -1] - by_itself[method][:, -1]
                half = half_width(gain) if len(gain) >= ORDERS else ""
                yield Cell(row, f"transfer of `{method}`", "ari", signed(gain.mean()), half)


def scored(row: str, column: str, scores: np.ndarray) -> Iterator[Cell]:
    """Means by all metrics, with the interval of the last one; how many orders, where there are few."""
    few = len(scores) < ORDERS
    for i, metric in enumerate(LONG_METRICS if len(scores) else ()):
        value = f"{round(scores[:, i].mean(), 1) + 0.0:.1f}"  # + 0.0: no negative zero
        half = half_width(scores[:, i]) if not few and i == len(LONG_METRICS) - 1 else ""
        yield Cell(row, column, metric, value, half, str(len(scores)) if few else "")


# Transfer

PARTS = {"forward": "forward", "backward": "backward", "total_transfer": "total transfer"}
PART_METRICS = ("purity", "nmi", "ri", "ari")


def transfer(_: str, folder: str) -> None:
    """A table for each stream in the folder, the best total transfer by NMI first."""
    for stream in lcbench.compare(folder, metrics=list(PART_METRICS)).streams:
        make_tables.write_file(stream.label, list(transfer_cells(stream)))


def transfer_cells(stream: Any) -> Iterator[Cell]:
    """A row per method; bold where the interval of a part excludes zero."""
    found = {
        method.label: {metric: stream.transfer[method.label, metric] for metric in PART_METRICS}
        for method in stream.methods
        if all((method.label, metric) in stream.transfer for metric in PART_METRICS)
    }
    for label, by_metric in sorted(found.items(), key=lambda item: -item[1]["nmi"].parts["total_transfer"].mean):
        row = f"`{label}`"
        yield Cell(row, "orders", "", str(by_metric["nmi"].orders))
        for metric in PART_METRICS:
            yield Cell(row, "solo", metric, f"{100 * by_metric[metric].solo:.1f}")
        for name, column in PARTS.items():
            for metric in PART_METRICS:
                part = by_metric[metric].parts[name]
                sure = part.low is not None and (part.low > 0.0005 or part.high < -0.0005)
                yield Cell(row, column, metric, signed(100 * part.mean), bold="yes" if sure else "")


# Tuning

LAMBDAS = ("0.01", "0.1", "1", "10", "100")
TUNED = {
    "`webkb4`": ("webkb4", "l2sc"),
    "`webkb4:weighting=counts`, `affinity=full`": (COUNTS, "l2sc:affinity=full"),
    "`reuters`": ("reuters", "l2sc"),
    "`reuters:weighting=counts`, `affinity=full`": ("reuters:weighting=counts", "l2sc:affinity=full"),
    "`20newsgroups`": ("20newsgroups", "l2sc"),
    "`digits:tasks=8,per_class=10`": ("digits:tasks=8,per_class=10", "l2sc"),
    "`topics` (simulated)": ("topics", "l2sc"),
}


def tuning_gap(name: str, folder: str) -> None:
    """The best fixed lam by each metric, and how far below it others are."""
    make_tables.update_file(name, gap_cells(lcbench.load_results(folder)))


def gap_cells(results: lcbench.Results) -> Iterator[Cell]:
    """A row for each stream that has runs with every lam."""
    for row, (stream, entry) in TUNED.items():

        def average(label: str, metric: str, stream: str = stream) -> float:
            return float(after_all(ended(results, stream, label), [metric]).mean())

        points = {lam: f"{entry}{',' if ':' in entry else ':'}lam={lam}" for lam in LAMBDAS}
        if not all(ended(results, stream, label) for label in points.values()):
            continue
        chosen = max(points, key=lambda lam: average(points[lam], "silhouette"))
        compared = {
            "silhouette, each run": f"{entry} (silhouette)",
            "silhouette, one": points[chosen],
            "`lam=1`": points["1"],
        }
        best = {metric: max(average(label, metric) for label in points.values()) for metric in SCORES}
        yield from (Cell(row, "best fixed", metric, f"{best[metric]:.1f}") for metric in SCORES)
        for column, label in compared.items():
            for metric in SCORES:
                yield Cell(row, column, metric, f"{round(best[metric] - average(label, metric), 1) + 0.0:.1f}")


# CPSC

SEEDS = range(500, 510)
CPSC_STREAMS = {
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


def cpsc(name: str, folder: str) -> None:
    """Makes what runs are missing: ten random orders of real streams; one of digits and topics made by each seed."""
    cells: list[Cell] = []
    for row, stream in CPSC_STREAMS.items():
        cells += cpsc_cells(row, stream, folder)
        print(row, flush=True)
    make_tables.write_file(name, cells)


def cpsc_cells(row: str, stream: str, folder: str) -> Iterator[Cell]:
    """The scores of stsc, of stsc on square roots, of l2sc and of cpsc; mean differences by NMI with an interval."""
    runs: dict[str, list[lcbench.RunRecord]] = {"stsc": [], "roots": [], "l2sc": [], "cpsc": []}
    solos: list[lcbench.RunRecord] = []
    common = {"order": "random", "evaluate": "all", "out": folder, "jobs": 2}
    for seed in SEEDS if "{" in stream else (0,):
        made = stream.format(seed)
        more = {"repeats": 1, "seed": seed} if seed else {"repeats": 10}
        changed = f"{made}{',' if ':' in made else ':'}transform=sqrt"
        plain = lcbench.run(["stsc", "l2sc", "cpsc"], made, **common, **more)
        for run in plain.runs:
            runs[run.method].append(run)
        solos += plain.solos
        runs["roots"] += lcbench.run(["stsc"], changed, **common, **more).runs
    last = {method: after_all(found, SCORES) for method, found in runs.items()}
    by_itself = alone(runs["cpsc"], solos, SCORES)
    columns = {
        "`stsc`": last["stsc"], "`stsc`, square roots": last["roots"], "`l2sc`": last["l2sc"],
        "`cpsc` alone": by_itself, "`cpsc`": last["cpsc"],
    }  # fmt: skip
    for column, found in columns.items():
        for metric, value in zip(SCORES, found.mean(axis=0), strict=True):
            yield Cell(row, column, metric, f"{value:.1f}")
    for column, other in (("transfer", by_itself), ("over `stsc`, square roots", last["roots"])):
        gain = (last["cpsc"] - other)[:, SCORES.index("nmi")]
        yield Cell(row, column, "nmi", f"{gain.mean():+.1f}", half_width(gain))


MAKERS: dict[str, Callable[[str, str], None]] = {
    **dict.fromkeys(PLANS, planned),
    "streams-long": long_streams,
    "transfer": transfer,
    "tuning-gap": tuning_gap,
    "cpsc": cpsc,
}


if __name__ == "__main__":  # processes import this file again where they are spawned
    MAKERS[sys.argv[1]](*sys.argv[1:3])
    make_tables.main()
