"""Scores of runs in the units that figures show them in, and what is common to all figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lcbench.analysis.selection import MethodRuns
from lcbench.printable import counted
from lcbench.records.record import RunRecord


def protocol(runs: Sequence[RunRecord]) -> str:
    """How often, in how many orders and with which seeds: `24 orders, seed 0`, `1 order, 5 repeats, seed 0`."""
    orders, repeats = len({run.order for run in runs}), len({run.repeat for run in runs})
    made = len({(run.order, run.repeat) for run in runs})
    parts = [counted(orders, "order")]
    if made > orders:
        parts.append(counted(repeats, "repeat") if made == orders * repeats else counted(len(runs), "run"))
    return ", ".join([*parts, seeds(runs)])


def seeds(runs: Sequence[RunRecord]) -> str:
    """`seed 0`, `seeds 0, 1`."""
    found = sorted({run.seed for run in runs})
    return f"seed{'' if len(found) == 1 else 's'} {', '.join(map(str, found[:5]))}{', ...' if len(found) > 5 else ''}"


def runs_each(methods: Sequence[MethodRuns]) -> str:
    """`10 runs per method`, `3 to 10 runs per method`."""
    counts = sorted({len(method.done) for method in methods})
    if len(counts) == 1:
        return f"{counted(counts[0], 'run')} per method"
    return f"{counts[0]} to {counts[-1]} runs per method"


def each_protocol(methods: Sequence[MethodRuns]) -> str:
    """As `protocol`, over several methods that may have met different orders."""
    runs = [run for method in methods for run in method.done]
    if len({frozenset((run.seed, run.repeat, run.order) for run in method.done) for method in methods}) == 1:
        return protocol(methods[0].done)
    return f"{counted(len({run.order for run in runs}), 'order')}, {runs_each(methods)}, {seeds(runs)}"


def failures(methods: Iterable[MethodRuns]) -> str:
    """What must be said where runs did not come to their end."""
    failed = Counter(method.label for method in methods for _ in method.failed)
    if not failed:
        return ""
    return "Not drawn, for they did not end well: " + ", ".join(
        f"{counted(n, 'run')} of {m}" for m, n in failed.items()
    )


def note(method: MethodRuns) -> str:
    """What every figure that shows a method must say about it."""
    return f"{method.label}: {method.done[0].note}" if method.done[0].note else ""


def sentences(*parts: str) -> str:
    """The parts that say something, each as a sentence."""
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)
