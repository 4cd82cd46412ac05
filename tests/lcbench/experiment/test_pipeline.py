from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import lcbench
from lcbench import Clusterer, Setting, Task, hookimpl
from lcbench.experiment.pipeline import run_plan
from lcbench.experiment.planning import plan_runs
from lcbench.records.record import FAILED, OK, OUT_OF_MEMORY


class Dice(Clusterer):
    """Draws its labels from numpy's global generator."""

    setting = Setting.SINGLE_TASK
    predicts_unseen = True

    def partial_fit(self, task: Task) -> Dice:
        self.labels_ = self.predict(task)
        return self

    def predict(self, task: Task) -> np.ndarray:
        return np.random.randint(task.n_clusters, size=task.n_samples)  # noqa: NPY002


class Seeded(Dice):
    """Draws its labels from the seed it was given."""

    def __init__(self, *, sides: int = 3, random_state: int = 0) -> None:
        self.sides = sides
        self.random_state = random_state

    def predict(self, task: Task) -> np.ndarray:
        return np.random.default_rng(self.random_state).integers(self.sides, size=task.n_samples)


class Breaks(Dice):
    """Learns `good` tasks and then raises."""

    def __init__(self, *, good: int = 2, error: str = "ValueError") -> None:
        self.good = good
        self.error = error

    def partial_fit(self, task: Task) -> Breaks:
        self.learned_ = getattr(self, "learned_", 0) + 1
        if self.learned_ > self.good:
            raise {"ValueError": ValueError, "SystemExit": SystemExit, "MemoryError": MemoryError}[self.error](
                "no more"
            )
        return super().partial_fit(task)


def digests(results: lcbench.Results, method: str, stream: str = "blobs") -> list[str | None]:
    return [run.labels_digest for run in results if (run.method, run.stream) == (method, stream)]


@pytest.mark.parametrize("method", ["l2sc", "usc", "kmeans", "random", Seeded(), Dice()], ids=str)
def test_the_same_seed_gives_the_same_labels_whatever_else_is_in_the_run(blob_stream, method):
    name = method if isinstance(method, str) else type(method).__name__
    alone = digests(lcbench.run([method], blob_stream, baselines=False), name)
    others = ["random", "kmeans:n_init=1", "one-cluster"]
    for methods in ([*others, method], [method, *others], ["l2sc:lam=3", method, "l2sc"]):
        assert digests(lcbench.run(methods, ["digits:tasks=2", blob_stream]), name)[-1:] == alone


@pytest.mark.parametrize("method", ["random", Seeded(), Dice()], ids=str)
def test_another_seed_and_another_repeat_give_other_labels(blob_stream, method):
    runs = [*lcbench.run(method, blob_stream, seed=0, repeats=2), *lcbench.run(method, blob_stream, seed=1)]
    assert len({run.labels_digest for run in runs}) == 3
    assert len({run.run_id for run in runs}) == 3


def test_a_method_that_draws_from_the_global_generator_repeats_and_leaves_it_as_it_was(blob_stream):
    np.random.seed(1)  # noqa: NPY002
    expected = np.random.random(2)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    first = np.random.random()  # noqa: NPY002
    one = digests(lcbench.run(Dice(), blob_stream), "Dice")
    second = np.random.random()  # noqa: NPY002
    two = digests(lcbench.run(Dice(), blob_stream), "Dice")
    assert one == two
    assert [first, second] == expected.tolist()


def test_the_seed_of_a_method_does_not_depend_on_its_parameters(blob_stream):
    three, four = lcbench.run([Seeded(sides=3), Seeded(sides=4)], blob_stream)
    seeds = Seeded(sides=4, random_state=99), Seeded(sides=4, random_state=0)
    same, too = (lcbench.run(method, blob_stream)[0] for method in seeds)
    assert four.labels_digest == same.labels_digest == too.labels_digest
    assert three.labels_digest != four.labels_digest


def test_random_orders_differ_between_repeats_and_are_the_same_for_every_method(blob_stream):
    results = lcbench.run(["one-cluster", "random"], blob_stream, order="random", repeats=6, seed=3)
    orders = {method: [run.order for run in results if run.method == method] for method in ("one-cluster", "random")}
    assert orders["one-cluster"] == orders["random"]
    assert sorted(orders["random"]) == sorted(itertools.permutations(t.name for t in blob_stream.tasks()))


def test_a_random_order_does_not_depend_on_how_many_there_are(blob_stream):
    short, long = (lcbench.run("one-cluster", blob_stream, order="random", repeats=n) for n in (2, 4))
    assert [run.order for run in short] == [run.order for run in long][:2]


def test_order_all_runs_every_permutation_once(blob_stream):
    results = lcbench.run("one-cluster", blob_stream, order="all")
    names = [task.name for task in blob_stream.tasks()]
    assert [run.order for run in results] == list(itertools.permutations(names))


def test_a_listed_order_is_followed(blob_stream):
    (run,) = lcbench.run("one-cluster", blob_stream, order=["task-3", "task-1"])
    assert run.order == ("task-3", "task-1")
    assert len(run.scores["purity"]) == 2


@pytest.mark.parametrize("error", ["ValueError", "SystemExit", "MemoryError"])
def test_a_method_that_raises_is_a_failed_record_with_the_part_it_reached_and_the_rest_goes_on(blob_stream, error):
    results = lcbench.run([Breaks(error=error), "one-cluster"], blob_stream)
    failed, other = results
    assert (failed.status, other.status) == (OUT_OF_MEMORY if error == "MemoryError" else FAILED, OK)
    assert results.failed == [failed]
    assert failed.traceback[0] == "Traceback (most recent call last):"
    assert failed.traceback[-1] == f"{error}: no more"
    assert failed.error.startswith(f"method Breaks of module {__name__} raised {error}: no more (test_pipeline.py:")
    assert failed.error.endswith(", at task 'task-3')")
    assert [[cell is None for cell in row] for row in failed.scores["nmi"]] == [
        [False, True, True],
        [False, False, True],
    ]
    assert len(failed.learn_seconds) == len(failed.state_bytes) == 2
    assert failed.summary == {}


