"""The main loop of a run: learn each arriving task, then label all tasks so far."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from lcbench.contract.clusterer import OUTPUTS, Clusterer
from lcbench.contract.metric import Metric
from lcbench.contract.stream import check_tasks
from lcbench.contract.task import IntArray, LabelledTask, Task
from lcbench.errors import ContractError, ParameterError
from lcbench.records.record import Step, is_scored, parse_evaluate
from lcbench.records.scoring import finite_or_none, score_row
from lcbench.running.randomness import preserved_generators
from lcbench.running.steps import Learned, StepScores

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
    """Hand `tasks` to `method` one by one, here in this process, and yield a Step after each, scored by `metrics`.

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
    check_tasks("replay", tasks)
    if not isinstance(method, Clusterer) or not isinstance(metrics, Mapping):
        raise ParameterError("replay takes an instance of Clusterer, tasks, and a mapping from names to metrics.")
    order = [labelled.name for labelled in tasks]
    scores = StepScores(order, lambda steps: [score_row(metrics, tasks, labels) for labels in steps], evaluate)
    for learned in learning(
        method, len(tasks), lambda i: tasks[i].task, evaluate=evaluate, future=future, hand_over=hand_over
    ):
        with preserved_generators():
            step = scores.step(learned)
        yield step


def learning(
    method: Clusterer,
    total: int,
    task_at: Callable[[int], Task],
    *,
    evaluate: str = "all",
    future: bool = False,
    hand_over: HandOver = nullcontext,
    committed: Callable[[IntArray], None] = lambda labels: None,
) -> Iterator[Learned]:
    """Hand `total` tasks to `method` one by one and yield its labels after each.

    `task_at` is asked for a task when it is due, and not before; `committed` gets the labels of a task just learned,
    before any other is asked for.
    """
    every = parse_evaluate(evaluate)
    predictions = _Predictions(hand_over)
    for i in range(total):
        with hand_over(task_at(i)) as task:
            labels, trace, learn_seconds = learn(method, task)
        committed(labels)
        start = perf_counter()
        state = pickled_state(method)
        pickle_seconds = perf_counter() - start

        scored = is_scored(i + 1, total, every)
        later = range(i + 1, total) if future and method.predicts_unseen else ()
        others = [task_at(j) for j in (*range(i), *later)] if scored else []
        predicted, predict_seconds, unpickle_seconds = predictions.of(state, others)

        yield Learned(
            learned=i + 1,
            task=task.name,
            learn_seconds=learn_seconds,
            predict_seconds=predict_seconds,
            pickle_seconds=pickle_seconds + unpickle_seconds,
            state_bytes=len(state),
            labels={task.name: labels, **predicted},
            objective_trace=trace,
        )


def learn(method: Clusterer, task: Task) -> tuple[IntArray, list[float | None] | None, float]:
    """Let a method learn a task: its labels, its objectives, and the seconds it took to get them."""
    for name in OUTPUTS:  # so that the labels of the task before cannot pass for this one's
        method.__dict__.pop(name, None)
    start = perf_counter()
    method.partial_fit(task)
    labels = checked_labels(method, task, getattr(method, "labels_", None), "partial_fit")
    trace = objective_trace(method)
    return labels, trace, perf_counter() - start


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
    copy = array.astype(np.int64)
    copy.flags.writeable = False
    return copy


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

    def of(self, state: bytes, tasks: Sequence[Task]) -> tuple[dict[str, IntArray], float, float]:
        """The labels of `tasks` by name, the seconds spent in `predict`, and those spent on unpickling the copy."""
        if state != self._state:
            self._state, self._labels = state, {}
        new = [task for task in tasks if task.name not in self._labels]
        unpickling = predicting = 0.0
        if new:
            with preserved_generators():
                start = perf_counter()
                copy = pickle.loads(state)
                unpickling = perf_counter() - start
                predicting = self._predict(copy, new)
        return {task.name: self._labels[task.name] for task in tasks}, predicting, unpickling

    def _predict(self, copy: Clusterer, tasks: Sequence[Task]) -> float:
        seconds = 0.0
        for original in tasks:
            with self._hand_over(original) as task:
                start = perf_counter()
                self._labels[task.name] = checked_labels(copy, task, copy.predict(task), "predict")
                seconds += perf_counter() - start
        return seconds
