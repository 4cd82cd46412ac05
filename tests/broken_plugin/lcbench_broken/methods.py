"""A broken method for each check of methods; `FAILS` has the checks that it fails and no others."""

import os
import subprocess
import threading

import numpy as np
from scipy import sparse

from lcbench import Setting
from lcbench_broken.sound import Sound

RUNS = {"check_other_process", "check_promise"}  # they run the method as a user does
HARD = {
    "check_one_task", "check_tiny_tasks", "check_zero_rows", "check_one_cluster", "check_more_clusters",
    "check_negative_features",
}  # fmt: skip
FAILS = {}
ENOUGH = threading.Event()  # set by the tests, so that no thread is left for good
CHILDREN = []
ELSEWHERE = {}


def fails(*checks):
    def mark(broken):
        FAILS[broken] = {name for check in checks for name in ([check] if isinstance(check, str) else check)}
        return broken

    return mark


@fails("check_class", RUNS)
class TextSetting(Sound):
    setting = "lifelong"


@fails("check_constructor", RUNS)
class Converts(Sound):
    def __init__(self, *, share=0.5):
        self.share = [share]


@fails("check_constructor")
class WorksInItsConstructor(Sound):
    def __init__(self, *, share=0.5, random_state=0):
        super().__init__(share=share, random_state=random_state)
        self.half = share / 2


@fails("check_labels")
class ReturnsNothing(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)


@fails("check_labels", HARD, RUNS)
class FloatLabels(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = self.labels_.astype(float)
        return self


@fails("check_labels", "check_permuted_rows", HARD, RUNS)
class OneLabelTooMany(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = np.append(self.labels_, 0)
        return self


@fails("check_predict", HARD, RUNS)
class PredictsTooFew(Sound):
    def predict(self, task):
        return super().predict(task)[1:]


@fails("check_clusters", "check_more_clusters", "check_negative_features")
class OneClusterTooMany(Sound):
    def cluster(self, task):
        labels = super().cluster(task)
        if task.n_clusters == 2:
            labels[0] = 2
        return labels


@fails("check_predict_changes_nothing")
class CountsPredictions(Sound):
    def predict(self, task):
        self.predictions_ = getattr(self, "predictions_", 0) + 1
        return super().predict(task)


@fails("check_unseen_task")
class LabelsAnything(Sound):
    def predict(self, task):
        return self.cluster(task)


@fails("check_unseen_task")
class RaisesSomethingElse(Sound):
    def predict(self, task):
        if task.name not in self.names_:
            raise KeyError(task.name)
        return self.cluster(task)


@fails("check_pickle", "check_predict_changes_nothing", "check_bounded_state", RUNS)
class HoldsAFunction(Sound):
    def partial_fit(self, task):
        self.function_ = lambda: None
        return super().partial_fit(task)


@fails("check_pickle")
class PicklesItsLabels(Sound):
    def __getstate__(self):
        return dict(vars(self))


@fails("check_pickle", "check_promise")
class ForgetsInItsPickle(Sound):
    """Learns with something that its pickle leaves out."""

    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = self.labels_ + getattr(self, "offset_", 0)
        self.offset_ = 1
        return self

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "offset_"}


@fails("check_seed", "check_pickle")
class DrawsFromTheGlobalGenerator(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = self.labels_ + np.random.randint(1000)  # noqa: NPY002
        return self


@fails("check_other_process")
class KnowsItsProcess(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = self.labels_ + os.getpid()
        return self


@fails("check_data_untouched")
class WritesWhereItCan(Sound):
    def cluster(self, task):
        part = task.X.data if sparse.issparse(task.X) else task.X
        if part.flags.writeable:
            part[0] += 1.0
        return super().cluster(task)


@fails(
    "check_read_only", "check_labels", "check_predict", "check_clusters", "check_predict_changes_nothing",
    "check_unseen_task", "check_pickle", "check_seed", "check_dense_and_sparse", "check_permuted_rows",
    "check_bounded_state", "check_prints_nothing", "check_leaves_nothing", HARD, RUNS,
)  # fmt: skip
class WantsToWrite(Sound):
    def cluster(self, task):
        if not (task.X.data if sparse.issparse(task.X) else task.X).flags.writeable:
            raise ValueError("buffer source array is read-only")
        return super().cluster(task)


@fails("check_dense_and_sparse")
class FindsNothingInSparseTasks(Sound):
    def cluster(self, task):
        return np.zeros(task.n_samples, dtype=int) if sparse.issparse(task.X) else super().cluster(task)


@fails("check_permuted_rows")
class CountsRows(Sound):
    def cluster(self, task):
        return np.arange(task.n_samples) % task.n_clusters


@fails("check_clusters", HARD)
class NeedsTwoTasks(Sound):
    def predict(self, task):
        if len(self.names_) == 1 and task.name in self.names_:
            raise IndexError("there is no other task")
        return super().predict(task)


@fails("check_tiny_tasks")
class NeedsFiveSamples(Sound):
    def cluster(self, task):
        assert task.n_samples >= 5
        return super().cluster(task)


@fails("check_zero_rows")
class DividesByLengths(Sound):
    def cluster(self, task):
        if task.zero_rows:
            raise ZeroDivisionError("division by zero")
        return super().cluster(task)


@fails("check_one_cluster", "check_tiny_tasks")
class NeedsTwoClusters(Sound):
    def cluster(self, task):
        if task.n_clusters == 1:
            raise ValueError("n_clusters must be at least 2")
        return super().cluster(task)


@fails("check_more_clusters", "check_one_cluster")
class HasAsManyCentresAsAtFirst(Sound):
    def partial_fit(self, task):
        self.most_ = getattr(self, "most_", task.n_clusters)
        if task.n_clusters > self.most_:
            raise IndexError(f"index {task.n_clusters - 1} is out of bounds")
        return super().partial_fit(task)


@fails("check_negative_features")
class TakesLogarithms(Sound):
    def cluster(self, task):
        if task.X.min() < 0:
            raise FloatingPointError("invalid value encountered in log")
        return super().cluster(task)


@fails("check_promise")
class KeepsItsTasksElsewhere(Sound):
    """Keeps the labels of old tasks where the pickle does not show them."""

    def partial_fit(self, task):
        super().partial_fit(task)
        ELSEWHERE[task.name] = self.labels_
        return self

    def predict(self, task):
        super().predict(task)
        return ELSEWHERE[task.name]


@fails("check_bounded_state")
class BeginsToKeepTasksLater(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        if len(self.names_) > 6:
            self.kept_ = [*getattr(self, "kept_", ()), np.array(task.X)]
        return self


@fails("check_promise", "check_bounded_state")
class KeepsEverything(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        self.kept_ = [*getattr(self, "kept_", ()), task]
        return self


@fails()
class KeepsEverythingAndSaysSo(KeepsEverything):
    setting = Setting.MULTI_TASK


@fails("check_prints_nothing")
class Talks(Sound):
    def partial_fit(self, task):
        print("learning", task.name)
        return super().partial_fit(task)


@fails("check_prints_nothing")
class TalksBelowPython(Sound):
    def predict(self, task):
        os.write(1, b"iteration 1\n")
        return super().predict(task)


@fails("check_leaves_nothing")
class LeavesAThread(Sound):
    def partial_fit(self, task):
        threading.Thread(target=ENOUGH.wait, daemon=True, name="left").start()
        return super().partial_fit(task)


@fails("check_leaves_nothing")
class LeavesAProcess(Sound):
    def predict(self, task):
        CHILDREN.append(subprocess.Popen(["sleep", "60"]))
        return super().predict(task)
