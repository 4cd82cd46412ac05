"""What the audits of one run found, in a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType

from lcbench.cli.console import plain
from lcbench.record import RunRecord
from lcbench.report import numbers
from lcbench.report.audit import audit_rows


def audit_parts(run: RunRecord) -> Iterator[RenderableType]:
    """The verdict, and what each audit found; the JSON has the numbers of every step."""
    if not run.audit:
        return
    yield plain("Audit", "bold")
    for row in audit_rows([run]):
        yield plain(f"{row.verdict}; as promised: {row.promised}. {'; '.join(row.verdict.reasons)}".strip())
    for mode, found in run.audit.items():
        if isinstance(found, Mapping):
            said = _measured(found) if mode == "measure" else _replayed(found)
            yield plain(f"{mode}: {'; '.join(said) or 'nothing was found out'}")


def _measured(found: Mapping[str, Any]) -> Iterator[str]:
    held, data = found.get("held_bytes"), found.get("task_bytes")
    if held:
        beside = f", beside {numbers.size(sum(data))} of data" if data else ""
        yield f"held up to {numbers.size(max(0, *held))} after a task{beside}"
        first = found.get("first_reachable")
        yield (
            f"reached the arrays of task '{first['task']}' after step {first['step']}"
            if first
            else ("could reach no array of a task it had learned")
        )
    if found.get("complete") is False:
        yield "could not be searched whole"
    yield from _ending(found)


def _replayed(found: Mapping[str, Any]) -> Iterator[str]:
    """Whether a run that was made again, with old tasks out of reach, gave the same labels."""
    if found.get("passed") is True:
        yield "the same labels when run again"
    elif found.get("passed") is False:
        samples = f" in {found['samples']:,} samples" if isinstance(found.get("samples"), int) else ""
        yield f"other labels when run again: first at step {found.get('step')}, task '{found.get('task')}'{samples}"
    if found.get("repeats") is False:
        yield "but it does not repeat itself in any case"
    if found.get("reason"):
        yield f"not possible: {found['reason']}"
    yield from _ending(found)


def _ending(found: Mapping[str, Any]) -> Iterator[str]:
    if found.get("error"):
        yield str(found["error"])
    if isinstance(found.get("seconds"), (int, float)):
        yield f"took {numbers.seconds(found['seconds'])} s"
