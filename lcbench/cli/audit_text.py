"""Says what the audit found: after `lcbench run`, and for one run in `results show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table

from lcbench.cli.console import plain
from lcbench.records.record import RunRecord
from lcbench.report import numbers
from lcbench.report.audit_rows import HEADER, AuditRow, audit_rows

MOST_METHODS = 4


def audit_summary(runs: Sequence[RunRecord], *, full: bool = False) -> Iterator[RenderableType]:
    """One line if every method keeps what its setting promises, else a table and a sentence for each that does not.

    With `full`, or if runs were made again to be compared, the table is shown in any case.
    """
    rows = audit_rows(runs)
    if not rows:
        return
    kept_word = all(row.verdict.within_promise for row in rows)
    if full or not kept_word or any(row.replayed for row in rows):
        yield plain("audit: what each method keeps of old tasks", "bold")
        yield _table(rows)
    if kept_word:
        looked = "" if all(row.replayed for row in rows) else " as far as measured (--audit isolate looks further)"
        yield plain(f"Audit: every method keeps what its setting promises{looked}{_in_short(rows)}.", "dim")
    for row in rows:
        if row.verdict.within_promise is False:
            yield plain(f"Promise broken: {_sentence(row)}.", "bold red")
        elif row.verdict.within_promise is None:
            yield plain(f"Not proved: {_sentence(row)}.", "yellow")


def _table(rows: Sequence[AuditRow]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in HEADER:
        table.add_column(name, justify="right" if name == "state" else "left", overflow="fold")
    for row in rows:
        style = {False: "bold red", None: "yellow", True: ""}[row.verdict.within_promise]
        table.add_row(*map(plain, row.cells), style=style)
    return table


def _in_short(rows: Sequence[AuditRow]) -> str:
    """Lists what each method keeps; empty where there are too many methods for one line."""
    kept: dict[str, list[str]] = {}
    for row in rows:
        kept.setdefault(row.method, []).append(row.kept)
    if len(kept) > MOST_METHODS:
        return ""
    return ": " + ", ".join(f"{method} {' or '.join(dict.fromkeys(found))}" for method, found in kept.items())


def _sentence(row: AuditRow) -> str:
    reasons = "; ".join(row.verdict.reasons) or "its setting allows for less"
    return f"{row.method} on {row.stream} is {row.setting} and {row.verdict} ({reasons})"


def audit_parts(run: RunRecord) -> Iterator[RenderableType]:
    """The verdict on one run and the findings of each audit; the JSON has the numbers of every step."""
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
