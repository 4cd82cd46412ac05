"""Builds the page's tables of audits, tuning, failures, environments and formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from lcbench.analysis.selection import MethodRuns, Selection
from lcbench.contract.hashing import content_id
from lcbench.printable import counted
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import RunRecord
from lcbench.report import numbers
from lcbench.report.audit_table import audit_rows, audit_sheet
from lcbench.report.sheets.sheet import Cell, Sheet
from lcbench.report.tuning_tables import choice_rows, choice_sheet

_FACTS = ("python", "implementation", "system", "release", "machine", "cores")


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
    groups: dict[tuple[str, ...], list[RunRecord]] = {}
    for stream, method in _methods(selection):
        for run in method.failed:
            error = " ".join((run.error or "").split())
            groups.setdefault((stream, method.label, run.status, error), []).append(run)
    rows = tuple(
        tuple(map(Cell, (stream, method, str(len(runs)), status, _reached(runs), error or numbers.MISSING)))
        for (stream, method, status, error), runs in groups.items()
    )
    header = ("stream", "method", "runs", "ended", "tasks learned", "reason")
    return Sheet("Runs that did not come to their end", header, rows, len(header)) if rows else None


def _reached(runs: Sequence[RunRecord]) -> str:
    """The number of tasks that failed runs learned: `2 of 5`, `0 to 3 of 5`."""
    counts = [len(run.learn_seconds) for run in runs]
    span = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return f"{span} of {max(len(run.order) for run in runs)}"


def environment_sheet(selection: Selection) -> Sheet:
    """The table of machines and packages that runs were made with: a column for each environment, most runs first."""
    environments: dict[str, dict[str, Any]] = {}
    methods: dict[str, list[str]] = {}
    for _, method in _methods(selection):
        for run in method.runs:
            key = content_id(run.environment)
            environments[key] = run.environment
            methods.setdefault(key, []).append(method.label)
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
    libraries: dict[str, list[str]] = {}
    for library in environment.get("libraries") or ():
        described = [library.get(key) for key in ("internal_api", "version", "architecture")]
        text = " ".join(str(part) for part in described if part)
        libraries.setdefault(f"{library.get('user_api')} library", []).append(text)
    return facts | {name: "; ".join(texts) for name, texts in libraries.items()} or {"not recorded": numbers.MISSING}


def formula_sheet() -> Sheet:
    """The table of the figures derived from scores, with the ids, texts and references of their formulas."""
    rows = tuple(tuple(map(Cell, (f.name.replace("_", " "), f.id, f.text, f.reference))) for f in FORMULAS)
    notes = (
        "R[i][j] is the score of the task learned j-th after i + 1 tasks, from 0 on; T is the number of tasks.",
        "alone[j] is what the single-task baseline scores on that task; A[i][j] is the adjusted Rand index between the "
        "task's partition after i + 1 tasks and that when it was learned.",
    )
    return Sheet("Formulas of the lifelong figures", ("figure", "id", "formula", "reference"), rows, 4, notes=notes)
