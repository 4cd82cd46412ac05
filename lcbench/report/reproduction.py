"""Tables that show a paper's figures beside ours, with verdicts; and their raw rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lcbench.analysis.failures import ends_text
from lcbench.analysis.published.reproduction import GRID, Reproduction
from lcbench.analysis.published.table import Figure, PublishedRuntime
from lcbench.analysis.published.verdicts import (
    DECIMALS,
    MISSING,
    NEAR,
    NEAR_POINTS,
    OFF,
    OTHER_SPLIT,
    WITHIN,
    WITHIN_POINTS,
    Reproduced,
    ReproducedCell,
    ReproducedMethod,
)
from lcbench.analysis.run_scores import AVERAGE, Spread
from lcbench.experiment.tuning import ORACLE
from lcbench.printable import counted
from lcbench.records.record import OK
from lcbench.registry.metrics import greater_is_better
from lcbench.report import numbers
from lcbench.report.sheets.formats import RawRows
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

COLUMNS = (
    "stream", "source", "table", "metric", "task", "own_task", "method", "run_as", "paper_mean", "paper_sd",
    "ours_mean", "ours_sd", "difference", "verdict", "runs", "failed", "mean_of_paper_rows",
)  # fmt: skip
MARK = "†"
_TONES = {WITHIN: "good", NEAR: "", OFF: "bad", OTHER_SPLIT: "dim", MISSING: "dim"}
_SCALE = (
    f"Differences are ours minus the paper's: {WITHIN} means at most {WITHIN_POINTS:g} points, {NEAR} at most "
    f"{NEAR_POINTS:g}, {OFF} more."
)
_NO_CLAIM = (
    "The paper had other data, or another split of them (see the protocol): the figures stand side by side and do not "
    "compare, so there is no verdict on them."
)
_TIMES = (
    "Spread: seconds spent learning all tasks, refits included; other runs may have gone on beside it. The machines "
    "differ: only the order compares, among the methods shown."
)


def reproduced_sheets(reproduced: Reproduced) -> list[Sheet]:
    """All tables; the verdicts and the summary come last, as a terminal shows the end."""
    sheets = [protocol_sheet(reproduced.reproduction)]
    sheets += [_metric_sheet(reproduced, metric) for metric in reproduced.published.figures]
    if reproduced.published.runtime is not None:
        sheets.append(_runtime_sheet(reproduced.methods, reproduced.published.runtime))
    return [*sheets, _verdict_sheet(reproduced), *_summary_sheets(reproduced)]


def protocol_sheet(reproduction: Reproduction) -> Sheet:
    """The table of the methods that are run for those of the paper, with notes on what the paper leaves open."""
    published = reproduction.published
    header = ("paper", "run as", "grid") if reproduction.full else ("paper", "run as")
    rows = []
    for name, method in published.methods.items():
        grid = f"{GRID}: {', '.join(method.grid)}" if reproduction.tuned(name) else ""
        rows.append((name, reproduction.entries[name].label, grid)[: len(header)])
    protocol = published.protocol
    how = (
        f"On {protocol.stream}: {protocol.order} orders, {counted(reproduction.repeats, 'repeat')}, seed "
        f"{reproduction.seed}; every task is scored after all were learned; mean ± standard deviation over repeats."
    )
    if reproduction.full:
        how += (
            " Grids hold the values that the paper tried, one parameter at a time with the others at their defaults; "
            "one point per method is chosen with the labels (oracle)."
        )
    notes = [f"{name}: {method.note}." for name, method in published.methods.items() if method.note]
    title = f"Protocol for {published.table} of {published.source}"
    return text_sheet(title, header, rows, notes=(how, *published.notes, *notes))


def _metric_sheet(reproduced: Reproduced, metric: str) -> Sheet:
    published = reproduced.published
    tasks = [AVERAGE, *published.tasks]  # where a terminal is narrow, the average is in the first part
    rows: list[tuple[object, ...]] = []
    for method in reproduced.methods:
        cells = [method.cell(metric, task) for task in tasks]
        rows.append((_name(method), "paper", *(_text(cell.paper) + (MARK if cell.misprint else "") for cell in cells)))
        rows.append(("", "ours", *(_plus_minus(cell.ours, "{:.2f}".format) for cell in cells)))
        rows.append(("", "difference", *map(_judged, cells)))
    return text_sheet(
        title=f"{metric} in percent, ours beside {published.table}",
        header=("method", "", *(_task(task, published.tasks.get(task)) for task in tasks)),
        rows=rows,
        stub=2,
        rules=range(3, len(rows), 3),
        notes=(_claim(reproduced), *_misprint_notes([m.cell(metric, AVERAGE) for m in reproduced.methods])),
    )


def _verdict_sheet(reproduced: Reproduced) -> Sheet:
    metrics = list(reproduced.published.figures)
    rows = []
    for method in reproduced.methods:
        differences = [_judged(method.cell(metric, AVERAGE), marked=True) for metric in metrics]
        ended = ends_text({OK: method.done, **method.failed})
        rows.append((_name(method), Cell(method.verdict, tone=_TONES[method.verdict]), *differences, ended))
    notes = [_claim(reproduced)]
    if reproduced.published.same_data:
        notes.append("A method has the worst verdict of its averages.")
    if any(method.cell(metric, AVERAGE).misprint for method in reproduced.methods for metric in metrics):
        notes.append(f"{MARK} The printed average is not the mean of its rows: see the table of that metric.")
    notes += [f"{method.name}: {note}." for method in reproduced.methods for note in method.notes]
    title = "Averages over tasks, ours minus the paper's, in points"
    return text_sheet(title, ("method", "verdict", *metrics, "runs"), rows, 2, notes=notes)


def _runtime_sheet(methods: Sequence[ReproducedMethod], runtime: PublishedRuntime) -> Sheet:
    paper = _places([figure.mean for figure in runtime.seconds])
    ours = _places([None if m.seconds is None else m.seconds.mean for m in methods])
    rows = [
        (_name(m), _text(figure), p, _plus_minus(m.seconds, numbers.seconds), o)
        for m, figure, p, o in zip(methods, runtime.seconds, paper, ours, strict=True)
    ]
    notes = [_TIMES, runtime.note] if runtime.note else [_TIMES]
    header = ("method", "paper", "place", "ours", "place")
    return text_sheet(f"Seconds of a run, ours beside {runtime.table}", header, rows, stub=1, notes=notes)


def _summary_sheets(reproduced: Reproduced) -> list[Sheet]:
    """The best method under each metric, and the number of methods that are off; the file's closing words come last.

    If the paper had other data, its best method is not shown. Empty if there is nothing to show.
    """
    published, methods = reproduced.published, reproduced.methods
    rows = []
    for metric in published.figures:
        cells = {method.name: method.cell(metric, AVERAGE) for method in methods}
        paper = _lead({name: cell.paper.mean for name, cell in cells.items()}, metric)
        ours = _lead({name: cell.ours.mean for name, cell in cells.items() if cell.ours is not None}, metric)
        if ours is not None and paper is not None:
            winner = Cell("same", tone="good") if ours[0] == paper[0] else Cell("another", tone="bad")
            rows.append((metric, paper[1], ours[1], winner) if published.same_data else (metric, ours[1]))
    done = [method for method in methods if method.done]
    lacking = ", ".join(method.name for method in methods if not method.done)
    notes = [f"Here without {lacking}: no run came to its end."] if lacking else []
    notes += [_off(done)] if published.same_data and done else []
    notes += [published.closing] if published.closing else []
    header = ("metric", "in the paper", "here", "winner") if published.same_data else ("metric", "here")
    title = f"First of {len(methods)} methods by average" if rows else "In short"
    return [text_sheet(title, header, rows, notes=notes)] if rows or notes else []


def _lead(averages: dict[str, float], metric: str) -> tuple[str, str] | None:
    """The method with the best average, and a text on its lead; averages count as they are shown, with two decimals."""
    if len(averages) < 2:
        return None
    shown = {name: round(average, DECIMALS) for name, average in averages.items()}
    first, second = sorted(shown, key=lambda name: shown[name], reverse=greater_is_better(metric))[:2]
    margin = round(abs(shown[first] - shown[second]), DECIMALS)
    before = f"{margin:.{DECIMALS}f} before" if margin else "level with"
    return first, f"{first} {shown[first]:.{DECIMALS}f}, {before} {second}"


def _off(methods: Sequence[ReproducedMethod]) -> str:
    """A sentence on how many methods are off, and in which direction."""
    off = [
        (method.name, (cell.difference > 0) == greater_is_better(cell.metric))
        for method in methods
        for cell in method.cells
        if cell.task == AVERAGE and cell.verdict == OFF and cell.difference is not None
    ]
    count = len(methods)
    if not off:
        return f"None of {count} methods is off in an average." if count > 1 else "No average is off."
    names, better = {name for name, _ in off}, sum(is_better for _, is_better in off)
    said = f"{len(names)} of {count} methods {'is' if len(names) == 1 else 'are'} off in"
    if len(off) == 1:
        return f"{said} one average, which is {'better' if better else 'worse'} than printed."
    which = f"{better} are better than printed and {len(off) - better} worse"
    if better in (0, len(off)):
        which = f"all are {'better' if better else 'worse'} than printed"
    return f"{said} some average; of {'its' if len(names) == 1 else 'their'} {len(off)} averages that are off, {which}."


def _name(method: ReproducedMethod) -> str:
    return f"{method.name} ({ORACLE})" if method.tuned else method.name


def _claim(reproduced: Reproduced) -> str:
    return _SCALE if reproduced.published.same_data else _NO_CLAIM


def _misprint_notes(cells: Sequence[ReproducedCell]) -> list[str]:
    notes = []
    for cell in cells:
        if cell.misprint is not None:
            said = f", and ours is {cell.from_rows:+.2f} from that" if cell.from_rows is not None else ""
            notes.append(
                f"{MARK} {cell.misprint.method}: printed average {cell.misprint.printed:.2f}; the mean of the printed "
                f"rows is {cell.misprint.recomputed:.2f}{said}."
            )
    return notes


def _task(task: str, own: str | None) -> str:
    return task if own is None or own.replace("-", "").lower() == task.lower() else f"{task} {own}"


def _text(figure: Figure) -> str:
    return figure.text.replace("± ", "±")


def _plus_minus(ours: Spread | None, shown: Callable[[float], str]) -> str:
    if ours is None:
        return numbers.MISSING
    return shown(ours.mean) + ("" if ours.sd is None else f" ±{shown(ours.sd)}")


def _judged(cell: ReproducedCell, *, marked: bool = False) -> Cell:
    """The difference with its verdict; without a verdict if the paper had other data."""
    if cell.difference is None:
        return numbers.DASH
    word = "" if cell.verdict == OTHER_SPLIT else f" {cell.verdict}"
    mark = MARK if marked and cell.misprint else ""
    return Cell(f"{round(cell.difference, DECIMALS) + 0.0:+.{DECIMALS}f}{mark}{word}", tone=_TONES[cell.verdict])


def _places(values: Sequence[float | None]) -> list[str]:
    """The place of each value, 1 for the smallest; a dash for None."""
    known = sorted(value for value in values if value is not None)
    return [numbers.MISSING if value is None else str(known.index(value) + 1) for value in values]


def reproduced_rows(reproduced: Reproduced) -> RawRows:
    """A row per method, metric and task, in percent as in the paper, then the seconds as a metric of their own."""
    return RawRows(COLUMNS, _raw_rows(reproduced), quoted=False)


def _raw_rows(reproduced: Reproduced) -> Iterator[dict[str, Any]]:
    published = reproduced.published
    for method in reproduced.methods:
        about = {
            "stream": published.protocol.stream, "source": published.source, "table": published.table,
            "method": method.name, "run_as": method.label, "runs": method.done, "failed": sum(method.failed.values()),
        }  # fmt: skip
        for cell in method.cells:
            yield {**about, **_raw_scores(cell), "own_task": published.tasks.get(cell.task)}
        if method.paper_seconds is not None and published.runtime is not None:
            seconds = _raw_means(method.paper_seconds, method.seconds)
            yield {**about, **seconds, "metric": "seconds", "table": published.runtime.table}


def _raw_scores(cell: ReproducedCell) -> dict[str, Any]:
    return {
        **_raw_means(cell.paper, cell.ours), "metric": cell.metric, "task": cell.task, "difference": cell.difference,
        "verdict": cell.verdict, "mean_of_paper_rows": cell.misprint and cell.misprint.recomputed,
    }  # fmt: skip


def _raw_means(paper: Figure, ours: Spread | None) -> dict[str, Any]:
    sides = {"paper_mean": paper.mean, "paper_sd": paper.sd}
    return sides | {"ours_mean": ours and ours.mean, "ours_sd": ours and ours.sd}
