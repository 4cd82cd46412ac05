"""Builds the `orders` figure: the effect of the order of tasks on the scores.

With e(r, t) the score of task t at the end of run r, and p(r, t) its place in the order of r, the effect of place p is
the mean of e(r, t) - mean_r' e(r', t) over all r and t with p(r, t) = p: each task is measured against itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns, grouped
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import greater_is_better, is_percent, with_unit
from lcbench.report.figures.captions import each_protocol, failures, sentences
from lcbench.report.figures.chart import Chart, DotPanel, LinePanel, Panel
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import difference_unit, dots, final_average, final_scores, mean_series, shown

MOST_METHODS = 3
LONGEST_NAMED = 10
_CHANCE = "Single-task methods cannot see the order: what differs between their runs is chance"


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart | None]:
    """A figure per stream with methods run in several orders; for each metric the spread and the effect of place."""
    return [_chart(stream, metrics) for stream in selection.streams]


KIND = Kind(
    "orders",
    "the spread over orders, and the effect of a task's place",
    per="stream",
    build=_charts,
    lacking="no method was run in two or more orders of the same tasks",
    options="--order random --repeats 10",
)


def best_and_worst(methods: Sequence[MethodRuns], metric: str) -> str:
    """Names for each method the orders with the best and the worst mean of the averages at the end."""
    sign = 1 if greater_is_better(metric) else -1
    digits = 1 if is_percent(metric) else 3
    found = []
    for method in methods:
        averages = ((run.order, final_average(run, metric)) for run in method.done)
        by_order = grouped((order, average) for order, average in averages if average is not None)
        means = {order: fmean(values) for order, values in by_order.items() if len(order) <= LONGEST_NAMED}
        if len(means) > 1:
            ends = [choose(means, key=lambda order: sign * means[order]) for choose in (max, min)]
            once = ", each run once" if all(len(values) == 1 for values in by_order.values()) else ""
            best, worst = (f"{' → '.join(order)} ({means[order]:.{digits}f})" for order in ends)
            alike = f"{means[ends[0]]:.{digits}f}" == f"{means[ends[1]]:.{digits}f}"
            which = f"{means[ends[0]]:.{digits}f} in each" if alike else f"best {best}, worst {worst}"
            found.append(f"{method.label} in {len(means)} orders{once}: {which}")
    return f"By {metric}, {'; '.join(found)}" if found else ""


def _chart(stream: StreamRuns, metrics: Sequence[str]) -> Chart | None:
    methods = [method for method in stream.methods if len({run.order for run in method.done}) > 1]
    seeing = [method for method in methods if not method.is_single_task]
    panels: list[Panel] = []
    for metric in metrics:
        averages = ((m.label, [final_average(run, metric) for run in m.done]) for m in methods)
        known = ((label, [value for value in values if value is not None]) for label, values in averages)
        rows = tuple(dots(label, values) for label, values in known if values)
        if rows:
            panels.append(DotPanel(f"{metric}: average at the end", with_unit(metric), rows))
            if seeing:
                panels.append(_places(stream.tasks, methods, metric))
    if not panels:
        return None
    return Chart(
        about=(stream.label,),
        title=(f"{methods[0].label} on " if len(methods) == 1 else "")
        + f"{stream.label}: what the order of tasks does",
        subtitle=each_protocol(methods),
        panels=tuple(panels),
        columns=2 if seeing else 1,
        caption=sentences(
            ("Left: a" if seeing else "A")
            + "verages over tasks; a small dot is a run, the large one the mean, the bar ± one standard deviation",
            _right(methods) if seeing else "",
            "" if len(seeing) == len(methods) else _CHANCE + (", so they have no lines" if seeing else ""),
            best_and_worst(seeing, metrics[0]) if len(seeing) <= MOST_METHODS else "",
            failures(stream.methods),
        ),
    )


def _right(methods: Sequence[MethodRuns]) -> str:
    """The sentence of the caption on the panels at the right, the effect of place."""
    lines = "task" if len(methods) == 1 else "method, over its tasks"
    return (
        "Right: how a task's score at the end differs from its own mean, by the place at which it was learned; "
        f"a line is the mean of a {lines}, the band ± one standard deviation"
    )


def _places(tasks: Sequence[str], methods: Sequence[MethodRuns], metric: str) -> LinePanel:
    """The effect of place: a line per method, in the colour that it has on the left, or per task of a single one."""
    if len(methods) == 1:
        effects = _effects(methods[0].done, metric)
        lines = [(i, task, [(p, e) for of, p, e in effects if of == task]) for i, task in enumerate(tasks)]
    else:
        lines = [
            (i, method.label, [(place, effect) for _, place, effect in _effects(method.done, metric)])
            for i, method in enumerate(methods)
            if not method.is_single_task
        ]
    series = tuple(mean_series(name, points, style=i) for i, name, points in lines if points)
    ticks = tuple(sorted({x for line in series for x in line.x}))
    return LinePanel(
        f"{metric}: effect of a task's place",
        "place in the order",
        f"difference ({difference_unit(metric)})",
        series,
        ticks=ticks,
    )


def _effects(runs: Sequence[RunRecord], metric: str) -> list[tuple[str, int, float]]:
    """(task, place, score at the end minus the task's mean) for every task of every run."""
    ends = grouped(
        (task, (run.order.index(task) + 1, shown(metric, score)))
        for run in runs
        for task, score in final_scores(run, metric).items()
    )
    return [
        (task, place, score - fmean(score for _, score in seen)) for task, seen in ends.items() for place, score in seen
    ]
