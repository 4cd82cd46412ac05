from __future__ import annotations

import pickle
from typing import ClassVar

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

import lcbench
from lcbench import Clusterer, Setting, Task, TaskStream, hookimpl
from lcbench.experiment.pipeline import run_plan
from lcbench.experiment.planning import plan_runs
from lcbench.experiment.resuming import find_backlog
from lcbench.records.record import FAILED, OK, OUT_OF_MEMORY
from lcbench.records.store import RunStore
from lcbench.running.executor import ExecutionOptions


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


def test_missing_data_stop_the_experiment_before_its_first_run(blob_stream):
    started = []

    class Listener:
        @hookimpl
        def lcbench_run_started(self, run):
            started.append(run)

    with pytest.raises(lcbench.LcbenchError, match="lower tasks or per_class"):
        lcbench.run("one-cluster", [blob_stream, "digits:per_class=500"], listeners=[Listener()])
    assert started == []


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


def test_how_often_a_run_is_scored_does_not_change_what_a_method_draws_from_the_global_generator(blob_stream):
    labels = [lcbench.run(Dice(), blob_stream, evaluate=text)[0].labels[2]["task-3"] for text in ("all", "last")]
    assert (labels[0] == labels[1]).all()


@pytest.fixture
def started():
    """A listener; its `labels` are those of the runs that were started."""

    class Listener:
        labels: ClassVar[list[str]] = []

        @hookimpl
        def lcbench_run_started(self, run):
            self.labels.append(run.label)

    return Listener()


def test_stored_and_new_runs_come_back_in_the_order_of_the_plan(blob_stream, tmp_path, started):
    run_plan(plan_runs("random", blob_stream), out=tmp_path)
    outcome = run_plan(plan_runs(["one-cluster", "random", "kmeans"], blob_stream), out=tmp_path, listeners=[started])
    assert [run.label for run in outcome] == ["one-cluster", "random", "kmeans"]
    assert started.labels == ["one-cluster", "kmeans"]


def test_a_metric_that_a_stored_run_lacks_is_computed_from_its_labels(blob_stream, tmp_path, started):
    plan = plan_runs("random", blob_stream)
    (before,) = run_plan(plan, out=tmp_path)
    (after,) = run_plan(plan, metrics="silhouette", out=tmp_path, listeners=[started])
    assert "silhouette" not in before.scores
    assert started.labels == []
    for score, labelled in zip(after.scores["silhouette"][-1], blob_stream.tasks(), strict=True):
        expected = silhouette_score(labelled.task.X, before.labels[-1][labelled.name])
        assert score == pytest.approx(expected, abs=1e-6)
    assert RunStore(tmp_path).load(plan[0].run_id).scores["silhouette"] == after.scores["silhouette"]


def test_a_stored_run_is_done_again_if_its_record_is_damaged_after_the_backlog_was_found(
    blob_stream, tmp_path, started
):
    plan, store = plan_runs("random", blob_stream), RunStore(tmp_path)
    (before,) = run_plan(plan, out=tmp_path)
    backlog = find_backlog(plan, store, ExecutionOptions())
    assert len(backlog.done) == 1
    store.run_file(plan[0].run_id).write_text("{")
    (after,) = run_plan(plan, out=tmp_path, backlog=backlog, listeners=[started])
    assert started.labels == ["random"]
    assert after.labels_digest == before.labels_digest


def test_a_tuned_run_is_stored_with_the_labels_of_the_chosen_run_and_only_once(blob_stream, tmp_path, monkeypatch):
    plan = plan_runs("kmeans", blob_stream, grid="kmeans.n_init=1,2", tune="silhouette")
    (tuned,) = run_plan(plan, out=tmp_path)
    store = RunStore(tmp_path)
    stored, chosen = (store.load_labels(run_id) for run_id in (tuned.run_id, tuned.choice["run_id"]))
    assert len(stored) == len(chosen) == 3
    for mine, theirs in zip(stored, chosen, strict=True):
        assert mine.keys() == theirs.keys()
        assert all((mine[task] == theirs[task]).all() for task in mine)
    monkeypatch.setattr(RunStore, "save", lambda *_: pytest.fail("a run was written again"))
    (again,) = run_plan(plan, out=tmp_path)
    assert again.choice == tuned.choice


def test_a_tuned_run_is_not_stored_without_the_labels_of_the_chosen_run(blob_stream, tmp_path, caplog):
    plan = plan_runs("kmeans", blob_stream, grid="kmeans.n_init=1,2", tune="silhouette")
    (tuned,) = run_plan(plan, out=tmp_path)
    store = RunStore(tmp_path)
    store.run_file(tuned.run_id).unlink()
    store.labels_file(tuned.choice["run_id"]).unlink()
    (again,) = run_plan(plan, out=tmp_path)
    assert again.choice == tuned.choice
    assert any(message.startswith("'kmeans (silhouette)' is not kept: ") for message in caplog.messages)
    assert not store.run_file(tuned.run_id).exists()


def unlabelled_stream(**labels: bool) -> TaskStream:
    """A stream whose tasks have labels or not."""
    X = np.random.default_rng(0).random((12, 4))
    tasks = {task: (X + i, np.arange(12) % 2 if has else None) for i, (task, has) in enumerate(labels.items())}
    return TaskStream.from_arrays("mine", tasks, clusters=2)


def test_without_labels_silhouette_is_shown_also_for_runs_that_are_stored(tmp_path, caplog):
    plan = plan_runs("kmeans", unlabelled_stream(a=False, b=False))
    for _ in range(2):
        assert run_plan(plan, out=tmp_path).metrics == ["silhouette"]
    assert caplog.messages == []


def test_a_warning_names_the_metrics_that_stay_empty_and_the_tasks_without_labels(caplog):
    some = plan_runs("kmeans", unlabelled_stream(a=True, b=False))
    assert run_plan(some).metrics == ["purity", "nmi", "ri", "silhouette"]
    run_plan(plan_runs("kmeans", unlabelled_stream(a=False)), metrics=["nmi", "silhouette"])
    assert caplog.messages == [
        "Stream 'mine' has no labels for b: purity, nmi, ri cannot be computed there, nor averaged over all tasks.",
        "Stream 'mine' has no labels: nmi cannot be computed.",
    ]
