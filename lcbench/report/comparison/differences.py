"""Tables of the differences to a reference method, its gains or losses, with interval and p."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lcbench.analysis.compare import ComparedStream
from lcbench.analysis.differences import Difference
from lcbench.analysis.run_scores import AVERAGE
from lcbench.analysis.selection import grouped
from lcbench.analysis.statistics import LEAST_PAIRS
from lcbench.contract.specs import Setting
from lcbench.printable import counted
from lcbench.registry.metrics import greater_is_better, is_percent
from lcbench.report import numbers
from lcbench.report.comparison.scores import shown_tasks, tasks_note
from lcbench.report.comparison.transfer import FEW_ORDERS, tone
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

_RESAMPLED = {
    "orders": "The {:g} % interval resamples the orders (bootstrap).",
    "repeats": "There is one order: the {:g} % interval resamples its repeats (bootstrap), not orders.",
    "orders and repeats": "The {:g} % interval resamples the orders, and in each its repeats (hierarchical bootstrap).",
}


def difference_sheets(stream: ComparedStream, metrics: Sequence[str], against: str) -> list[Sheet]:
    """A table per metric: a row per method and task, and one for the method's average with the test."""
    if stream.reference is None:
        note = f"There are no runs of {against} on {stream.label}."
        return [text_sheet(f"{stream.label}: differences to {against}", ("method",), (), notes=[note])]
    return [_sheet(stream, metric, last=metric == metrics[-1]) for metric in metrics]


def _sheet(stream: ComparedStream, metric: str, *, last: bool) -> Sheet:
    rows: list[tuple[object, ...]] = []
    rules: list[int] = []
    others = [method.label for method in stream.methods if method.label != stream.reference]
    alone = {method.label for method in stream.methods if method.setting == Setting.SINGLE_TASK.value}
    for label in others:
        if rows:
            rules.append(len(rows))
        has_pairs = any((label, metric, task) in stream.differences for task in (*stream.tasks, None))
        for i, task in enumerate(shown_tasks(stream) if has_pairs else (None,)):
            name = AVERAGE if task is None else task
            found = stream.differences.get((label, metric, task))
            cells = _cells(metric, found, average=task is None, coloured=label not in alone)
            rows.append((label if i == 0 else "", name, *cells))
    header = ("method", "task", "gain", f"{100 * stream.confidence:g} % interval", "p", "Holm")
    title = f"{stream.label}: {metric} minus that of {stream.reference}"
    if is_percent(metric):
        title += ", in percentage points"
    notes = (*_own_notes(stream, metric, others), *(_notes(stream, metric) if last else ()))
    return text_sheet(title, header, rows, 2, rules=rules, notes=notes)


def _cells(metric: str, found: Difference | None, *, average: bool, coloured: bool) -> list[object]:
    if found is None:
        return [numbers.DASH] * 4
    return [
        Cell(numbers.score(metric, found.mean, signed=True, finer=True), tone=tone(metric, found) if coloured else ""),
        numbers.DASH if found.low is None else numbers.interval(metric, found.low, found.high, finer=True),
        numbers.p_value(found.p_value) if average else "",
        numbers.p_value(found.p_holm) if average else "",
    ]


def _own_notes(stream: ComparedStream, metric: str, others: Sequence[str]) -> list[str]:
    """Notes on the numbers of one metric: its direction, zero differences, reasons for a missing p."""
    found = {label: own for label in others if (own := stream.differences.get((label, metric, None))) is not None}
    notes = [] if greater_is_better(metric) else [f"Less {metric} is better, so a difference above zero is worse."]
    notes += [
        f"{label}: {own.zeros} of {own.orders} differences are zero, and the test leaves them out."
        for label, own in found.items()
        if own.zeros and not own.reason
    ]
    reasons = grouped((own.reason, label) for label, own in found.items() if own.reason)
    return notes + [f"No p for {', '.join(labels)}: {reason}." for reason, labels in reasons.items()]


def _notes(stream: ComparedStream, metric: str) -> list[str]:
    """Notes on the tables of all metrics: pairs, intervals, few orders, p."""
    found = [d for (_, key, _), d in stream.differences.items() if key == metric]
    if not found:
        return [f"No run has a partner: no two have the same order, seed and repeat as one of {stream.reference}."]
    averages = {label: d for (label, key, task), d in stream.differences.items() if (key, task) == (metric, None)}
    notes = _said_once((_pairs(own, stream.reference), label) for label, own in averages.items())
    notes += _said_once(
        (_RESAMPLED[own.resampled].format(100 * stream.confidence), label)
        for label, own in averages.items()
        if own.low is not None
    )
    if any(d.low is not None and d.orders < FEW_ORDERS for d in found):
        notes.append(
            f"With fewer than {FEW_ORDERS} orders an interval is too narrow, the more so the fewer there are: do not "
            "lean on it."
        )
    notes.append(
        f"A gain over {stream.reference} is no transfer: another method differs in more than the tasks it has seen."
    )
    notes.append(
        "p: Wilcoxon's signed-rank test, one value per order (mean over repeats, average over tasks), from "
        f"{LEAST_PAIRS} orders on; Holm: corrected for the number of methods that have a p. Orders of one stream are "
        "not independent data sets: p speaks of other orders of this stream, not of other streams nor of this one "
        f"prepared otherwise.{_least_p(found)}"
    )
    return [*notes, *tasks_note(stream)]


def _said_once(said: Iterable[tuple[str, str]]) -> list[str]:
    """From pairs of text and label: a note for all methods, or one for each group if not the same is said of all."""
    labels = grouped(said)
    return list(labels) if len(labels) < 2 else [f"{', '.join(group)}: {text}" for text, group in labels.items()]


def _pairs(found: Difference, reference: str | None) -> str:
    pairs = f"{counted(found.pairs, 'pair')} in {counted(found.orders, 'order')}"
    return f"{pairs}, each a run beside that of {reference} with the same order, seed and repeat."


def _least_p(found: Sequence[Difference]) -> str:
    """A sentence on the smallest p that is possible with so many orders."""
    tested = [d.orders - d.zeros for d in found if d.p_value is not None]
    return f" With {max(tested)} orders no p is below {2 / 2 ** max(tested):.2g}." if tested else ""
