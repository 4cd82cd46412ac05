"""The tables that `lcbench run` prints at its end: lifelong scores, averages, tuning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from lcbench.analysis.lifelong_table import LifelongTable, TableCell, group_runs, lifelong_table
from lcbench.cli.console import plain
from lcbench.experiment.outcome import Outcome
from lcbench.experiment.tuning import RULES, Gap
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import is_percent, metric_spec
from lcbench.report import numbers
from lcbench.report.overview import HEADER, overview_sheet
from lcbench.report.sheets.sheet import Sheet
from lcbench.report.tuning_rows import CHOICE_HEADER, GAP_HEADER, choice_rows, gap_sheet

MOST_ROWS = 20
MOST_METHODS = 8
VISIBLE_CHANGE = 0.0005
EDGES, GAP = 2, 2  # of a table: left and right of it, and between two columns
GIVE_WAY = ("state", "predict s", "learn s", "runs", "backward", "at arrival")


def lifelong_tables(results: Outcome, width: int) -> Iterator[RenderableType]:
    """For each stream a lifelong table per metric, then the averages and costs of every method."""
    by_id = {run.run_id: run for run in results}
    for stream in dict.fromkeys(run.stream_label for run in results):
        groups = {label: runs for (name, label), runs in group_runs(results.runs).items() if name == stream}
        shown = _worth_showing(groups, by_id)
        few = len(shown) <= MOST_METHODS
        if few:
            yield from metric_tables(stream, list(shown.values()), results.metrics, by_id, width)
        yield plain(f"{stream}: averages over tasks, time and memory", "bold")
        yield from _overview_table([run for run in results if run.stream_label == stream], results.metrics, width)
        if not few:
            yield plain(
                f"The tables of single tasks are left out, as there are more than {MOST_METHODS} methods: "
                "'lcbench results show ID' has them for a run.",
                "dim",
            )
        yield from _notes(shown, by_id, columns=few)


def metric_tables(
    stream: str,
    groups: Sequence[Sequence[RunRecord]],
    metrics: Sequence[str],
    by_id: Mapping[str, RunRecord],
    width: int,
) -> Iterator[RenderableType]:
    """A lifelong table per metric that has a score; each group is the runs of one method."""
    for metric in metrics:
        tables = [lifelong_table(runs, metric, by_id) for runs in groups]
        tables = [table for table in tables if any(cell.mean is not None for cell in table.cells.values())]
        if tables:
            unit = " in percent" if is_percent(metric) else ""
            yield plain(f"{stream}: {metric}{unit}, by number of tasks learned", "bold")
            yield from _metric_table(tables, width)


def _worth_showing(groups: dict[str, list[RunRecord]], by_id: dict[str, RunRecord]) -> dict[str, list[RunRecord]]:
    """Drops methods that are shown as column 0 of another one: their rows would repeat it."""
    done = [run for runs in groups.values() for run in runs if run.status == OK]
    in_column_0 = {by_id[run.baseline].label for run in done if run.baseline in by_id}
    return {label: runs for label, runs in groups.items() if label not in in_column_0}


def _metric_table(tables: Sequence[LifelongTable], width: int) -> Iterator[RenderableType]:
    """The table of one metric, and a line that names the columns left out."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    labels = min(max(cell_len(name) for name in ("method", *(t.label for t in tables))), max(width // 4, 8))
    names = max(cell_len(name) for t in tables for name in (*t.tasks, "gain over 0", _hidden_rows(t)))
    columns, left_out = _fitting(tables, width - EDGES - labels - GAP - names)
    table.add_column("method", max_width=labels, overflow="fold")
    table.add_column("task", no_wrap=True, style="cyan")
    for column in columns:
        table.add_column(str(column), justify="right", no_wrap=True)
    for lifelong in tables:
        _add_rows(table, lifelong, columns)
    yield table
    if left_out:
        yield plain(f"Left out to fit the width: {', '.join(map(str, left_out))}; --json has every column.", "dim")


