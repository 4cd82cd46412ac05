"""The labels of a step, and the scored Step that is made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from lcbench.records.record import Step, is_scored, parse_evaluate
from lcbench.records.scoring import agreement_row, largest_shares

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray

Row: TypeAlias = dict[str, list[float | None]]  # the scores of all tasks of a stream, by metric


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
    labels: Mapping[str, IntArray]
    objective_trace: list[float | None] | None


class StepScores:
    """Turns the labels of step after step into Steps; `score` makes the row of scores from labels by task."""

    def __init__(self, order: Sequence[str], score: Callable[[Mapping[str, IntArray]], Row], evaluate: str) -> None:
        self._order = order
        self._score = score
        self._every = parse_evaluate(evaluate)
        self._first: dict[str, IntArray] = {}

    def step(self, learned: Learned) -> Step:
        """The scores of a step, and the agreement of its labels with those when each task was learned."""
        self._first[learned.task] = learned.labels[learned.task]
        scored = is_scored(learned.learned, len(self._order), self._every)
        start = perf_counter()
        scores = self._score(learned.labels if scored else {})
        agreement = agreement_row(self._order, self._first, learned.labels)
        return Step(
            learned=learned.learned,
            task=learned.task,
            learn_seconds=learned.learn_seconds,
            predict_seconds=learned.predict_seconds,
            pickle_seconds=learned.pickle_seconds,
            metric_seconds=perf_counter() - start,
            state_bytes=learned.state_bytes,
            scores=scores,
            labels=learned.labels,
            agreement=agreement,
            largest=largest_shares(self._order, learned.labels),
            objective_trace=learned.objective_trace,
        )
