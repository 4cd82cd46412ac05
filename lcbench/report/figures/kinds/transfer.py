"""Builds the `transfer` figure: which task helps which, as a heat map.

The runs are those in orders with one task left out. The effect of task a on task b is the score of b at the end of an
order minus its score at the end of the same order without a, with the same seed and repeat; the mean over all such
pairs of runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean
from typing import TypeAlias

from lcbench.analysis.selection import MethodRuns, Selection, StreamRuns, grouped, run_key
from lcbench.printable import counted
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import greater_is_better
from lcbench.report.figures.captions import failures, protocol, sentences
from lcbench.report.figures.chart import MOST_NUMBERED, MOST_WITH_SPREAD, Chart, HeatPanel
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import difference_unit, final_scores, own_methods, shown, spread

LEAST_TO_JUDGE = 3
STANDARD_ERRORS = 2
_FLOAT_NOISE = 1e-9
Pair: TypeAlias = tuple[str, RunRecord, RunRecord]


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart | None]:
    """A figure per stream and method that was run with each task left out, with a panel per metric."""
    return [_chart(stream, method, metrics) for stream in selection.streams for method in own_methods(stream, named)]


KIND = Kind(
    "transfer",
    "who helps whom, from orders with one task left out",
    per="stream and method",
    build=_charts,
    lacking="there are no runs in the same order with and without a task",
    options="--order leave-one-out --repeats 5",
    parts=True,
)


def left_out_pairs(runs: Sequence[RunRecord], tasks: Sequence[str]) -> list[Pair]:
    """Pairs each run over all tasks with the same run without one task: (task left out, whole run, shorter run)."""
    parts = {run_key(run): run for run in runs}
    pairs = []
    for run in runs:
        for i, task in enumerate(run.order if set(run.order) == set(tasks) else ()):
            part = parts.get((run.seed, run.repeat, run.order[:i] + run.order[i + 1 :]))
            if part is not None:
                pairs.append((task, run, part))
    return pairs


def _chart(stream: StreamRuns, method: MethodRuns, metrics: Sequence[str]) -> Chart | None:
    pairs = left_out_pairs(method.done, stream.tasks)
    panels = [
        _panel(stream.tasks, pairs, metric) for metric in metrics if any(metric in part.scores for _, _, part in pairs)
    ]
    if not pairs or not panels:
        return None
    count = len(stream.tasks)
    spread_shown = count <= MOST_WITH_SPREAD and len(pairs) > count
    bold = f"Bold: the mean is more than {STANDARD_ERRORS} standard errors from zero, a hint and no test"
    less = [metric for metric in metrics if not greater_is_better(metric)]
    return Chart(
        about=(stream.label, method.label),
        title=f"{method.label} on {stream.label}: who helps whom",
        subtitle=protocol(list({whole.run_id: whole for _, whole, _ in pairs}.values())),
        panels=tuple(panels),
        columns=len(panels) if count <= MOST_WITH_SPREAD else 1,
        caption=sentences(
            "A cell: the score at the end of the task in the column, with the task in the row in the stream minus "
            f"without it; mean{' ± standard deviation' if spread_shown else ''} over {_counts(pairs)}",
            f"Under {' and '.join(less)} less is better: there a negative number is help" if less else "",
            bold if count <= MOST_NUMBERED and any(panel.clear for panel in panels) else "",
            "The numbers have no room in so many cells" if count > MOST_NUMBERED else "",
            failures([method]),
        ),
    )


def _panel(tasks: Sequence[str], pairs: Sequence[Pair], metric: str) -> HeatPanel:
    scores = [(task, final_scores(part, metric), final_scores(whole, metric)) for task, whole, part in pairs]
    effects = grouped(
        ((task, other), shown(metric, after[other] - before[other]))
        for task, before, after in scores
        for other in before.keys() & after.keys()
    )
    rows = [[effects.get((a, b), []) for b in tasks] for a in tasks]
    return HeatPanel(
        title=metric,
        row_label="this task in the stream ...",
        column_label="... changes the score of this one",
        unit=f"change ({difference_unit(metric)})",
        names=tuple(tasks),
        cells=tuple(tuple(fmean(cell) if cell else None for cell in row) for row in rows),
        spread=tuple(tuple(spread(cell) if len(cell) > 1 else None for cell in row) for row in rows),
        clear=frozenset((i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if _is_clear(cell)),
    )


def _is_clear(effects: Sequence[float]) -> bool:
    """True if the mean of three or more effects is more than two standard errors, s / sqrt(n), from zero."""
    if len(effects) < LEAST_TO_JUDGE:
        return False
    return abs(fmean(effects)) > STANDARD_ERRORS * spread(effects) / sqrt(len(effects)) + _FLOAT_NOISE


def _counts(pairs: Sequence[Pair]) -> str:
    tasks = [task for task, _, _ in pairs]
    counts = sorted({tasks.count(task) for task in tasks})
    return counted(counts[0], "pair") + " of runs" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} pairs of runs"
