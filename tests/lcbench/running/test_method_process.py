from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import make_stream
from small_methods import ByTurns, Seeded

import lcbench
from lcbench.records.record import FAILED, OK
from lcbench.running import harness, method_process
from lcbench.running.harness import replay
from lcbench.running.method_process import build

NAP = 1000.0  # seconds, far above what the small methods need, however busy the machine is


def nap() -> None:
    """Puts the clocks of a method's process forward, as if it had slept."""
    for module in (harness, method_process):
        module.perf_counter = lambda now=module.perf_counter: now() + NAP


@pytest.fixture
def _clocks_put_back(monkeypatch):
    """Those of this process, in which methods are built and pickled too."""
    for module in (harness, method_process):
        monkeypatch.setattr(module, "perf_counter", module.perf_counter)


class SlowToBuild(ByTurns):
    def __init__(self, *, sides=None, shift=0):
        super().__init__(sides=sides, shift=shift)
        nap()


class SlowLabels(ByTurns):
    """Works when its labels are asked for."""

    @property
    def labels_(self):
        nap()
        return self._found

    def partial_fit(self, task):
        self._found = self.predict(task)
        return self


class SlowToPickle(ByTurns):
    def __getstate__(self):
        nap()
        return super().__getstate__()

    def partial_fit(self, task):
        self.name_ = task.name  # another state after each task
        return super().partial_fit(task)


class SlowToPredict(ByTurns):
    def partial_fit(self, task):
        self.labels_ = super().predict(task)
        return self

    def predict(self, task):
        nap()
        return super().predict(task)


def only(method, stream, **options):
    (run,) = lcbench.run(method, stream, baselines=False, **options)
    assert run.status == OK, run.error
    return run


@pytest.fixture(scope="module")
def two_tasks():
    return make_stream(tasks=2, n=9)


@pytest.mark.usefixtures("_clocks_put_back")
def test_building_counts_as_learning_of_the_first_task_and_of_no_other(two_tasks):
    first, second = only(SlowToBuild(), two_tasks).learn_seconds
    assert second < NAP <= first


@pytest.mark.usefixtures("_clocks_put_back")
def test_work_that_is_put_off_until_the_labels_are_read_counts_as_learning(two_tasks):
    assert min(only(SlowLabels(), two_tasks).learn_seconds) >= NAP


@pytest.mark.usefixtures("_clocks_put_back")
def test_pickling_and_predicting_have_times_of_their_own(two_tasks):
    pickled = only(SlowToPickle(), two_tasks)
    assert min(pickled.pickle_seconds) >= NAP
    assert max(pickled.learn_seconds) < NAP
    predicted = only(SlowToPredict(), two_tasks)
    assert [seconds >= NAP for seconds in predicted.predict_seconds] == [False, True]
    assert max(predicted.learn_seconds + predicted.pickle_seconds) < NAP


def test_a_built_method_is_seeded_if_it_can_be():
    seeded, seconds = build(Seeded, 7)
    assert (seeded.random_state, seconds >= 0) == (7, True)
    plain, _ = build(ByTurns, 7)
    assert plain.get_params() == ByTurns().get_params()


class DrawsWhenBuilt(ByTurns):
    def __init__(self):
        super().__init__()
        self.drawn = np.random.random()  # noqa: NPY002

    def partial_fit(self, task):
        self.objective_trace_ = [self.drawn]
        return super().partial_fit(task)


def test_what_a_method_draws_when_it_is_built_depends_on_the_seed_of_its_run(two_tasks):
    first, again, other = (only(DrawsWhenBuilt(), two_tasks, seed=seed).objective_trace for seed in (7, 7, 8))
    assert first == again != other


@pytest.mark.parametrize(
    ("options", "thin"),
    [({}, False), ({"evaluate": "last"}, True), ({"future": True}, True), ({"evaluate": "every:2"}, False)],
    ids=str,
)
def test_labels_are_those_of_the_main_loop_in_this_process(cheats, options, thin):
    stream = make_stream(thin=thin)
    run = only(cheats.Lifelong(), stream, **options)
    expected = list(replay(cheats.Lifelong(), stream.tasks(), {}, **options))
    assert [step.keys() for step in run.labels] == [step.labels.keys() for step in expected]
    for ours, theirs in zip(run.labels, expected, strict=True):
        for task, labels in ours.items():
            np.testing.assert_array_equal(labels, theirs.labels[task])
    assert run.state_bytes == [step.state_bytes for step in expected]


class Looks(ByTurns):
    """Looks for tasks it was not handed, and for classes, in all objects of its process."""

    def partial_fit(self, task):
        import gc

        from lcbench import LabelledTask, Task

        names = {thing.name for thing in gc.get_objects() if type(thing) is Task}
        labelled = [thing for thing in gc.get_objects() if type(thing) is LabelledTask and thing.y is not None]
        super().partial_fit(task)
        self.labels_ = np.full(task.n_samples, 100 * len(labelled) + len(names))
        return self


def test_a_method_finds_no_later_task_and_no_classes_in_its_process(module_stream):
    run = only(Looks(), module_stream)
    assert [step[f"task-{i + 1}"][0] for i, step in enumerate(run.labels)] == [1, 2, 3]


class Unpicklable(ByTurns):
    def partial_fit(self, task):
        self.kept_ = lambda: task.name
        return super().partial_fit(task)


def test_a_method_that_cannot_be_pickled_fails_its_run_in_words(module_stream):
    (run,) = lcbench.run(Unpicklable(), module_stream, baselines=False)
    assert run.status == FAILED
    assert "broke its contract: its state cannot be pickled" in run.error
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(Unpicklable().partial_fit(module_stream.tasks()[0].task))
