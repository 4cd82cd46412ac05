"""The main loop of a run: learn each arriving task, then score all tasks so far."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

import numpy as np

from lcbench.contract.clusterer import OUTPUTS, Clusterer
from lcbench.contract.metric import Metric
from lcbench.contract.stream import check_tasks
from lcbench.contract.task import IntArray, LabelledTask, Task
from lcbench.errors import ContractError, ParameterError
from lcbench.records.record import Step, is_scored, parse_evaluate
from lcbench.records.scoring import agreement_row, finite_or_none, score_row
from lcbench.running.randomness import preserved_generators

HandOver: TypeAlias = Callable[[Task], AbstractContextManager[Task]]


def replay(
    method: Clusterer,
    tasks: Sequence[LabelledTask],
    metrics: Mapping[str, Metric],
    *,
    evaluate: str = "all",
    future: bool = False,
    hand_over: HandOver = nullcontext,
) -> Iterator[Step]:
    """Hand `tasks` to `method` one by one and yield a Step after each.

    The task just learned is scored from `labels_`. Earlier tasks (with `future` also later ones, if the method predicts
    unseen tasks) are scored from `predict` on a copy of the method that is thrown away, so that scoring teaches it
    nothing. As long as its state stays the same, a method is asked about each task only once. `hand_over` is entered
    around each learning and each prediction, and gives the task that the method gets to see.

    Examples
    --------
    >>> import lcbench
    >>> tasks = lcbench.load_stream("digits").tasks()
    >>> purity = {"purity": lcbench.load_metric("purity")}
    >>> for step in lcbench.replay(lcbench.load_method("one-cluster"), tasks, purity):
    ...     print(step.learned, step.task, step.scores["purity"])
    1 task-1 [0.25, None, None, None]
    2 task-2 [0.25, 0.25, None, None]
    3 task-3 [0.25, 0.25, 0.25, None]
    4 task-4 [0.25, 0.25, 0.25, 0.25]
    """
    every = parse_evaluate(evaluate)
    check_tasks("replay", tasks)
    if not isinstance(method, Clusterer) or not isinstance(metrics, Mapping):
        raise ParameterError("replay takes an instance of Clusterer, tasks, and a mapping from names to metrics.")
    predictions = _Predictions(hand_over)
    order = [labelled.name for labelled in tasks]
    learned: dict[str, IntArray] = {}
    for i, labelled in enumerate(tasks):
        with hand_over(labelled.task) as task:
            learn_seconds = learn(method, task)
            labels = {task.name: learned_labels(method, task)}
            trace = objective_trace(method)
        learned |= labels
        state = pickled_state(method)

        scored = is_scored(i + 1, len(tasks), every)
        others = [*tasks[:i], *(tasks[i + 1 :] if future and method.predicts_unseen else ())] if scored else []
        with preserved_generators():
            predicted, predict_seconds = predictions.of(state, [other.task for other in others])
            labels |= predicted
            start = time.perf_counter()
            scores = score_row(metrics, tasks, labels if scored else {})
            agreement = agreement_row(order, learned, labels)
            metric_seconds = time.perf_counter() - start

        yield Step(
            learned=i + 1,
            task=labelled.name,
            learn_seconds=learn_seconds,
            predict_seconds=predict_seconds,
            metric_seconds=metric_seconds,
            state_bytes=len(state),
            scores=scores,
            labels=labels,
            agreement=agreement,
            objective_trace=trace,
        )


def learn(method: Clusterer, task: Task) -> float:
    """Let a method learn a task, and return the seconds it took."""
    for name in OUTPUTS:  # so that the labels of the task before cannot pass for this one's
        method.__dict__.pop(name, None)
    start = time.perf_counter()
    method.partial_fit(task)
    return time.perf_counter() - start


def learned_labels(method: Clusterer, task: Task) -> IntArray:
    """The labels that a method set for the task just learned, checked."""
    return checked_labels(method, task, getattr(method, "labels_", None), "partial_fit")


def checked_labels(method: Clusterer, task: Task, labels: Any, source: str) -> IntArray:
    """A copy of `labels` as integers; ContractError if their shape or type breaks the contract."""
    who = f"Method {type(method).__name__} of module {type(method).__module__}"
    if labels is None:
        said = "set no labels_" if source == "partial_fit" else "returned nothing"
        raise ContractError(f"{who} broke its contract: {source} {said} for task '{task.name}'.")
    array = np.asarray(labels)
    if array.ndim != 1 or len(array) != task.n_samples:
        raise ContractError(
            f"{who} broke its contract: {source} gave labels of shape {array.shape} for the {task.n_samples} samples "
            f"of task '{task.name}'."
        )
    if array.dtype.kind not in "iu":
        raise ContractError(
            f"{who} broke its contract: {source} gave labels of type {array.dtype} for task '{task.name}'; "
            "labels are integers."
        )
    return array.astype(np.int64)


def pickled_state(method: Clusterer) -> bytes:
    """The pickled method, as it goes on to the next task; ContractError if it cannot be pickled."""
    try:
        return pickle.dumps(method, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ContractError(
            f"Method {type(method).__name__} of module {type(method).__module__} broke its contract: its state cannot "
            f"be pickled ({type(error).__name__}: {error})."
        ) from error


def objective_trace(method: Clusterer) -> list[float | None] | None:
    """The objective per iteration of the task just learned, None where it is not finite; None if there is none."""
    trace = getattr(method, "objective_trace_", None)
    return None if trace is None else [finite_or_none(float(value)) for value in trace]


class _Predictions:
    """The predictions of a pickled state, cached: `predict` is deterministic, so one answer per state is enough."""

    def __init__(self, hand_over: HandOver) -> None:
        self._hand_over = hand_over
        self._state = b""
        self._labels: dict[str, IntArray] = {}

    def of(self, state: bytes, tasks: Sequence[Task]) -> tuple[dict[str, IntArray], float]:
        """The labels of `tasks` by name, and the seconds spent in `predict`."""
        if state != self._state:
            self._state, self._labels = state, {}
        new = [task for task in tasks if task.name not in self._labels]
        seconds = self._predict(pickle.loads(state), new) if new else 0.0
        return {task.name: self._labels[task.name] for task in tasks}, seconds

    def _predict(self, copy: Clusterer, tasks: Sequence[Task]) -> float:
        seconds = 0.0
        for original in tasks:
            with self._hand_over(original) as task:
                start = time.perf_counter()
                predicted = copy.predict(task)
                seconds += time.perf_counter() - start
                self._labels[task.name] = checked_labels(copy, task, predicted, "predict")
        return seconds
