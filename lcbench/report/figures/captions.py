"""Writes the words around figures: orders, repeats, seeds, failed runs, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lcbench.analysis.selection import MethodRuns, run_key
from lcbench.printable import counted
from lcbench.records.record import RunRecord


def protocol(runs: Sequence[RunRecord]) -> str:
    """The numbers of orders and repeats, and the seeds: `24 orders, seed 0`, `1 order, 5 repeats, seed 0`."""
    orders, repeats = len({run.order for run in runs}), len({run.repeat for run in runs})
    made = len({(run.order, run.repeat) for run in runs})
    parts = [counted(orders, "order")]
    if made > orders:
        parts.append(counted(repeats, "repeat") if made == orders * repeats else counted(len(runs), "run"))
    return ", ".join([*parts, seeds(runs)])


def seeds(runs: Sequence[RunRecord]) -> str:
    """The seeds of runs in words: `seed 0`, `seeds 0, 1`; of more than five the first five."""
    found = sorted({run.seed for run in runs})
    return f"seed{'' if len(found) == 1 else 's'} {', '.join(map(str, found[:5]))}{', ...' if len(found) > 5 else ''}"


def runs_each(methods: Sequence[MethodRuns]) -> str:
    """The number of finished runs in words: `10 runs per method`, `3 to 10 runs per method`."""
    counts = sorted({len(method.done) for method in methods})
    if len(counts) == 1:
        return f"{counted(counts[0], 'run')} per method"
    return f"{counts[0]} to {counts[-1]} runs per method"


def each_protocol(methods: Sequence[MethodRuns]) -> str:
    """As `protocol`, for several methods that may have been run in different orders."""
    runs = [run for method in methods for run in method.done]
    if len({frozenset(map(run_key, method.done)) for method in methods}) == 1:
        return protocol(methods[0].done)
    return f"{counted(len({run.order for run in runs}), 'order')}, {runs_each(methods)}, {seeds(runs)}"


def failures(methods: Iterable[MethodRuns]) -> str:
    """Counts the runs of each method that failed and so are not drawn; empty if none failed."""
    failed = Counter(method.label for method in methods for _ in method.failed)
    if not failed:
        return ""
    return "Not drawn, for they did not end well: " + ", ".join(
        f"{counted(n, 'run')} of {m}" for m, n in failed.items()
    )


def note(method: MethodRuns) -> str:
    """The note that the records of a method carry, after its label; empty if there is none."""
    return f"{method.label}: {method.done[0].note}" if method.done[0].note else ""


def sentences(*parts: str) -> str:
    """Joins the parts that are not empty, each ended with a full stop."""
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)
