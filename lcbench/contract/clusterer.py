"""The interface of a clustering method: `partial_fit` learns, `predict` labels a task.

It imports scikit-learn, so it is loaded only when a method is built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from lcbench.contract.specs import Setting
from lcbench.contract.task import FloatArray, IntArray, Task

# Results for the task just learned. The next task does not need them: they are left out of the pickled state.
OUTPUTS = ("labels_", "objective_trace_")


class Clusterer(BaseEstimator, ABC):
    """A method that meets clustering tasks one by one.

    A subclass has a keyword-only constructor that only stores its parameters. If one of them is `random_state`,
    the harness puts the run's seed there. A pickle holds what the method carries to the next task, without its
    results for the last one (`labels_`, `objective_trace_`): its length is the method's memory.

    Attributes
    ----------
    setting : Setting
        What the method may remember: SINGLE_TASK nothing, MULTI_TASK every task, LIFELONG a library whose size
        does not grow with the number of tasks.
    predicts_unseen : bool
        True if `predict` works for a task that was never learned.
    labels_ : array of int, one per sample
        The partition of the task just learned; set by `partial_fit`.
    objective_trace_ : sequence of float, optional
        The objective per iteration of the task just learned.
    """

    setting: ClassVar[Setting]
    predicts_unseen: ClassVar[bool] = False
    labels_: IntArray
    objective_trace_: list[float] | FloatArray

    @abstractmethod
    def partial_fit(self, task: Task) -> Self:
        """Learn a task that has just arrived, and set `labels_` to its partition."""

    @abstractmethod
    def predict(self, task: Task) -> IntArray:
        """The partition of `task` under what is known now. Changes nothing; deterministic.

        Raises UnknownTaskError for a task that was never learned, unless `predicts_unseen`.
        """

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in OUTPUTS:
            state.pop(name, None)
        return state


class SingleTaskClusterer(Clusterer):
    """A method that clusters each task alone. A subclass writes only `predict`, which works for any task."""

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

    def partial_fit(self, task: Task) -> Self:
        """Cluster the task; remember nothing."""
        self.labels_ = self.predict(task)
        return self
