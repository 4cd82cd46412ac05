"""The page of `lcbench report`: gathers headline, tables, curve data, commands; renders it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lcbench import __version__
from lcbench.analysis.compare import ComparedMethod, ComparedStream, MethodComparison
from lcbench.analysis.selection import MethodRuns, Selection, grouped
from lcbench.printable import counted
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import greater_is_better
from lcbench.report import numbers
from lcbench.report.audit_table import audit_rows, audit_sheet
from lcbench.report.comparison.sheets import comparison_notes, comparison_tables
from lcbench.report.overview import overview_sheet
from lcbench.report.page.commands import Commands, run_commands
from lcbench.report.page.curves import page_data
from lcbench.report.page.environments import environment_sheet
from lcbench.report.page.run_list import list_of_runs
from lcbench.report.page.shell import plotly, render_page
from lcbench.report.sheets.sheet import Sheet, text_sheet
from lcbench.report.tuning_tables import choice_rows, choice_sheet
from lcbench.report.verdict import verdict_lines

MOST_STREAMS, MOST_CHARACTERS = 3, 70  # in the headline
SECTIONS = {
    "overview": "Overview",
    "curves": "Lifelong curves",
    "tables": "Comparison",
    "runs": "Runs",
    "audit": "Audit",
    "failures": "Failures",
    "tuning": "Tuning",
    "commands": "Commands",
    "formulas": "Formulas",
    "environment": "Environment",
}
SCRIPTS = ("curves.js", "figures.js", "streams.js", "view.js", "runs.js")


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of the page; the curves are drawn from `data`, and `made_by` is the command that makes the page.

    A table of the comparison that is True beside it is folded: it shows its title only until the reader opens it.
    """

    title: str
    folder: str
    newest: str
    summary: tuple[tuple[str, str], ...]
    verdict: tuple[str, ...]
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


def gather(selection: Selection, comparison: MethodComparison, *, folder: str, others: bool, made_by: str) -> Content:
    """Gathers the content of the page from the selected runs and their comparison.

    `folder` is the name of the results folder on the page. With `others` the curves also offer metrics that no table
    shows.
    """
    runs, metrics, ranked = selection.runs, comparison.metrics, best_first(comparison)
    data = page_data(selection, metrics, others=others)
    methods = {method.label for _, method in _methods(selection)}
    failed = sum(len(method.failed) for _, method in _methods(selection))
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
        verdict=tuple(line for stream in comparison.streams for line in verdict_lines(stream)),
        overview=tuple(overview_sheet(s, s.scored_by(metrics)) for s in ranked.streams if s.first is not None),
        tables=_tables(ranked),
        data={**data, "runs": list_of_runs(selection, metrics, data["streams"])},
        audit=audit_of(selection),
        tuning=tuning_of(selection),
        failures=failure_sheet(selection),
        environment=environment_sheet(selection),
        commands=run_commands(runs),
        made_by=made_by,
        formulas=formula_sheet(),
    )


def render(content: Content) -> str:
    """The page as HTML."""
    return render_page(
        "report.html.jinja",
        later={"plotly": plotly()},
        scripts=SCRIPTS,
        data=content.data,
        page=content,
        sections=_sections(content),
    )


def _sections(content: Content) -> dict[str, str]:
    """Anchor and name of each section that has content."""
    return {anchor: name for anchor, name in SECTIONS.items() if getattr(content, anchor, True)}


def best_first(comparison: MethodComparison) -> MethodComparison:
    """The comparison with the methods of each stream in the order of their averages by the first metric."""
    return replace(comparison, streams=tuple(_ranked(stream, comparison.metrics) for stream in comparison.streams))


def _ranked(stream: ComparedStream, metrics: Sequence[str]) -> ComparedStream:
    def place(method: ComparedMethod) -> tuple[bool, float]:
        spread = stream.scores.get((method.label, metrics[0], None)) if metrics else None
        if spread is None:
            return True, 0.0
        return False, -spread.mean if greater_is_better(metrics[0]) else spread.mean

    return replace(stream, methods=tuple(sorted(stream.methods, key=place)))


