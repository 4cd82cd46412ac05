"""The lifelong figures of one run, for a person to read."""

from __future__ import annotations

from lcbench.record import OK, RunRecord
from lcbench.report import numbers
from lcbench.report.figures_of_run import figures_of
from lcbench.report.tables.sheet import Cell, Sheet
from lcbench.rescoring import complete
from lcbench.store.runs import RunStore
from lcbench.transfer import FORMULAS

WHERE = "docs/formulas.md has each formula and what it needs."


def figure_sheet(run: RunRecord, baseline: RunRecord | None, store: RunStore) -> list[Sheet]:
    """A row per figure and a column per metric; what does not depend on a metric, and what is not there, below."""
    if run.status != OK or not run.scores:
        return []
    complete(run, store)
    columns = {metric: figures_of(run, metric, baseline) for metric in run.scores}
    rows, notes, missing = [], [], []
    for formula in FORMULAS:
        spelled = formula.name.replace("_", " ")
        values = {metric: figures[formula.name] for metric, figures in columns.items()}
        known = [value for value in values.values() if value is not None]
        if not known:
            missing.append(spelled)
        elif "R" in formula.needs:
            signed = "minus" in formula.id
            rows.append(
                (
                    Cell(spelled),
                    *(Cell(numbers.score(metric, value, signed=signed)) for metric, value in values.items()),
                )
            )
        else:
            notes.append(f"{spelled}: {known[0]:.3f}, where 1 is none")
    notes.append(f"Not to be had: {', '.join(missing)}; {WHERE}" if missing else WHERE)
    return [Sheet("Averages over tasks", ("figure", *columns), tuple(rows), notes=tuple(notes))]
