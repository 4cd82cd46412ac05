"""Machines and packages that runs were made with: facts of one environment, a table of all."""

from __future__ import annotations

from typing import Any

from lcbench.analysis.selection import Selection, grouped
from lcbench.contract.hashing import content_id
from lcbench.printable import counted
from lcbench.report import numbers
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

_FACTS = {
    "python": "python", "implementation": "implementation", "system": "system", "release": "release",
    "machine": "machine", "simd": "vector instructions", "cores": "cores",
}  # as records have them, and as they are shown  # fmt: skip


def environment_sheet(selection: Selection) -> Sheet:
    """The table of machines and packages that runs were made with: a column for each environment, most runs first."""
    environments = {content_id(run.environment): run.environment for run in selection.runs}
    methods = grouped(
        (content_id(run.environment), method.label)
        for stream in selection.streams
        for method in stream.methods
        for run in method.runs
    )
    keys = sorted(environments, key=lambda key: -len(methods[key]))
    facts = [environment_facts(environments[key]) for key in keys]
    rows = [
        (name, *(Cell(own.get(name, numbers.MISSING), bold=own.get(name) != facts[0].get(name)) for own in facts))
        for name in dict.fromkeys(name for own in facts for name in own)
    ]
    several = len(keys) > 1
    titles = [
        f"Environment{f' {i}' if several else ''}: {counted(len(methods[key]), 'run')}" for i, key in enumerate(keys, 1)
    ]
    notes = [f"Environment {i}: {', '.join(dict.fromkeys(methods[key]))}." for i, key in enumerate(keys, 1)]
    notes.append("Bold: not as in environment 1. Seconds compare within one environment only.")
    return text_sheet("What the runs were made with", ("fact", *titles), rows, notes=notes * several)


def environment_facts(environment: dict[str, Any]) -> dict[str, str]:
    """Name and value of each recorded fact of an environment: Python, machine, packages, plugins, BLAS libraries."""
    known = {shown: environment[name] for name, shown in _FACTS.items() if environment.get(name) is not None}
    facts = {name: "none" if value == "" else str(value) for name, value in known.items()}
    for group in ("packages", "plugins"):
        listed = environment.get(group) if isinstance(environment.get(group), dict) else {}
        facts |= {f"{group[:-1]} {name}": str(version or "not installed") for name, version in (listed or {}).items()}
    parts = ("internal_api", "version", "architecture")
    libraries = grouped(
        (f"{library.get('user_api')} library", " ".join(str(library[part]) for part in parts if library.get(part)))
        for library in environment.get("libraries") or ()
    )
    return facts | {name: "; ".join(texts) for name, texts in libraries.items()} or {"not recorded": numbers.MISSING}
