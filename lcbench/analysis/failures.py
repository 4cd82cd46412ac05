"""Describes failed runs: a line per way of failing, and counts by status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lcbench.analysis.selection import grouped
from lcbench.printable import counted
from lcbench.records.record import FAILED, OK, SOLO, STATUSES, RunRecord

MOST_LINES = 20
_WORDS = {FAILED: "failed", "timeout": "ran out of time", "out-of-memory": "ran out of memory", "crashed": "crashed"}


def ends_text(ends: Mapping[str, int]) -> str:
    """The number of successful runs, and of the others, from those of each status: `9 + 1 timeout`."""
    failed = [f"{ends[status]} {status}" for status in STATUSES if status != OK and ends.get(status)]
    return " + ".join([str(ends.get(OK, 0)), *failed])


def failure_lines(runs: Sequence[RunRecord], *, tracebacks: bool = False) -> list[str]:
    """A line for each way in which a method failed on a stream, with how often; at most twenty lines."""
    groups = grouped(((_told(run), run.stream_label, run.status, _fault(run)), run) for run in runs)
    lines = ["\n".join([_line(group), *(group[0].traceback if tracebacks else ())]) for group in groups.values()]
    if len(lines) > MOST_LINES:
        rest = sum(map(len, list(groups.values())[MOST_LINES - 1 :]))
        lines[MOST_LINES - 1 :] = [
            f"lcbench: {counted(rest, 'run')} more did not end well: 'lcbench results list' names them."
        ]
    return lines


def _line(group: list[RunRecord]) -> str:
    run = group[0]
    reached = f"after {len(run.learn_seconds)} of {len(run.order)} tasks"
    often = f" in {len(group)} runs, first" if len(group) > 1 else ""
    why = " ".join((run.error or "").split())
    return f"lcbench: {_told(run)} on {run.stream_label} {_WORDS[run.status]}{often} {reached}: {why}"


def _fault(run: RunRecord) -> str:
    """The error of a run without the name of the task at which it failed: in another order that is another one."""
    error = run.error or ""
    for task in run.order[len(run.learn_seconds) :][:1] or run.order[-1:]:
        error = error.replace(f"'{task}'", "''")
    return error


def _told(run: RunRecord) -> str:
    """The method, and if it had one task alone to learn, that."""
    return f"{run.label} (solo)" if run.order_kinds == (SOLO,) else run.label