def _fitting(tables: Sequence[LifelongTable], width: int) -> tuple[list[int], list[int]]:
    """Chooses columns evenly so that they fit the width; also returns those that do not fit."""
    cells: dict[int, int] = {}
    for table in tables:
        for (_, column), cell in table.cells.items():
            if cell.mean is not None:
                cells[column] = max(cells.get(column, len(str(column))), len(_cell_text(table, cell)))
    columns = sorted(cells)
    for count in range(len(columns), 1, -1):
        picked = [columns[round(i * (len(columns) - 1) / (count - 1))] for i in range(count)]
        if sum(cells[column] + GAP for column in picked) <= width:
            break
    else:
        picked = columns[-1:]
    return picked, [column for column in columns if column not in picked]


def _hidden_rows(lifelong: LifelongTable) -> str:
    hidden = len(lifelong.tasks) - MOST_ROWS
    return f"({hidden} tasks more)" if hidden > 0 else ""


def _add_rows(table: Table, lifelong: LifelongTable, columns: Sequence[int]) -> None:
    hidden, half = _hidden_rows(lifelong), MOST_ROWS // 2
    tasks = [*lifelong.tasks[:half], *lifelong.tasks[-half:]] if hidden else list(lifelong.tasks)
    for i, task in enumerate(tasks):
        if hidden and i == half:
            table.add_row("", Text(hidden, style="dim"))
        cells, before = [], None
        for column in columns:
            cell = lifelong.cells.get((task, column))
            cells.append(_cell(lifelong, cell, before))
            before = cell.mean if cell is not None and cell.count else before
        table.add_row(plain(lifelong.label if i == 0 else ""), plain(task), *cells)
    averages = [numbers.score(lifelong.metric, lifelong.average(column)) for column in columns]
    gains = [lifelong.gain(column) for column in columns]
    table.add_row("", "average", *averages, style="bold", end_section=lifelong.baseline is None)
    if lifelong.baseline is not None:
        shown = ["" if gain is None else numbers.score(lifelong.metric, gain, signed=True) for gain in gains]
        table.add_row("", "gain over 0", *shown, style="dim", end_section=True)


def _cell(lifelong: LifelongTable, cell: TableCell | None, before: float | None) -> Text:
    if cell is None or cell.mean is None:
        return Text("")
    text = _cell_text(lifelong, cell)
    if not cell.count:
        return Text(text, style="dim")
    change = 0.0 if before is None else cell.mean - before
    spec = metric_spec(lifelong.metric)
    if spec is not None and not spec.greater_is_better:
        change = -change
    return Text(text, style="green" if change >= VISIBLE_CHANGE else "red" if change <= -VISIBLE_CHANGE else "")


def _cell_text(lifelong: LifelongTable, cell: TableCell) -> str:
    """The mean; in brackets before the task was learned, and with the count where not all runs had learned it."""
    text = numbers.score(lifelong.metric, cell.mean)
    if not cell.count:
        return f"[{text}]"
    return text if cell.count == cell.total else f"{text} ({cell.count})"


