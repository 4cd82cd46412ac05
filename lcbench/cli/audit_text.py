"""Says what the audit found: after `lcbench run`, and for one run in `results show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from lcbench.cli.console import plain, print_sheets
from lcbench.records.record import RunRecord
from lcbench.report import numbers
from lcbench.report.audit_table import AuditRow, audit_rows, audit_sheet

MOST_METHODS = 4


def print_audit(runs: Sequence[RunRecord], console: Console) -> None:
    """Print one line if every method keeps what its setting promises, else a table, and a sentence for each other.

    The table is also printed if runs were made again to be compared.
    """
    rows = audit_rows(runs)
    kept_word = all(row.verdict.within_promise for row in rows)
    if not kept_word or any(row.replayed for row in rows):
        console.print()
        print_sheets([replace(audit_sheet(rows), notes=())], console)
    if rows and kept_word:
        looked = "" if all(row.replayed for row in rows) else " as far as measured (--audit isolate looks further)"
        console.print(plain(f"Audit: every method keeps what its setting promises{looked}{_in_short(rows)}.", "dim"))
    for row in rows:
        if row.complaint:
            console.print(plain(row.complaint, "yellow" if row.verdict.within_promise is None else "bold red"))


def _in_short(rows: Sequence[AuditRow]) -> str:
    """Lists what each method keeps; empty where there are too many methods for one line."""
    kept: dict[str, list[str]] = {}
    for row in rows:
        kept.setdefault(row.method, []).append(row.kept)
    if len(kept) > MOST_METHODS:
        return ""
    return ": " + ", ".join(f"{method} {' or '.join(dict.fromkeys(found))}" for method, found in kept.items())


def audit_lines(run: RunRecord) -> Iterator[str]:
    """The verdict on one run and the findings of each audit; the JSON has the numbers of every step."""
    for row in audit_rows([run]):
        yield f"{row.verdict}; as promised: {row.promised}. {'; '.join(row.verdict.reasons)}".strip()
    for mode, found in run.audit.items():
        if isinstance(found, Mapping):
            said = _measured(found) if mode == "measure" else _replayed(found)
            yield f"{mode}: {'; '.join(said) or 'nothing was found out'}"


def _measured(found: Mapping[str, Any]) -> Iterator[str]:
    held, data = found.get("held_bytes"), found.get("task_bytes")
    if held:
        beside = f", beside {numbers.size(sum(data))} of data" if data else ""
        yield f"held up to {numbers.size(max(0, *held))} after a task{beside}"
        first = found.get("first_reachable")
        reached = f"reached the arrays of task '{first['task']}' after step {first['step']}" if first else ""
        yield reached or "could reach no array of a task it had learned"
    if found.get("complete") is False:
        yield "could not be searched whole"
    yield from _ending(found)


def _replayed(found: Mapping[str, Any]) -> Iterator[str]:
    """Says if the run gave the same labels again while old tasks were out of its reach."""
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
