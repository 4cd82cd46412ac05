"""Gathers the content of the HTML page: headline, tables, curve data, commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PureWindowsPath
from typing import Any, NamedTuple

from lcbench import __version__
from lcbench.analysis.compare import MethodComparison
from lcbench.analysis.selection import MethodRuns, Selection, grouped
from lcbench.contract.hashing import content_id
from lcbench.printable import counted
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import RunRecord
from lcbench.registry.names import parse_stream_entry
from lcbench.report import numbers
from lcbench.report.audit_table import audit_rows, audit_sheet
from lcbench.report.comparison.sheets import comparison_notes, comparison_tables
from lcbench.report.overview import overview_sheet
from lcbench.report.page.curves import page_data
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet
from lcbench.report.tuning_tables import choice_rows, choice_sheet
from lcbench.report.verdict import verdict_lines

MOST_STREAMS, MOST_CHARACTERS = 3, 70  # in the headline
_FACTS = ("python", "implementation", "system", "release", "machine", "cores")


class Commands(NamedTuple):
    """Command lines, and notes on the runs that they do not make."""

    lines: tuple[str, ...]
    notes: tuple[str, ...]


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
    runs, metrics = selection.runs, comparison.metrics
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
        overview=tuple(overview_sheet(s, s.scored_by(metrics)) for s in comparison.streams if s.first is not None),
        tables=_tables(comparison),
        data=page_data(selection, metrics, others=others),
        audit=audit_of(selection),
        tuning=tuning_of(selection),
        failures=failure_sheet(selection),
        environment=environment_sheet(selection),
        commands=run_commands(runs),
        made_by=made_by,
        formulas=formula_sheet(),
    )


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
    notes = tuple(comparison_notes(comparison))
    return (*made, *([(Sheet("Notes on these tables", ("",), (), notes=notes), False)] if notes else []))


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


def environment_sheet(selection: Selection) -> Sheet:
    """The table of machines and packages that runs were made with: a column for each environment, most runs first."""
    environments = {content_id(run.environment): run.environment for run in selection.runs}
    methods = grouped(
        (content_id(run.environment), method.label) for _, method in _methods(selection) for run in method.runs
    )
    keys = sorted(environments, key=lambda key: -len(methods[key]))
    facts = [_environment_facts(environments[key]) for key in keys]
    rows = [
        (Cell(name), *(Cell(own.get(name, numbers.MISSING), bold=own.get(name) != facts[0].get(name)) for own in facts))
        for name in dict.fromkeys(name for own in facts for name in own)
    ]
    several = len(keys) > 1
    titles = [
        f"Environment{f' {i}' if several else ''}: {counted(len(methods[key]), 'run')}" for i, key in enumerate(keys, 1)
    ]
    notes = [f"Environment {i}: {', '.join(dict.fromkeys(methods[key]))}." for i, key in enumerate(keys, 1)]
    notes.append("Bold: not as in environment 1. Seconds compare within one environment only.")
    header = ("fact", *titles)
    return Sheet("What the runs were made with", header, tuple(rows), stub=len(header), notes=tuple(notes * several))


def _environment_facts(environment: dict[str, Any]) -> dict[str, str]:
    """Name and value of each recorded fact of an environment: Python, machine, packages, plugins, BLAS libraries."""
    facts = {name: str(environment[name]) for name in _FACTS if environment.get(name) is not None}
    for group in ("packages", "plugins"):
        listed = environment.get(group) if isinstance(environment.get(group), dict) else {}
        facts |= {f"{group[:-1]} {name}": str(version or "not installed") for name, version in (listed or {}).items()}
    parts = ("internal_api", "version", "architecture")
    libraries = grouped(
        (f"{library.get('user_api')} library", " ".join(str(library[part]) for part in parts if library.get(part)))
        for library in environment.get("libraries") or ()
    )
    return facts | {name: "; ".join(texts) for name, texts in libraries.items()} or {"not recorded": numbers.MISSING}


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


def run_commands(runs: Sequence[RunRecord]) -> Commands:
    """The commands of runs, each once. A folder in them keeps its name alone, so that no home folder is published."""
    lines = dict.fromkeys(_without_places(run.command) for run in runs if run.command)
    silent = [run for run in runs if not run.command]
    note = (
        f"{counted(len(silent), 'run')} of {', '.join(dict.fromkeys(run.label for run in silent))} "
        f"{'has' if len(silent) == 1 else 'have'} no command: made from Python with objects, or by lcbench 0.1."
    )
    return Commands(tuple(lines), (note,) if silent else ())


def _without_places(command: str) -> str:
    words = shlex.split(command)
    cut = [_without_place(word) if before == "--stream" else word for before, word in pairwise(words)]
    return shlex.join([*words[:1], *cut])


def _without_place(stream: str) -> str:
    entry = parse_stream_entry(stream)
    folder = PureWindowsPath(entry.name)  # splits at both separators
    if not entry.is_path or len(folder.parts) < 2:  # "./news" says nothing about its place
        return stream
    alias = "" if entry.alias is None else f"{entry.alias}="
    return f"{alias}.../{folder.name}{stream.strip()[len(alias) + len(entry.name) :]}"