def _overview_table(runs: Sequence[RunRecord], metrics: Sequence[str], width: int) -> Iterator[RenderableType]:
    """Averages and costs; where the width is too small costs are left out first, and no number is cut."""
    rows = _rows(overview_sheet(runs, metrics))
    names = list(HEADER[1:])
    widths = [max(_header_width(name), *(cell_len(row.cells[i + 1]) for row in rows)) for i, name in enumerate(names)]
    widths[0] = min(widths[0], max(width // 4, 8))
    kept = list(range(len(names)))
    for name in GIVE_WAY:
        if EDGES + sum(widths[i] + GAP for i in kept) - GAP > width:
            kept.remove(names.index(name))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for i in kept:
        header = names[i].replace(" ", "\n")
        side: JustifyMethod = "left" if i < 3 else "right"
        table.add_column(header, justify=side, min_width=widths[i], max_width=widths[i], overflow="fold")
    for i, row in enumerate(rows):
        cells = [plain(row.cells[j + 1]) for j in kept]
        table.add_row(*cells, end_section=i + 1 == len(rows) or rows[i + 1].first)
    yield table
    left_out = [name for i, name in enumerate(names) if i not in kept]
    if left_out:
        yield plain(f"Left out to fit the width: {', '.join(left_out)}; --json has every column.", "dim")


class _Row(NamedTuple):
    cells: tuple[str, ...]
    first: bool


def _rows(sheet: Sheet) -> list[_Row]:
    """The rows of a sheet as texts, and if a group of rows starts there."""
    return [_Row(tuple(cell.text for cell in row), i == 0 or i in sheet.rules) for i, row in enumerate(sheet.rows)]


def _header_width(name: str) -> int:
    return max(len(word) for word in name.split())


def _notes(shown: dict[str, list[RunRecord]], by_id: dict[str, RunRecord], *, columns: bool) -> Iterator[Text]:
    """The notes below the tables; with `columns` they also explain the columns."""
    done = [run for runs in shown.values() for run in runs if run.status == OK]
    baselines = dict.fromkeys(by_id[run.baseline].label for run in done if run.baseline in by_id)
    if baselines and columns:
        yield plain(f"Column 0 is the single-task baseline ({', '.join(baselines)}).", "dim")
    noted: dict[str, dict[str, None]] = {}
    for run in done:
        noted.setdefault(run.note, {})[run.label] = None
    for note, labels in noted.items():
        if note:
            yield plain(f"{_some(list(labels))}: {note}.", "dim")
    if columns and len(done) > len({run.label for run in done}):
        yield plain(
            "A cell is the mean over the runs that had learned the task by then, with their count where it is not all.",
            "dim",
        )
    if columns and any(run.future for run in done):
        yield plain("In brackets: tasks not learned yet.", "dim")


def _some(labels: Sequence[str]) -> str:
    """The labels, or the first three of many."""
    return ", ".join(labels) if len(labels) <= 4 else f"{', '.join(labels[:3])} and {len(labels) - 3} more"


_TEXT_COLUMNS = ("stream", "method", "metric", "chosen", "not usable")
_GIVE_WAY = ("search s", "points", "runs", "untuned", "oracle - first-task", "first-task")
_EDGES, _GAP, _NARROW = 2, 2, 10  # of a table, between two columns, and how narrow a column of text may become


def tuning_tables(tuned: Sequence[RunRecord], gaps: Sequence[Gap], width: int) -> Iterator[RenderableType]:
    """The chosen point of each tuned run, and the gap between choosing with and without labels."""
    rows = choice_rows(tuned)
    if rows:
        yield plain("Tuning: the points chosen, and the seconds of learning and predicting at all points", "bold")
        yield from _table(CHOICE_HEADER, rows, [True] * len(rows), width)
    compared = _rows(gap_sheet(gaps))
    if compared:
        yield plain("The oracle gap: averages after all tasks, had each protocol chosen among the same runs", "bold")
        yield from _table(GAP_HEADER, [row.cells for row in compared], [row.first for row in compared], width)
        yield plain("; ".join(f"{name}: {rule.sees}" for name, rule in RULES.items()) + ".", "dim")


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], starts: Sequence[bool], width: int
) -> Iterator[RenderableType]:
    """A table; where the width is too small some columns are left out, and no number is cut."""
    titles = [name.replace("- ", "-\n") if " - " in name else name.replace(" ", "\n") for name in header]
    widths = [
        max(*map(cell_len, title.splitlines()), *(cell_len(row[i]) for row in rows)) for i, title in enumerate(titles)
    ]
    least = [min(w, _NARROW) if name in _TEXT_COLUMNS else w for name, w in zip(header, widths, strict=True)]
    kept = list(range(len(header)))
    for name in _GIVE_WAY:
        if name in header and _EDGES + sum(least[i] + _GAP for i in kept) - _GAP > width:
            kept.remove(header.index(name))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for i in kept:
        text = header[i] in _TEXT_COLUMNS
        side: JustifyMethod = "left" if text else "right"
        table.add_column(titles[i], justify=side, min_width=least[i], overflow="fold")
    for i, row in enumerate(rows):
        table.add_row(*(plain(row[j]) for j in kept), end_section=i + 1 == len(rows) or starts[i + 1])
    yield table
    left_out = [name for i, name in enumerate(header) if i not in kept]
    if left_out:
        yield plain(f"Left out to fit the width: {', '.join(left_out)}; --json has the runs.", "dim")
