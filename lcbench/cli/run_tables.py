"""The tables that `lcbench run` prints at its end: lifelong scores, averages, tuning, audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lcbench.analysis.lifelong_table import LifelongTable, TableCell, group_runs, lifelong_table
from lcbench.cli.audit_text import print_audit
from lcbench.cli.console import output, print_sheets
from lcbench.experiment.pipeline import Outcome
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import is_percent, metric_spec
from lcbench.report import numbers
from lcbench.report.overview import overview_sheet
from lcbench.report.sheets.sheet import Cell, Sheet
from lcbench.report.tuning_tables import tuning_sheets

MOST_ROWS = 20
MOST_METHODS = 8
VISIBLE_CHANGE = 0.0005
GIVE_WAY = (
    "state", "predict s", "learn s", "points", "runs", "untuned", "backward", "at arrival", "oracle - first-task",
    "first-task",
)  # fmt: skip


def print_results(results: Outcome) -> None:
    """Print all tables of an experiment, and what the audit found."""
    console = output()
    print_sheets(result_sheets(results), console)
    print_audit(results.runs, console)


def result_sheets(results: Outcome) -> Iterator[Sheet]:
    """For each stream a lifelong table per metric, then averages and costs of every method; at the end the tuning."""
    by_id = {run.run_id: run for run in results}
    for stream in dict.fromkeys(run.stream_label for run in results):
        groups = {label: runs for (name, label), runs in group_runs(results.runs).items() if name == stream}
        shown = _worth_showing(groups, by_id)
        few = len(shown) <= MOST_METHODS
        if few:
            yield from lifelong_sheets(stream, list(shown.values()), results.metrics, by_id)
        overview = overview_sheet(results.runs, results.metrics, stream)
        yield _giving_way(replace(overview, notes=tuple(_notes(shown, by_id, columns=few))))
    if results.gaps:
        yield from map(_giving_way, tuning_sheets(results.runs, results.gaps))


def lifelong_sheets(
    stream: str,
    groups: Sequence[Sequence[RunRecord]],
    metrics: Sequence[str],
    by_id: Mapping[str, RunRecord],
) -> Iterator[Sheet]:
    """A lifelong table per metric that has a score; each group is the runs of one method."""
    for metric in metrics:
        tables = [lifelong_table(runs, metric, by_id) for runs in groups]
        tables = [table for table in tables if any(cell.mean is not None for cell in table.cells.values())]
        if tables:
            unit = " in percent" if is_percent(metric) else ""
            yield _lifelong_sheet(f"{stream}: {metric}{unit}, by number of tasks learned", tables)


def _giving_way(sheet: Sheet) -> Sheet:
    return replace(sheet, give_way=tuple(name for name in GIVE_WAY if name in sheet.header))


def _worth_showing(groups: dict[str, list[RunRecord]], by_id: dict[str, RunRecord]) -> dict[str, list[RunRecord]]:
    """Drops methods that are shown as column 0 of another one: their rows would repeat it."""
    done = [run for runs in groups.values() for run in runs if run.status == OK]
    in_column_0 = {by_id[run.baseline].label for run in done if run.baseline in by_id}
    return {label: runs for label, runs in groups.items() if label not in in_column_0}


def _lifelong_sheet(title: str, tables: Sequence[LifelongTable]) -> Sheet:
    """The tables of several methods under one metric; every other column gives way first, the first and last never."""
    columns = sorted({c for table in tables for (_, c), cell in table.cells.items() if cell.mean is not None})
    rows: list[tuple[Cell, ...]] = []
    rules = []
    for table in tables:
        rules.append(len(rows))
        rows += _rows(table, columns)
    from_end = {column: columns[-1] - column for column in columns[1:-1]}
    give_way = sorted(from_end, key=lambda c: (from_end[c] & -from_end[c], c))  # by the power of two in the distance
    header = ("method", "task", *map(str, columns))
    return Sheet(title, header, tuple(rows), 2, tuple(rules), give_way=tuple(map(str, give_way)))


def _rows(table: LifelongTable, columns: Sequence[int]) -> Iterator[tuple[Cell, ...]]:
    hidden, half = len(table.tasks) - MOST_ROWS, MOST_ROWS // 2
    tasks = [*table.tasks[:half], *table.tasks[-half:]] if hidden > 0 else table.tasks
    for i, task in enumerate(tasks):
        if hidden > 0 and i == half:
            yield Cell(""), Cell(f"({hidden} tasks more)", tone="dim"), *(Cell("") for _ in columns)
        cells, before = [], None
        for column in columns:
            cell = table.cells.get((task, column))
            cells.append(_cell(table, cell, before))
            before = cell.mean if cell is not None and cell.count else before
        yield Cell(table.label if i == 0 else ""), Cell(task), *cells
    averages = [numbers.score(table.metric, table.average(column)) for column in columns]
    yield Cell(""), Cell("average"), *map(Cell, averages)
    if table.baseline is not None:
        gains = [table.gain(column) for column in columns]
        shown = ["" if gain is None else numbers.score(table.metric, gain, signed=True) for gain in gains]
        yield Cell(""), Cell("gain over 0", tone="dim"), *(Cell(text, tone="dim") for text in shown)


def _cell(table: LifelongTable, cell: TableCell | None, before: float | None) -> Cell:
    """The mean, in the tone of its change; in brackets before the task was learned, with a count if not by all runs."""
    if cell is None or cell.mean is None:
        return Cell("")
    text = numbers.score(table.metric, cell.mean)
    if not cell.count:
        return Cell(f"[{text}]", tone="dim")
    change = 0.0 if before is None else cell.mean - before
    spec = metric_spec(table.metric)
    if spec is not None and not spec.greater_is_better:
        change = -change
    tone = "good" if change >= VISIBLE_CHANGE else "bad" if change <= -VISIBLE_CHANGE else ""
    return Cell(text if cell.count == cell.total else f"{text} ({cell.count})", tone=tone)


def _notes(shown: dict[str, list[RunRecord]], by_id: dict[str, RunRecord], *, columns: bool) -> Iterator[str]:
    """The notes below the tables; with `columns` they also explain the columns of the lifelong tables."""
    if not columns:
        yield (
            f"The tables of single tasks are left out, as there are more than {MOST_METHODS} methods: "
            "'lcbench results show ID' has them for a run."
        )
    done = [run for runs in shown.values() for run in runs if run.status == OK]
    baselines = dict.fromkeys(by_id[run.baseline].label for run in done if run.baseline in by_id)
    if baselines and columns:
        yield f"Column 0 is the single-task baseline ({', '.join(baselines)})."
    noted: dict[str, dict[str, None]] = {}
    for run in done:
        noted.setdefault(run.note, {})[run.label] = None
    for note, labels in noted.items():
        if note:
            yield f"{_some(list(labels))}: {note}."
    if columns and len(done) > len({run.label for run in done}):
        yield (
            "A cell is the mean over the runs that had learned the task by then, with their count where it is not all."
        )
    if columns and any(run.future for run in done):
        yield "In brackets: tasks not learned yet."


def _some(labels: Sequence[str]) -> str:
    """The labels, or the first three of many."""
    return ", ".join(labels) if len(labels) <= 4 else f"{', '.join(labels[:3])} and {len(labels) - 3} more"
