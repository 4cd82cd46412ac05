"""Compares our runs with a paper's figures: within 2 points, near or off; misprints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.table import Figure, Published
from lcbench.analysis.run_scores import AVERAGE, END, Spread, task_scores
from lcbench.records.record import OK, RunRecord
from lcbench.registry.names import format_entry

PERCENT = 100.0
WITHIN_POINTS = 2.0
NEAR_POINTS = 5.0
DECIMALS = 2
WITHIN, NEAR, OFF = f"within {WITHIN_POINTS:g}", "near", "off"
OTHER_SPLIT, MISSING = "other split", "no result"
_FROM_BEST = (WITHIN, NEAR, OFF, OTHER_SPLIT, MISSING)
TOLERANCE = 0.015
"""The largest difference of a printed average to the mean of its printed rows that rounding can explain.

Figures have two decimals. Rounding moves every row by up to 0.005, and so their mean; an average that was cut off
after two decimals instead of rounded is up to 0.01 too small. Together that is 0.015: an average that is further away
was not computed from these rows.
"""
_FLOAT_NOISE = 1e-9


class Misprint(NamedTuple):
    """A printed average, and the mean of the rows it should be the average of."""

    metric: str
    method: str
    printed: float
    recomputed: float


@dataclass(frozen=True, slots=True)
class ReproducedCell:
    """A printed figure and ours, in percent; `difference` is ours minus the paper's.

    `misprint` is set for a printed average that is not the mean of its rows. `ours` is None if no run succeeded.
    """

    metric: str
    task: str
    paper: Figure
    ours: Spread | None
    verdict: str
    misprint: Misprint | None = None

    @property
    def difference(self) -> float | None:
        """Our mean minus the printed figure."""
        return None if self.ours is None else self.ours.mean - self.paper.mean

    @property
    def from_rows(self) -> float | None:
        """Our mean minus the mean of the rows above a misprinted average."""
        return None if self.ours is None or self.misprint is None else self.ours.mean - self.misprint.recomputed


@dataclass(frozen=True, slots=True)
class ReproducedMethod:
    """A method of the paper: the method it was run as (`label`), how its runs ended, and its cells.

    Every table that shows it has its `notes`; `seconds` is the time that learning all tasks took.
    """

    name: str
    label: str
    tuned: bool
    notes: tuple[str, ...]
    done: int
    failed: Mapping[str, int]
    cells: tuple[ReproducedCell, ...]
    seconds: Spread | None
    paper_seconds: Figure | None

    def cell(self, metric: str, task: str) -> ReproducedCell:
        """The cell of a metric and a task of the paper, or `average`."""
        return next(cell for cell in self.cells if (cell.metric, cell.task) == (metric, task))

    @property
    def verdict(self) -> str:
        """The worst verdict of its averages."""
        return worst(cell.verdict for cell in self.cells if cell.task == AVERAGE)


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A table of a paper, with our results beside it."""

    reproduction: Reproduction
    methods: tuple[ReproducedMethod, ...]

    @property
    def published(self) -> Published:
        """The figures that the paper prints."""
        return self.reproduction.published


def compare_with_paper(reproduction: Reproduction, runs: Sequence[RunRecord]) -> Reproduced:
    """Compare `runs` with the paper's figures: each task, and their average, after all tasks were learned."""
    made = [_method(reproduction, name, reproduction.runs_of(name, runs)) for name in reproduction.published.methods]
    return Reproduced(reproduction, tuple(made))


def misprint(published: Published, metric: str, method: str) -> Misprint | None:
    """The misprint in a method's average, if it is further from the mean of its rows than `TOLERANCE`."""
    printed = published.figure(metric, AVERAGE, method).mean
    recomputed = fmean(published.figure(metric, task, method).mean for task in published.tasks)
    wrong = abs(printed - recomputed) > TOLERANCE + _FLOAT_NOISE
    return Misprint(metric, method, printed, recomputed) if wrong else None


def verdict(difference: float | None, *, same_data: bool) -> str:
    """`within 2` up to 2 points of difference, `near` up to 5, else `off`; no such claim about other data.

    Differences count as they are shown, with two decimals.
    """
    if difference is None:
        return MISSING
    if not same_data:
        return OTHER_SPLIT
    size = abs(round(difference, DECIMALS))
    return WITHIN if size <= WITHIN_POINTS else NEAR if size <= NEAR_POINTS else OFF


def worst(verdicts: Iterable[str]) -> str:
    """The worst of some verdicts, which is that of all of them together."""
    return max(verdicts, key=_FROM_BEST.index)


def _method(reproduction: Reproduction, name: str, runs: Sequence[RunRecord]) -> ReproducedMethod:
    published = reproduction.published
    done = [run for run in runs if run.status == OK]
    cells = [_cell(published, metric, task, name, done) for metric, rows in published.figures.items() for task in rows]
    runtime = published.runtime
    return ReproducedMethod(
        name=name,
        label=runs[0].label if runs else reproduction.entries[name].label,
        tuned=reproduction.tuned(name),
        notes=_notes(done),
        done=len(done),
        failed=Counter(run.status for run in runs if run.status != OK),
        cells=tuple(cells),
        seconds=Spread.of([sum(run.learn_seconds) for run in done]),
        paper_seconds=None if runtime is None else runtime.seconds[published.column(name)],
    )


def _notes(done: Sequence[RunRecord]) -> tuple[str, ...]:
    """The notes of a method's runs, and the parameters that tuning chose for it."""
    notes = {run.note: None for run in done if run.note}
    chosen = {format_entry("", run.choice["params"])[1:]: None for run in done if run.choice is not None}
    return (*notes, *(f"chosen: {text}" for text in chosen))


def _cell(published: Published, metric: str, task: str, method: str, done: Sequence[RunRecord]) -> ReproducedCell:
    paper = published.figure(metric, task, method)
    tasks = list(published.tasks.values())
    values = [task_scores(run, metric, END, tasks).get(published.tasks.get(task)) for run in done]
    ours = Spread.of([None if value is None else PERCENT * value for value in values])
    difference = None if ours is None else ours.mean - paper.mean
    wrong = misprint(published, metric, method) if task == AVERAGE else None
    return ReproducedCell(metric, task, paper, ours, verdict(difference, same_data=published.same_data), wrong)
