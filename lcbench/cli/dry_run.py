"""`--dry-run`: counts the planned runs, then lists them by stream and method."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lcbench.cli.messages import say
from lcbench.experiment.options import DASK
from lcbench.printable import counted, printable_line
from lcbench.records.record import OK

if TYPE_CHECKING:
    from lcbench.experiment.pipeline import Prepared
    from lcbench.running.planned_run import PlannedRun

MOST_LISTED = 6  # runs of a group


def print_backlog(prepared: Prepared, *, json: bool = False, verbose: bool = False) -> None:
    """Prints the counts on standard error, then the runs on standard output, in groups of one stream and method.

    Of a large group only the first runs are listed, unless `verbose`; with `json` every run is an object. Tuned runs
    have no line: they are chosen among the others.
    """
    plan, backlog = prepared.plan, prepared.backlog
    chosen = f"; then {counted(len(plan.tuned), 'run')} will be chosen among them" if plan.tuned else ""
    chosen += ", and learn each task alone" if any(tuned.solo for tuned in plan.tuned) else ""
    say(printable_line(f"{backlog.summary()} in {prepared.asked.results}{chosen}"))
    if prepared.asked.executor == DASK:
        from lcbench.experiment.pipeline import cluster_outlook

        say(cluster_outlook(prepared))
    ended = {id(planned) for planned in (*backlog.done, *backlog.failed)}
    if json:
        lines: Iterable[str] = (
            _object(run, backlog.statuses.get(run.run_id), to_do=id(run) not in ended) for run in plan
        )
    else:
        states = {run.run_id: _state(backlog.statuses.get(run.run_id), to_do=id(run) not in ended) for run in plan}
        lines = _grouped(plan, states, verbose=verbose)
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _object(run: PlannedRun, status: str | None, *, to_do: bool) -> str:
    facts = {
        "run_id": run.run_id, "state": _state(status, to_do=to_do), "status": status, "to_do": to_do,
        "method": run.like.label, "stream": run.like.stream_label, "order": list(run.order), "repeat": run.repeat,
    }  # fmt: skip
    return jsonlib.dumps(facts)


def _grouped(plan: Sequence[PlannedRun], states: dict[str, str], *, verbose: bool) -> Iterator[str]:
    """The lines of each group: what it runs and how many of its runs are in which state, then the runs."""
    groups: dict[tuple[str, str], list[PlannedRun]] = {}
    for run in plan:
        method = f"{run.like.label}, each task alone" if run.solo else run.like.label
        groups.setdefault((run.like.stream_label, method), []).append(run)
    for i, ((stream, method), runs) in enumerate(groups.items()):
        if i:
            yield ""
        counts = Counter(states[run.run_id] for run in runs)
        told = ", ".join(f"{count:,} {state}" for state, count in counts.items())
        yield printable_line(f"{stream}  {method}: {counted(len(runs), 'run')}, {told}")
        listed = runs if verbose or len(runs) <= MOST_LISTED else runs[: MOST_LISTED - 1]
        for run in listed:
            what = (run.run_id[:10], states[run.run_id], ",".join(run.order), f"repeat {run.repeat}")
            yield printable_line("  " + "  ".join(what))
        if len(listed) < len(runs):
            yield f"  ... and {len(runs) - len(listed):,} more (--verbose lists all)"


def _state(status: str | None, *, to_do: bool) -> str:
    if status is None:
        return "to do"
    before = "done" if status == OK else status
    return f"again, was {before}" if to_do else before
