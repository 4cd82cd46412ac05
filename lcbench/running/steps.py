"""The labels of a step, and the scored Step that is made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from lcbench.records.record import Step, is_scored, parse_evaluate
from lcbench.records.scoring import Drift

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray
    from lcbench.records.scoring import Cell

Row: TypeAlias = dict[str, list[float | None]]  # the scores of all tasks of a stream, by metric
Labels: TypeAlias = "Mapping[str, IntArray]"  # by task


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The labels of one step and what it took: a task was learned, and others were predicted.

    Learning is `partial_fit` and reading `labels_` and `objective_trace_`; pickling the state and unpickling the copy
    that predicts have a time of their own.
    """

    learned: int
    task: str
    learn_seconds: float
    predict_seconds: float
    pickle_seconds: float
    state_bytes: int
    labels: Labels
    objective_trace: list[float | None] | None


class StepScores:
    """Turns the labels of steps into Steps; `score` makes the rows of scores from the labels of several steps."""

    def __init__(self, order: Sequence[str], score: Callable[[Sequence[Labels]], Sequence[Row]], evaluate: str) -> None:
        self._order = order
        self._score = score
        self._every = parse_evaluate(evaluate)
        self._drift = Drift(order)

    def step(self, learned: Learned) -> Step:
        """The scores of a step, and the agreement of its labels with those when each task was learned."""
        return next(self.steps([learned]))

    def steps(self, learned: Sequence[Learned]) -> Iterator[Step]:
        """The scores of steps that follow on each other; each has its share, by cells, of the time that this took.

        They are scored at once. Their rows, as long as the stream, are made when each is asked for.
        """
        start = perf_counter()
        due = [each.labels if is_scored(each.learned, len(self._order), self._every) else {} for each in learned]
        rows = self._score(due)
        cells = [self._drift.cells(each.task, each.labels) for each in learned]
        seconds = (perf_counter() - start) / max(sum(len(each.labels) for each in learned), 1)
        return map(partial(self._made, seconds), learned, rows, cells)

    def _made(self, seconds: float, learned: Learned, scores: Row, cells: Mapping[str, Cell]) -> Step:
        agreement, largest = self._drift.rows(cells)
        return Step(
            learned=learned.learned,
            task=learned.task,
            learn_seconds=learned.learn_seconds,
            predict_seconds=learned.predict_seconds,
            pickle_seconds=learned.pickle_seconds,
            metric_seconds=seconds * len(learned.labels),
            state_bytes=learned.state_bytes,
            scores=scores,
            labels=learned.labels,
            agreement=agreement,
            largest=largest,
            objective_trace=learned.objective_trace,
        )
