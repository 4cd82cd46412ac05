"""Methods that claim to be lifelong; labels depend on what they remember, so that forgetting shows."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
import weakref
from typing import ClassVar

import numpy as np
from small_methods import ByTurns

from lcbench.contract.clusterer import Clusterer
from lcbench.contract.specs import Setting
from lcbench_cheats import hiding, outside


def split(task, level):
    """Two groups of samples, by a function of their sum and of `level` that changes quickly with both."""
    scores = np.sin(1000.0 * level + 50.0 * np.nansum(hiding.dense(task.X), axis=1))
    return (scores > 0).astype(np.int64)


def level_of(arrays):
    """The sum of all that arrays hold; weak references to arrays are followed."""
    arrays = [each() if isinstance(each, weakref.ref) else each for each in arrays]
    return float(sum(hiding.dense(each).astype(np.float64).sum() for each in arrays))


class Lifelong(Clusterer):
    """Honest: carries sums over all tasks, and nothing else."""

    setting: ClassVar[Setting] = Setting.LIFELONG
    predicts_unseen: ClassVar[bool] = True

    def partial_fit(self, task):
        self.level_ = getattr(self, "level_", 0.0) + float(task.X.sum())
        self.profile_ = np.asarray(task.X.sum(axis=0)).ravel() + getattr(self, "profile_", 0.0)
        self.labels_ = split(task, self.level_)
        return self

    def predict(self, task):
        return split(task, self.level_)


class Keeps(Clusterer):
    """Keeps tasks in its pickled state: `what` is "task" (themselves), "copy" (as float32) or "last" (one)."""

    setting: ClassVar[Setting] = Setting.LIFELONG
    predicts_unseen: ClassVar[bool] = True

    def __init__(self, *, what="task"):
        self.what = what

    def partial_fit(self, task):
        kept = task if self.what != "copy" else hiding.small(task)
        before = [] if self.what == "last" else getattr(self, "kept_", [])
        self.labels_ = self.predict(task)
        self.kept_ = [*before, kept]
        return self

    def predict(self, task):
        kept = getattr(self, "kept_", [])
        return split(task, level_of([t if self.what == "copy" else hiding.small(t) for t in kept]))


class HidesInAttribute(Keeps):
    """Hides old tasks in an attribute that it leaves out of its pickle."""

    def __init__(self, *, place="list"):
        self.place = place

    def partial_fit(self, task):
        old = hiding.recall(self.place, getattr(self, "cache_", None))
        self.labels_ = split(task, level_of(old))
        self.cache_ = hiding.IN_ATTRIBUTE[self.place][0]([*old, hiding.hidden(self.place, task)])
        return self

    def predict(self, task):
        return split(task, 0.0)

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("cache_", None)
        return state


class HidesElsewhere(Keeps):
    """Hides old tasks outside of itself."""

    def __init__(self, *, place="class attribute"):
        self.place = place

    def partial_fit(self, task):
        remember, recall = {**hiding.ELSEWHERE, **hiding.ABROAD, **outside.OUTSIDE}[self.place]
        self.labels_ = split(task, level_of(recall(task.name)))
        remember(task)
        return self

    def predict(self, task):
        return split(task, 0.0)


class HidesOnDisk(HidesElsewhere):
    """Hides old tasks in a file."""

    def __init__(self, *, folder="."):
        self.folder = folder

    def partial_fit(self, task):
        old = hiding.recall_from_disk(self.folder)
        self.labels_ = split(task, level_of(old))
        hiding.remember_on_disk(task, self.folder)
        return self


class FillsBuffer(Keeps):
    """Hides tasks in an array of its state that has room for many of them from the first task on."""

    def __init__(self, *, room=10):
        self.room = room

    def partial_fit(self, task):
        if not hasattr(self, "kept_"):
            self.kept_, self.used_ = np.zeros((self.room, *task.X.shape), dtype=np.float32), 0
        self.labels_ = self.predict(task)
        self.kept_[self.used_] = hiding.small(task)
        self.used_ += 1
        return self

    def predict(self, task):
        return split(task, level_of([self.kept_]))


class KeepsLast(Keeps):
    """Keeps a copy of the last task alone, in its state."""

    def partial_fit(self, task):
        self.labels_ = self.predict(task)
        self.kept_ = [hiding.small(task)]
        return self

    def predict(self, task):
        return split(task, level_of(getattr(self, "kept_", [])))


class Draws(Lifelong):
    """Draws from the global generators, while it learns and while it predicts."""

    def partial_fit(self, task):
        self.offset_ = float(np.random.random())  # noqa: NPY002
        super().partial_fit(task)
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.random.randint(3, size=task.n_samples)  # noqa: NPY002


class NeverTheSame(Lifelong):
    """Its labels come from the clock."""

    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = np.random.default_rng(time.perf_counter_ns()).integers(3, size=task.n_samples)
        return self


class Talks(Lifelong):
    """Prints more than a pipe holds, through Python and directly, and reads its standard input."""

    def partial_fit(self, task):
        sys.stdin.read()
        for descriptor in (1, 2):
            os.write(descriptor, b"x" * 300_000)
        print("y" * 300_000, flush=True)
        return super().partial_fit(task)


class Ends(Lifelong):
    """Ends its process in the way `how` says."""

    def __init__(self, *, how="signal"):
        self.how = how

    def partial_fit(self, task):
        if self.how == "signal":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.how == "raise":
            raise ValueError("no more")
        os._exit(7)


class Counts(Lifelong):
    """Its labels are the number of tasks learned in this process."""

    learned: ClassVar[list[str]] = []

    def partial_fit(self, task):
        self.learned.append(task.name)
        self.labels_ = np.full(task.n_samples, len(self.learned))
        return self

    def predict(self, task):
        return np.full(task.n_samples, len(self.learned))


class Late(ByTurns):
    """Honest, remembers nothing, and imports a part of its own package only when it needs it."""

    def predict(self, task):
        return importlib.import_module("lcbench_cheats.late").halves(task)
