"""The verdict and the tables that `lcbench run` prints: scores, transfer, tuning, audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.console import Console

from lcbench.analysis.compare import MethodComparison, compare_methods
from lcbench.analysis.lifelong_table import LifelongTable, have_one_order, lifelong_table
from lcbench.analysis.selection import Selection, StreamRuns, grouped, select_outcome
from lcbench.cli.console import output, plain, print_sheets
from lcbench.experiment.pipeline import Outcome
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import is_percent
from lcbench.report import numbers
from lcbench.report.audit_table import AuditRow, audit_rows, audit_sheet, open_places
from lcbench.report.comparison.transfer import TONES, curve_sheet, transfer_ids, transfer_notes, transfer_sheet
from lcbench.report.overview import cross_stream_sheet, overview_sheet
from lcbench.report.sheets.sheet import Cell, Sheet
from lcbench.report.tuning_tables import tuning_sheets
from lcbench.report.verdict import verdict_sheet

MOST_ROWS = 20
MOST_METHODS = 8
MOST_AUDITED = 4  # methods that one line can name
GIVE_WAY = ("points", "untuned", "oracle - first-task", "first-task")


def print_results(results: Outcome, *, verbose: bool = False, console: Console | None = None) -> None:
    """Print the verdict, the tables of an experiment, and what the audit found; with `verbose` all tables."""
    console = console or output()
    selection = select_outcome(results)
    compared = compare_methods(selection, results.metrics)
    sheets = list(result_sheets(results, selection, compared, verbose=verbose))
    notes = tuple(_notes(selection, compared, sheets))
    sheets[-1:] = [replace(sheet, notes=(*sheet.notes, *notes)) for sheet in sheets[-1:]]
    print_sheets([*verdict_sheet(compared.streams), *sheets], console)
    print_audit(results.runs, console)


def result_sheets(
    results: Outcome, selection: Selection, compared: MethodComparison, *, verbose: bool = False
) -> Iterator[Sheet]:
    """For one stream: the first metric as tasks are learned, averages and costs, transfer; then the tuning.

    Several streams have one table together. With `verbose` each stream has all of its tables, by every metric.
    """
    metrics = results.metrics
    several = len(compared.streams) > 1
    for runs, stream in zip(selection.streams, compared.streams, strict=True):
        if several and not verbose:
            continue
        scored = stream.scored_by(metrics)
        for metric in scored if verbose else scored[:1]:
            yield from _as_tasks_arrive(selection, runs, metric, compared.confidence)
        yield overview_sheet(stream, scored)
        yield from transfer_sheet(stream, scored if verbose else scored[:1])
    if several and metrics:
        ranking = next((found for found in compared.rankings if found.metric == metrics[0]), None)
        yield cross_stream_sheet(compared.streams, metrics[0], ranking)
    if results.gaps:
        for sheet in tuning_sheets(results.runs, results.gaps):
            yield replace(sheet, give_way=tuple(name for name in GIVE_WAY if name in sheet.header))


def _as_tasks_arrive(selection: Selection, stream: StreamRuns, metric: str, confidence: float) -> Iterator[Sheet]:
    """The table of every task in one order; over several orders the two curves; nothing for very many methods."""
    shown = _worth_showing(stream, selection.by_id)
    if len(shown) > MOST_METHODS:
        return
    if have_one_order([run for method in stream.methods for run in method.runs]):
        yield from lifelong_sheets(stream.label, shown, [metric], selection.by_id)
    else:
        yield from curve_sheet(selection, stream, metric, confidence)


def _worth_showing(stream: StreamRuns, by_id: Mapping[str, RunRecord]) -> list[Sequence[RunRecord]]:
    """The runs of each method, without those that are shown as column 0 of another one: their rows would repeat it."""
    done = [run for method in stream.methods for run in method.done]
    in_column_0 = {run.baseline for run in done if run.baseline in by_id}
    return [m.runs for m in stream.methods if not all(run.run_id in in_column_0 for run in m.runs)]


def lifelong_sheets(
    stream: str,
    groups: Sequence[Sequence[RunRecord]],
    metrics: Sequence[str],
    by_id: Mapping[str, RunRecord],
) -> Iterator[Sheet]:
    """A lifelong table per metric that has a score; each group is the runs of one method, all in one order."""
    for metric in metrics:
        tables = [lifelong_table(runs, metric, by_id) for runs in groups]
        tables = [table for table in tables if table.cells]
        if tables:
            unit = " in percent" if is_percent(metric) else ""
            yield _lifelong_sheet(f"{stream}: {metric}{unit}, by number of tasks learned", tables)


def _lifelong_sheet(title: str, tables: Sequence[LifelongTable]) -> Sheet:
    """The tables of several methods under one metric; every other column gives way first, the first and last never."""
    columns = sorted({column for table in tables for _, column in table.cells})
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
        cells = (_cell(table, task, column) for column in columns)
        yield Cell(table.label if i == 0 else ""), Cell(task), *cells
    yield Cell(""), Cell("average"), *(_number(table.metric, table.averages.get(column)) for column in columns)
    if table.gains:
        gains = (_number(table.metric, table.gains.get(column), signed=True) for column in columns)
        yield Cell(""), Cell("gain over 0", tone="dim"), *(replace(cell, tone="dim") for cell in gains)


def _cell(table: LifelongTable, task: str, column: int) -> Cell:
    """The mean in the tone of its paired change; in brackets before the task was learned."""
    cell = table.cells.get((task, column))
    if cell is None:
        return Cell("")
    text = numbers.score(table.metric, cell.mean)
    if not cell.learned:
        return Cell(f"[{text}]", tone="dim")
    return Cell(text, tone=TONES[cell.change])


def _number(metric: str, value: float | None, *, signed: bool = False) -> Cell:
    return Cell("" if value is None else numbers.score(metric, value, signed=signed))


def _notes(selection: Selection, compared: MethodComparison, sheets: Sequence[Sheet]) -> Iterator[str]:
    """All notes, once, below the last table."""
    done = [run for run in selection.runs if run.status == OK]
    by_id = selection.by_id
    baselines = dict.fromkeys(
        by_id[run.baseline].label for run in done if run.baseline is not None and run.baseline in by_id
    )
    if any("by number of tasks learned" in sheet.title for sheet in sheets) and baselines:
        yield f"Column 0 is the single-task baseline ({', '.join(baselines)})."
    if any(run.future for run in done):
        yield "In brackets: tasks not learned yet."
    if any("solo" in sheet.header for sheet in sheets):
        yield from transfer_notes(compared.streams, short=True)
        parts = transfer_ids(compared.streams)[:3]  # the gains are differences of what is shown
        yield f"Formulas by id: {', '.join(parts)}."
    noted = dict.fromkeys((run.note, run.label) for run in done if run.note)
    for note, labels in grouped(noted).items():
        yield f"{_some(labels)}: {note}."
    for stream in compared.streams:
        yield from (f"{stream.label}: {note}" for note in stream.collapses)
    yield from compared.notes
    many = [stream.label for stream in selection.streams if len(_worth_showing(stream, by_id)) > MOST_METHODS]
    if many:
        yield (
            f"Tables as tasks arrive are left out, as there are more than {MOST_METHODS} methods: "
            "'lcbench results show ID' has them for a run, 'lcbench plot lifelong' draws them."
        )


def _some(labels: Sequence[str]) -> str:
    """The labels, or the first three of many."""
    return ", ".join(labels) if len(labels) <= 4 else f"{', '.join(labels[:3])} and {len(labels) - 3} more"


def print_audit(runs: Sequence[RunRecord], console: Console) -> None:
    """Print one line if every method keeps what its setting promises, else a table, and a sentence for each other.

    The table is also printed if runs were made again to be compared.
    """
    rows = audit_rows(runs)
    kept_word = all(row.verdict.within_promise for row in rows)
    if not kept_word or any(row.replayed for row in rows):
        console.print()
        print_sheets([replace(audit_sheet(rows), notes=())], console)
    if rows and kept_word:
        isolated = all(row.isolated for row in rows)
        how, limits = ("isolated", open_places(rows)) if isolated else ("as far as measured", [])
        said = f"Audit: every method keeps to its setting, {how}{_in_short(rows)}."
        console.print(plain(" ".join([said, *limits]), "dim"))
    for row in rows:
        if row.complaint:
            console.print(plain(row.complaint, "yellow" if row.verdict.within_promise is None else "bold red"))


def _in_short(rows: Sequence[AuditRow]) -> str:
    """Lists what each method keeps; empty where there are too many methods for one line."""
    kept = grouped((row.method, row.kept) for row in rows)
    if len(kept) > MOST_AUDITED:
        return ""
    return ": " + ", ".join(f"{method} {' or '.join(dict.fromkeys(found))}" for method, found in kept.items())
