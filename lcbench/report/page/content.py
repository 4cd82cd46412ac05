"""What stands on the page, before it is HTML."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lcbench import __version__
from lcbench.printable import counted
from lcbench.report.comparison import Comparison, sheets
from lcbench.report.page.commands import Commands, run_commands
from lcbench.report.page.curves import page_data
from lcbench.report.page.facts import audit_sheet, environment_sheet, failure_sheet, formula_sheet, tuning_sheet
from lcbench.report.page.headline import headline
from lcbench.report.page.overview import overview_sheets
from lcbench.report.selection import Selection
from lcbench.report.tables.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the comparison; one that is `folded` is opened by the reader, as it is long."""

    sheet: Sheet
    folded: bool


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of the page; `data` is what the curves are drawn from, `made_by` the command that makes the page."""

    title: str
    folder: str
    newest: str
    summary: tuple[tuple[str, str], ...]
    overview: tuple[Sheet, ...]
    tables: tuple[Table, ...]
    data: dict[str, Any]
    audit: Sheet | None
    tuning: Sheet | None
    failures: Sheet | None
    environments: Sheet
    commands: Commands
    made_by: str
    formulas: Sheet
    version: str = __version__


def gather(
    selection: Selection,
    comparison: Comparison,
    *,
    folder: str,
    results: str | None,
    others: bool,
    made_by: str,
) -> Content:
    """The content of the page: the tables of `comparison`, and all else that the selected runs tell.

    `folder` is what the page calls the results folder, `results` how its commands name it, if they must. With `others`
    the curves offer the metrics that no table shows as well.
    """
    runs, metrics = selection.runs, comparison.metrics
    methods = {method.label for stream in selection.streams for method in stream.methods}
    failed = sum(len(method.failed) for stream in selection.streams for method in stream.methods)
    summary = (
        _count(len(selection.streams), "stream"),
        _count(len(methods), "method"),
        _count(len(runs), "run"),
        ("did not end well", f"{failed:,}"),
    )
    return Content(
        title=headline([stream.label for stream in selection.streams], len(methods)),
        folder=folder,
        newest=_when(max((run.finished or "" for run in runs), default="")),
        summary=summary,
        overview=overview_sheets(comparison.streams, metrics),
        tables=_tables(comparison),
        data=page_data(selection, metrics, others=others),
        audit=audit_sheet(selection),
        tuning=tuning_sheet(selection),
        failures=failure_sheet(selection),
        environments=environment_sheet(selection),
        commands=run_commands(selection, results, metrics),
        made_by=made_by,
        formulas=formula_sheet(),
    )


def _tables(comparison: Comparison) -> tuple[Table, ...]:
    """All tables, those that are there only for the sake of a reference folded."""
    always = set(sheets(replace(comparison, against=None)))
    return tuple(Table(sheet, folded=bool(sheet.rows) and sheet not in always) for sheet in sheets(comparison))


def _count(count: int, noun: str) -> tuple[str, str]:
    """What is counted, and how many there are."""
    number, name = counted(count, noun).split(" ", 1)
    return name, number


def _when(finished: str) -> str:
    """A time of a record as the page shows it: to the minute."""
    return f"{finished[:10]} {finished[11:16]} UTC" if len(finished) >= 16 else "at an unknown time"
