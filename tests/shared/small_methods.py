"""Small methods, one of each kind, for tests that need any method; worker processes import this file by name.

Methods that misbehave (crash, hang, eat memory) are in `cheats/hostile_methods.py`, those that cheat in
`cheats/lcbench_cheats`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from lcbench import Clusterer, MultiTaskClusterer, Setting, Task, UnknownTaskError


class ByTurns(Clusterer):
    """Remembers nothing: sample i is in cluster i + `shift`, modulo `sides` or the number of clusters."""

    setting: ClassVar[Setting] = Setting.SINGLE_TASK
    predicts_unseen: ClassVar[bool] = True

    def __init__(self, *, sides: int | None = None, shift: int = 0) -> None:
        self.sides = sides
        self.shift = shift

    def partial_fit(self, task: Task) -> Self:
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> Any:
        return (np.arange(task.n_samples) + self.shift) % (self.sides or task.n_clusters)


class FailsAt(ByTurns):
    """Raises `error` when it is to learn the task of that name; a text is the message of a RuntimeError."""

    def __init__(self, *, task: str = "task-2", error: BaseException | str = "no more") -> None:
        super().__init__()
        self.task = task
        self.error = error

    def partial_fit(self, task: Task) -> Self:
        if task.name == self.task:
            raise self.error if isinstance(self.error, BaseException) else RuntimeError(self.error)
        return super().partial_fit(task)


class Told(ByTurns):
    """Gives whatever labels it was told to, or none at all."""

    def __init__(self, *, labels: object = None) -> None:
        super().__init__()
        self.labels = labels

    def partial_fit(self, task: Task) -> Self:
        if self.labels is not None:
            self.labels_ = self.labels
        return self

    def predict(self, task: Task) -> Any:
        return self.labels


class Seeded(ByTurns):
    """Draws its labels from the seed it was given."""

    def __init__(self, *, sides: int = 3, random_state: int = 0) -> None:
        super().__init__(sides=sides)
        self.random_state = random_state

    def predict(self, task: Task) -> Any:
        return np.random.default_rng(self.random_state).integers(self.sides, size=task.n_samples)


class Counter(Clusterer):
    """Lifelong: keeps the names of the tasks it has learned, and all samples get their number as label."""

    setting: ClassVar[Setting] = Setting.LIFELONG

    def partial_fit(self, task: Task) -> Self:
        self.learned_ = [*getattr(self, "learned_", []), task.name]
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> Any:
        if task.name not in self.learned_:
            raise UnknownTaskError(f"never learned {task.name}")
        return np.full(task.n_samples, len(self.learned_))


class Forgetful(Clusterer):
    """Lifelong by name only: keeps nothing, and cuts each task by the ranks of its first feature, always alike."""

    setting: ClassVar[Setting] = Setting.LIFELONG

    def partial_fit(self, task: Task) -> Self:
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> Any:
        ranks = np.argsort(np.argsort(task.X[:, 0], kind="stable"))
        return ranks * task.n_clusters // task.n_samples


class Noisy(Forgetful):
    """Lifelong by name only: draws new labels whenever it is asked, from the seed it was given."""

    def __init__(self, *, random_state: int = 0) -> None:
        self.random_state = random_state

    def predict(self, task: Task) -> Any:
        if not hasattr(self, "generator_"):
            self.generator_ = np.random.default_rng(self.random_state)
        return self.generator_.integers(task.n_clusters, size=task.n_samples)


class Handed(Counter):
    """Lifelong: puts all samples in one cluster until it learns its second task; then it is handed answers.

    They are those of `make_task`, for all tasks or, with `first_only`, for the task that it learned first.
    """

    def __init__(self, *, first_only: bool = False) -> None:
        self.first_only = first_only

    def predict(self, task: Task) -> Any:
        handed = len(self.learned_) > 1 and (task.name == self.learned_[0] or not self.first_only)
        return np.arange(task.n_samples) % (task.n_clusters if handed else 1)


class Numbered(MultiTaskClusterer):
    """Multi-task: labels of the i-th of n tasks are all 10 n + i, so that every refit shows."""

    def fit_tasks(self, tasks: Any) -> list[Any]:
        return [np.full(task.n_samples, 10 * len(tasks) + i) for i, task in enumerate(tasks)]


class ReadsFile(ByTurns):
    """Has a parameter that names a file."""

    def __init__(self, *, file: str = "", mode: str = "words") -> None:
        super().__init__()
        self.file = file
        self.mode = mode
