"""Gathers the content of the HTML page: headline, overview, tables, curve data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lcbench import __version__
from lcbench.analysis.compare import ComparedStream, MethodComparison
from lcbench.analysis.selection import Selection
from lcbench.printable import counted
from lcbench.registry.metrics import is_percent
from lcbench.report.comparison.scores import score_cells
from lcbench.report.comparison.sheets import comparison_sheets
from lcbench.report.page.commands import Commands, run_commands
from lcbench.report.page.curves import page_data
from lcbench.report.page.fact_sheets import audit_of, environment_sheet, failure_sheet, formula_sheet, tuning_of
from lcbench.report.sheets.sheet import Cell, Sheet

MOST_STREAMS, MOST_CHARACTERS = 3, 70  # in the headline
_UNPAIRED = "Not paired: the methods do not all have runs that ended well on the same orders and repeats."


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of the page; the curves are drawn from `data`, and `made_by` is the command that makes the page.

    A table of the comparison that is True beside it is folded: it shows its title only until the reader opens it.
    """

    title: str
    folder: str
    newest: str
    summary: tuple[tuple[str, str], ...]
    overview: tuple[Sheet, ...]
    tables: tuple[tuple[Sheet, bool], ...]
    data: dict[str, Any]
    audit: Sheet | None
    tuning: Sheet | None
    failures: Sheet | None
    environment: Sheet
    commands: Commands
    made_by: str
    formulas: Sheet
    version: str = __version__


def gather(
    selection: Selection,
    comparison: MethodComparison,
    *,
    folder: str,
    others: bool,
    made_by: str,
) -> Content:
    """Gathers the content of the page from the selected runs and their comparison.

    `folder` is the name of the results folder on the page. With `others` the curves also offer metrics that no table
    shows.
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
        audit=audit_of(selection),
        tuning=tuning_of(selection),
        failures=failure_sheet(selection),
        environment=environment_sheet(selection),
        commands=run_commands(selection.runs),
        made_by=made_by,
        formulas=formula_sheet(),
    )


def headline(streams: Sequence[str], methods: int) -> str:
    """The headline: `webkb4, digits · 11 methods`; many streams, or long names, are only counted."""
    names = ", ".join(streams)
    short = len(streams) <= MOST_STREAMS and len(names) <= MOST_CHARACTERS
    return f"{names if short else counted(len(streams), 'stream')} · {counted(methods, 'method')}"


def overview_sheets(streams: Sequence[ComparedStream], metrics: Sequence[str]) -> tuple[Sheet, ...]:
    """A table for each stream where a method has an average: a row per method, a column per metric."""
    sheets = [_overview_sheet(stream, stream.scored_by(metrics)) for stream in streams]
    return tuple(sheet for sheet in sheets if sheet is not None)


def _tables(comparison: MethodComparison) -> tuple[tuple[Sheet, bool], ...]:
    """The tables of the comparison; those that only exist because there is a reference are folded."""
    always = set(comparison_sheets(replace(comparison, against=None)))
    return tuple((sheet, bool(sheet.rows) and sheet not in always) for sheet in comparison_sheets(comparison))


def _count(count: int, noun: str) -> tuple[str, str]:
    """A noun, in the plural if need be, and its number: `("runs", "1,000")`."""
    number, name = counted(count, noun).split(" ", 1)
    return name, number


def _when(finished: str) -> str:
    """The time at which a run finished, to the minute, as the page shows it."""
    return f"{finished[:10]} {finished[11:16]} UTC" if len(finished) >= 16 else "at an unknown time"


def _overview_sheet(stream: ComparedStream, metrics: Sequence[str]) -> Sheet | None:
    if not any(task is None for _, _, task in stream.scores):
        return None
    columns = [score_cells(stream, metric, None) for metric in metrics]
    rows = [(Cell(method.label), *cells) for method, *cells in zip(stream.methods, *columns, strict=True)]
    header = ("method", *(f"{metric} (%)" if is_percent(metric) else metric for metric in metrics))
    notes = () if stream.paired else (_UNPAIRED,)
    return Sheet(stream.label, header, tuple(rows), notes=notes)