def headline(streams: Sequence[str], methods: int) -> str:
    """The headline: `webkb4, digits · 11 methods`; many streams, or long names, are only counted."""
    names = ", ".join(streams)
    short = len(streams) <= MOST_STREAMS and len(names) <= MOST_CHARACTERS
    return f"{names if short else counted(len(streams), 'stream')} · {counted(methods, 'method')}"


def _count(count: int, noun: str) -> tuple[str, str]:
    """A noun, in the plural if need be, and its number: `("runs", "1,000")`."""
    number, name = counted(count, noun).split(" ", 1)
    return name, number


def _when(finished: str) -> str:
    """The time at which a run finished, to the minute, as the page shows it."""
    return f"{finished[:10]} {finished[11:16]} UTC" if len(finished) >= 16 else "at an unknown time"


def _tables(comparison: MethodComparison) -> tuple[tuple[Sheet, bool], ...]:
    """The tables of the comparison, those that only exist because there is a reference folded; then notes on all."""
    always = set(comparison_tables(replace(comparison, against=None)))
    made = [(sheet, bool(sheet.rows) and sheet not in always) for sheet in comparison_tables(comparison)]
    notes = comparison_notes(comparison)
    return (*made, *([(text_sheet("Notes on these tables", ("",), (), notes=notes), False)] if notes else []))


def _methods(selection: Selection) -> Iterator[tuple[str, MethodRuns]]:
    """The runs of every method on every stream, with the stream's label."""
    return ((stream.label, method) for stream in selection.streams for method in stream.methods)


def audit_of(selection: Selection) -> Sheet | None:
    """The table of what each method keeps of old tasks."""
    rows = [
        replace(row, stream=stream, method=method.label)
        for stream, method in _methods(selection)
        for row in audit_rows(method.runs)[:1]
    ]
    return audit_sheet(rows) if rows else None


def tuning_of(selection: Selection) -> Sheet | None:
    """The table of the parameters that tuning chose."""
    rows = [
        (stream, method.label, *row[2:])
        for stream, method in _methods(selection)
        for row in choice_rows(method.runs)[:1]
    ]
    notes = sorted({f"{run.label}: {run.note}." for run in selection.runs if run.choice is not None and run.note})
    return choice_sheet(rows, notes) if rows else None


def failure_sheet(selection: Selection) -> Sheet | None:
    """The table of failed runs: their status, the number of tasks they learned, and the reason."""
    groups = grouped(
        ((stream, method.label, run.status, " ".join((run.error or "").split())), run)
        for stream, method in _methods(selection)
        for run in method.failed
    )
    rows = [
        (stream, method, len(runs), status, _reached(runs), error or numbers.MISSING)
        for (stream, method, status, error), runs in groups.items()
    ]
    header = ("stream", "method", "runs", "ended", "tasks learned", "reason")
    return text_sheet("Runs that did not come to their end", header, rows) if rows else None


def _reached(runs: Sequence[RunRecord]) -> str:
    """The number of tasks that failed runs learned: `2 of 5`, `0 to 3 of 5`."""
    counts = [len(run.learn_seconds) for run in runs]
    span = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return f"{span} of {max(len(run.order) for run in runs)}"


def formula_sheet() -> Sheet:
    """The table of the figures derived from scores, with the ids, texts and references of their formulas."""
    rows = [(f.name.replace("_", " "), f.id, f.text, f.reference) for f in FORMULAS]
    header = ("figure", "id", "formula", "reference")
    notes = (
        "R[i][j] is the score of the task learned j-th after i + 1 tasks, from 0 on; T is the number of tasks.",
        "solo[j] is the score of that task learned alone by the same method, alone[j] that of the single-task "
        "baseline; A[i][j] is the adjusted Rand index between the "
        "task's partition after i + 1 tasks and that when it was learned.",
    )
    return text_sheet("Formulas of the lifelong figures", header, rows, notes=notes)
