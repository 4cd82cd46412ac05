"""Tables of what other tasks bring: parts that add up, curves by and since arrival."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lcbench.analysis.compare import ComparedStream
from lcbench.analysis.differences import Difference
from lcbench.analysis.selection import Selection, StreamRuns, grouped
from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import (
    BACKWARD,
    FIRST,
    FORWARD,
    GAIN,
    NEGATIVE,
    OWN,
    POSITIVE,
    TOTAL,
    Transfer,
    curves_of,
    direction,
)
from lcbench.printable import counted
from lcbench.records.formulas import FORMULAS
from lcbench.registry.metrics import is_percent
from lcbench.report import numbers
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

FEW_ORDERS = 10
UNSURE = "?"
TONES = {"": "", NEGATIVE: "bad", POSITIVE: "good"}
_FLAGS = {"": "", NEGATIVE: "NEGATIVE", POSITIVE: "positive"}
_PARTS = (FORWARD, BACKWARD, TOTAL)
_HEADINGS = {FORWARD: "forward", BACKWARD: "backward", TOTAL: "total"}
_COLUMNS = {**_HEADINGS, OWN: "own", GAIN: "gain"}


def transfer_sheet(stream: ComparedStream, metrics: Sequence[str]) -> list[Sheet]:
    """A row per method and metric: alone, and what the tasks before and after bring; no table without solo runs."""
    found = [(m, metric, stream.transfer.get((m.label, metric))) for m in stream.methods for metric in metrics]
    shown = [(method, metric, own) for method, metric, own in found if own is not None]
    if not shown:
        return []
    gains = any(GAIN in own.parts for _, _, own in shown)
    rows: list[tuple[object, ...]] = []
    rules, last = [], None
    for method, metric, own in shown:
        if last not in (None, method.label) and len(metrics) > 1:
            rules.append(len(rows))
        head = ("" if last == method.label else method.label, *([metric] if len(metrics) > 1 else []))
        rows.append((*head, *_cells(metric, own), *(_gains(metric, own, method.baseline) if gains else ())))
        last = method.label
    header = [
        "method", *(["metric"] if len(metrics) > 1 else []), "solo", *(_HEADINGS[name] for name in _PARTS), "interval",
        "transfer", *(["own", "gain", "over"] if gains else []),
    ]  # fmt: skip
    unit = " in percent" if all(map(is_percent, metrics)) else ""
    of = f" by {metrics[0]}" if len(metrics) == 1 else ""
    title = f"{stream.label}: what other tasks bring{of}{unit}, means over tasks and runs"
    return [text_sheet(title, header, rows, 1 + (len(metrics) > 1), rules=rules, give_way=("over",))]


def transfer_notes(streams: Sequence[ComparedStream], *, short: bool = False) -> list[str]:
    """The notes below the tables of transfer, once for all of them.

    If `short`, only what the columns are, and where the noise of the seed is larger than the transfer.
    """
    found = [own for stream in streams for own in stream.transfer.values()]
    if not found:
        return []
    columns = (
        "Solo: each task alone. Total = forward (at arrival - solo) + backward (after all - at arrival); "
        "gain = own + total."
    )
    few = any(own.flag and own.orders < FEW_ORDERS for own in found)
    doubt = f" {UNSURE}: with fewer than {FEW_ORDERS} orders an interval is too narrow to lean on." if few else ""
    fewer = [
        f"{method.label}: transfer is over {own.runs} of {method.done} runs, those with solo runs and all scores."
        for stream in streams
        for method in stream.methods
        for metric in ([stream.first.metric] if stream.first is not None else [])
        if (own := stream.transfer.get((method.label, metric))) is not None and own.runs < method.done
    ]
    noise = grouped(_noise(stream, all_of_it=not short) for stream in streams if stream.first is not None)
    noises = [f"{text}." for text in noise if text]
    if short:
        return [columns + doubt, *noises, *fewer]
    notes = [
        columns,
        f"The {100 * streams[0].confidence:g} % interval is that of the total. Transfer is NEGATIVE or positive where "
        "all of it is on the worse or the better side of zero; flags are not corrected for how many there are."
        f"{doubt}",
        "Own: what the method brings by itself, solo minus its single-task baseline.",
    ]
    return [*notes, *noises, *fewer]


def transfer_ids(streams: Sequence[ComparedStream]) -> list[str]:
    """The columns of the tables of transfer, each with the id of its formula; empty if there are none."""
    found = {name for stream in streams for own in stream.transfer.values() for name in own.parts}
    return [f"{heading} {formula.id}" for formula in FORMULAS if (heading := _COLUMNS.get(formula.name))
            and formula.name in found]  # fmt: skip


def _noise(stream: ComparedStream, *, all_of_it: bool) -> tuple[str, str]:
    """The part of forward that belongs to the task that arrived first, which nothing came before.

    Unless `all_of_it` is wanted, for the methods alone where it is larger than the total.
    """
    metric = stream.first.metric if stream.first is not None else ""
    said = [
        f"{label} {numbers.score(metric, own.parts[FIRST].mean, signed=True)}"
        for (label, key), own in stream.transfer.items()
        if key == metric and (all_of_it or abs(own.parts[FIRST].mean) > abs(own.parts[TOTAL].mean))
    ]
    text = f"Forward of the task that arrived first is noise of the seed ({stream.label}, {metric}): {', '.join(said)}"
    return (text if said else "", stream.label)


def _cells(metric: str, own: Transfer) -> list[object]:
    total = own.parts[TOTAL]
    colour = tone(metric, total)
    unsure = UNSURE if own.flag and own.orders < FEW_ORDERS else ""
    return [
        numbers.score(metric, own.solo),
        *(numbers.score(metric, own.parts[name].mean, signed=True) for name in (FORWARD, BACKWARD)),
        Cell(numbers.score(metric, total.mean, signed=True), tone=colour),
        numbers.interval(metric, total.low, total.high),
        Cell(_FLAGS[own.flag] + unsure, tone=colour),
    ]


def _gains(metric: str, own: Transfer, baseline: str | None) -> list[object]:
    if GAIN not in own.parts:
        return [numbers.DASH, numbers.DASH, ""]
    return [*(numbers.score(metric, own.parts[name].mean, signed=True) for name in (OWN, GAIN)), baseline or ""]


def curve_sheet(selection: Selection, stream: StreamRuns, metric: str, confidence: float) -> list[Sheet]:
    """Two rows per method that could learn from other tasks: by arrival, and since arrival; none without such methods.

    A number is coloured where its interval is on one side of zero and it does not read as zero.
    """
    rows: list[tuple[object, ...]] = []
    width = 0
    for method in stream.done:
        if method.is_single_task:
            continue
        found = curves_of(method, selection, metric, confidence)
        for name, curve in (("by arrival", found.by_arrival), ("since arrival", found.since_arrival)):
            if curve:
                width = max(width, len(curve))
                points = [_point(metric, point) for point in curve]
                points[0] = replace(points[0], tone="")  # nothing came before, or since: what it shows is noise
                label = method.label if name == "by arrival" or not found.by_arrival else ""
                rows.append((label, name, *points))
    if not rows:
        return []
    filled = [(*row, *[""] * (width + 2 - len(row))) for row in rows]
    orders = len({run.order for method in stream.done for run in method.done})
    title = (
        f"{stream.label}: {metric} that other tasks add, by tasks known at arrival and by tasks learned since, "
        f"{counted(orders, 'order')}"
    )
    header = ("method", "change", *map(str, range(width)))
    columns = list(range(1, width - 1))
    give_way = sorted(columns, key=lambda c: ((width - 1 - c) & -(width - 1 - c), c))  # every other column first
    return [text_sheet(title, header, filled, 2, give_way=map(str, give_way))]


def _point(metric: str, point: Interval) -> Cell:
    return Cell(numbers.score(metric, point.mean, signed=True), tone=tone(metric, point))


def tone(metric: str, found: Interval | Difference) -> str:
    """The tone of a mean whose interval is on one side of zero."""
    return TONES[direction(found, metric)]
