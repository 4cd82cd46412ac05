"""Base of the methods that carry one clusterer of another library from task to task."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from lcbench import Clusterer, IntArray, Matrix, Setting, Task, UnknownTaskError, UnsuitableTaskError, derive_seed
from lcbench_baselines.merging import merge_groups, warn_of_collapse


class Carrier(Clusterer):
    """Carries one clusterer, `model_`, from task to task; where it finds too many groups in a task, they are merged."""

    setting: ClassVar[Setting] = Setting.LIFELONG
    predicts_unseen: ClassVar[bool] = True
    random_state: int
    model_: Any
    n_features_: int

    @abstractmethod
    def _rows(self, task: Task) -> Matrix:
        """The samples as the clusterer takes them."""

    @abstractmethod
    def _groups(self, X: Matrix) -> Any:
        """The group that the clusterer has for each row, as it is now."""

    def predict(self, task: Task) -> IntArray:
        """Label the samples by the clusterer as it is now."""
        if not hasattr(self, "model_"):
            raise UnknownTaskError(f"{type(self).__name__} has learned nothing yet: let it learn a task first.")
        self._check_features(task)
        return self._labels(self._rows(task), task)

    def _carry(self, model: Any, X: Matrix, task: Task, *, called: str, advice: str) -> None:
        """Keep the clusterer that has learned the task, and label the task by it; warn if that is one cluster."""
        self.model_, self.n_features_ = model, task.n_features
        self.labels_ = self._labels(X, task)
        warn_of_collapse(self.labels_, task, called, advice)

    def _labels(self, X: Matrix, task: Task) -> IntArray:
        return merge_groups(self._groups(X), X, task.n_clusters, derive_seed(self.random_state, task.name))

    def _check_features(self, task: Task) -> None:
        known = getattr(self, "n_features_", task.n_features)
        if task.n_features != known:
            raise UnsuitableTaskError(
                f"Task '{task.name}' has {task.n_features} features, but the tasks before it had {known}: a clusterer "
                "that goes on from task to task takes tasks with the same features."
            )
