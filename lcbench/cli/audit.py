"""What `lcbench run` says about the audit: a line when all is as promised, loud where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table

from lcbench.cli.console import plain
from lcbench.record import RunRecord
from lcbench.report.audit import HEADER, AuditRow, audit_rows

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
    """What each method keeps, on one stream or another; of many methods that is too much to say."""
    kept: dict[str, list[str]] = {}
    for row in rows:
        kept.setdefault(row.method, []).append(row.kept)
    if len(kept) > MOST_METHODS:
        return ""
    return ": " + ", ".join(f"{method} {' or '.join(dict.fromkeys(found))}" for method, found in kept.items())


def _sentence(row: AuditRow) -> str:
    reasons = "; ".join(row.verdict.reasons) or "its setting allows for less"
    return f"{row.method} on {row.stream} is {row.setting} and {row.verdict} ({reasons})"