def test_an_instance_is_cloned_and_never_touched(blob_stream):
    method = Breaks(good=2)
    lcbench.run(method, blob_stream)
    assert vars(method) == {"good": 2, "error": "ValueError"}


def test_a_mapping_gives_labels(blob_stream):
    results = lcbench.run({"three": Seeded(), "four": Seeded(sides=4)}, {"mine": blob_stream})
    assert [(run.label, run.stream_label) for run in results] == [("three", "mine"), ("four", "mine")]


def test_an_instance_without_an_alias_is_labelled_by_what_differs_from_its_defaults(blob_stream):
    assert [run.label for run in lcbench.run([Dice(), Seeded(sides=4)], blob_stream)] == ["Dice", "Seeded:sides=4"]


def test_a_baseline_is_run_once_and_before_the_methods_it_is_for(blob_stream):
    results = lcbench.run(["l2sc", "l2sc:lam=2", "stsc", "usc"], blob_stream)
    assert [run.label for run in results] == ["stsc", "l2sc", "l2sc:lam=2", "usc"]
    assert [run.baseline for run in results] == [None, *[results[0].run_id] * 3]


def test_the_run_id_depends_on_the_data_and_not_on_what_else_is_run(blob_stream):
    alone = lcbench.run("stsc", blob_stream)[0].run_id
    assert alone in [run.run_id for run in lcbench.run(["kmeans", "l2sc"], ["digits:tasks=1", blob_stream])]
    changed = lcbench.TaskStream.from_arrays("blobs", {t.name: (t.task.X + 1e-9, t.y) for t in blob_stream.tasks()})
    assert lcbench.run("stsc", changed)[0].run_id != alone


def test_data_that_cannot_be_had_stop_the_experiment_before_its_first_run(blob_stream):
    started = []

    class Listener:
        @hookimpl
        def lcbench_run_started(self, run):
            started.append(run)

    with pytest.raises(lcbench.LcbenchError, match="lower tasks or per_class"):
        lcbench.run("one-cluster", [blob_stream, "digits:per_class=500"], listeners=[Listener()])
    assert started == []


@pytest.mark.parametrize("option", [{"repeats": 0}, {"repeats": 1.5}, {"threads": True}, {"seed": -1}])
def test_numbers_that_cannot_be_counts_are_refused(blob_stream, option):
    (name,) = option
    with pytest.raises(lcbench.LcbenchError, match=f"{name} takes a whole number of at least"):
        lcbench.run("one-cluster", blob_stream, **option)


class Gambler:
    """A listener that draws from the global generator between the steps."""

    @hookimpl
    def lcbench_task_learned(self) -> None:
        np.random.rand()  # noqa: NPY002


def test_a_listener_cannot_disturb_a_method_that_draws_from_the_global_generator(blob_stream):
    alone = lcbench.run(Dice(), blob_stream)[0].labels_digest
    assert lcbench.run(Dice(), blob_stream, listeners=[Gambler()])[0].labels_digest == alone


def test_a_run_leaves_the_global_generator_as_it_was(blob_stream):
    np.random.seed(7)  # noqa: NPY002
    before = np.random.rand()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    lcbench.run(Dice(), blob_stream)
    assert np.random.rand() == before  # noqa: NPY002


def test_a_plan_can_be_pickled_and_carried_out_twice():
    plan = pickle.loads(pickle.dumps(plan_runs("l2sc", "digits:tasks=2")))
    first, second = run_plan(plan), run_plan(plan)
    assert [run.labels_digest for run in first] == [run.labels_digest for run in second]
    assert all(len(run.learn_seconds) == 2 for run in (*first, *second))


def test_an_alias_cannot_pass_for_the_baseline_of_another_method():
    with pytest.raises(lcbench.LcbenchError, match="'stsc' is the baseline of 'l2sc'"):
        plan_runs(["stsc=kmeans", "l2sc"], "digits")


def test_every_1_and_all_are_the_same_run():
    (a,), (b,) = (plan_runs("stsc", "digits", evaluate=text) for text in ("all", "every:1"))
    assert a.record.run_id == b.record.run_id


def test_how_often_a_run_is_scored_does_not_change_what_a_method_draws_from_the_global_generator(blob_stream):
    labels = [lcbench.run(Dice(), blob_stream, evaluate=text)[0].labels[2]["task-3"] for text in ("all", "last")]
    assert (labels[0] == labels[1]).all()


def test_one_metric_may_be_given_as_text(blob_stream):
    assert lcbench.run("one-cluster", blob_stream, metrics="nmi").metrics == ["nmi"]


@pytest.mark.parametrize(
    ("method", "baseline"),
    [
        ("l2sc:n_neighbors=5,max_iter=3", "stsc:n_neighbors=5"),
        ("onestepsc:n_neighbors=5", "stsc"),  # neighbours of another graph
        ("mbc:max_iter=7,unit_rows=false", "kmeans:unit_rows=false"),  # iterations of another loop
    ],
)
def test_a_baseline_is_run_with_the_parameters_that_mean_the_same_in_both(method, baseline):
    plan = plan_runs([method], ["digits"])
    assert [planned.record.label for planned in plan] == [baseline, method]
