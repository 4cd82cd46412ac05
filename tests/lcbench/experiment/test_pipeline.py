from __future__ import annotations

import pickle

import numpy as np
import pytest
from listening import Started
from making import make_record, make_stream, make_task
from sklearn.metrics import silhouette_score
from small_methods import ByTurns, FailsAt, Seeded

import lcbench
from lcbench import Task, hookimpl
from lcbench.contract.stream import ArrayStream
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import Outcome, carry_out, executor_of, prepare
from lcbench.experiment.planning import plan_runs
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.records.store import RunStore
from lcbench.running.executor import InProcess, Workers
from lcbench.running.provenance import code_of
from lcbench.running.worker_pool import Limits

TUNED = {"grid": "kmeans.n_init=1,2", "tune": "silhouette"}


class Dice(ByTurns):
    """Draws its labels from numpy's global generator."""

    def predict(self, task: Task) -> np.ndarray:
        return np.random.randint(task.n_clusters, size=task.n_samples)  # noqa: NPY002


class Gambler:
    """A listener that draws from the global generator between the steps."""

    @hookimpl
    def lcbench_task_learned(self) -> None:
        np.random.rand()  # noqa: NPY002


@pytest.fixture
def started() -> Started:
    return Started()


def run(methods, streams, listeners=(), **options) -> Outcome:
    return carry_out(prepare(Experiment(methods=methods, streams=streams, **options)), listeners=listeners)


def digests(outcome, method, stream="blobs") -> list[str | None]:
    name = method if isinstance(method, str) else f"{type(method).__module__}.{type(method).__qualname__}"
    return [run.labels_digest for run in outcome if (run.method, run.stream) == (name, stream)]


@pytest.mark.parametrize("method", ["l2sc", "usc", "kmeans", "random", Seeded(), Dice()], ids=str)
def test_the_same_seed_gives_the_same_labels_whatever_else_is_in_the_run(blob_stream, method):
    alone = digests(run([method], blob_stream, baselines=False), method)
    assert len(alone) == 1
    others = ["random", "kmeans:n_init=1", "one-cluster"]
    for methods in ([*others, method], [method, *others], ["l2sc:lam=3", method, "l2sc"]):
        assert digests(run(methods, ["digits:tasks=2", blob_stream]), method)[-1:] == alone


@pytest.mark.parametrize("method", ["random", Seeded(), Dice()], ids=str)
def test_another_seed_and_another_repeat_give_other_labels(blob_stream, method):
    runs = [*run(method, blob_stream, seed=0, repeats=2), *run(method, blob_stream, seed=1)]
    assert len({run.labels_digest for run in runs}) == 3
    assert len({run.run_id for run in runs}) == 3


def test_a_method_that_draws_from_the_global_generator_repeats_and_leaves_it_as_it_was(blob_stream):
    np.random.seed(1)  # noqa: NPY002
    expected = np.random.random(2)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    first = np.random.random()  # noqa: NPY002
    one = digests(run(Dice(), blob_stream), Dice())
    second = np.random.random()  # noqa: NPY002
    assert one == digests(run(Dice(), blob_stream, [Gambler()]), Dice())
    assert [first, second] == expected.tolist()


def test_how_often_a_run_is_scored_does_not_change_what_a_method_draws_from_the_global_generator(blob_stream):
    labels = [run(Dice(), blob_stream, evaluate=text).runs[0].labels[2]["task-3"] for text in ("all", "last")]
    assert (labels[0] == labels[1]).all()


def test_the_seed_of_a_method_does_not_depend_on_its_parameters(blob_stream):
    three, four = run([Seeded(sides=3), Seeded(sides=4)], blob_stream)
    (same,) = run(Seeded(sides=4, random_state=99), blob_stream)
    assert four.labels_digest == same.labels_digest
    assert three.labels_digest != four.labels_digest


@pytest.mark.parametrize("kind", [ValueError, SystemExit, MemoryError])
def test_a_method_that_raises_is_a_failed_record_with_the_part_it_reached_and_the_rest_goes_on(blob_stream, kind):
    outcome = run([FailsAt(task="task-3", error=kind("no more")), "one-cluster"], blob_stream)
    failed, other = outcome
    assert (failed.status, other.status) == (OUT_OF_MEMORY if kind is MemoryError else FAILED, OK)
    assert outcome.failed == [failed]
    assert failed.traceback[0] == "Traceback (most recent call last):"
    assert failed.traceback[-1] == f"{kind.__name__}: no more"
    said = f"method FailsAt of module small_methods raised {kind.__name__}: no more (small_methods.py:"
    assert failed.error.startswith(said)
    assert failed.error.endswith(", at task 'task-3')")
    assert [[cell is None for cell in row] for row in failed.scores["nmi"]] == [
        [False, True, True],
        [False, False, True],
    ]
    assert len(failed.learn_seconds) == len(failed.state_bytes) == 2
    assert failed.summary == {}


def test_missing_data_stop_the_experiment_before_its_first_run(blob_stream, started):
    with pytest.raises(lcbench.LcbenchError, match="lower tasks or per_class"):
        run("one-cluster", [blob_stream, "digits:per_class=500"], [started])
    assert started.labels == []


def test_preparing_loads_no_data_and_writes_nothing(tmp_path):
    prepared = prepare(Experiment(methods="l2sc", streams="digits:per_class=500", results=tmp_path / "new"))
    assert [planned.record.label for planned in prepared.backlog.left] == ["stsc", "l2sc"]
    assert list(tmp_path.iterdir()) == []


def test_a_prepared_experiment_can_be_pickled_and_carried_out_twice():
    prepared = prepare(Experiment(methods="l2sc", streams="digits:tasks=2"))
    first, second = carry_out(pickle.loads(pickle.dumps(prepared))), carry_out(prepared)
    assert [run.labels_digest for run in first] == [run.labels_digest for run in second]
    assert all(len(run.learn_seconds) == 2 for run in (*first, *second))


def test_a_record_has_the_code_and_the_command_that_made_it(blob_stream):
    (planned,) = plan_runs("random", "digits:tasks=2")
    (made,) = run("random", "digits:tasks=2")
    assert made.code == code_of(planned.method)
    assert made.code["distribution"] == "lcbench"
    assert made.command == "lcbench run --method random --stream digits:tasks=2"
    assert run("random", blob_stream).runs[0].command == ""


@pytest.mark.parametrize(
    ("options", "limits"),
    [
        ({}, None),
        ({"threads": 2}, None),
        ({"jobs": 1}, Limits(jobs=1)),
        ({"timeout": "5min"}, Limits(jobs=1, timeout=300.0)),
        ({"memory_limit": "2GB", "threads": 1}, Limits(jobs=1, memory=2 * 10**9)),
    ],
    ids=str,
)
def test_any_limit_hands_the_runs_to_workers_and_without_one_they_stay_in_this_process(monkeypatch, options, limits):
    monkeypatch.setattr("lcbench.running.process_limits.can_limit_memory", lambda: True)
    executor = executor_of(Experiment(**options))
    assert isinstance(executor, InProcess if limits is None else Workers)
    assert getattr(executor, "_limits", None) == limits


def test_stored_and_new_runs_come_back_in_the_order_of_the_plan(blob_stream, tmp_path, started):
    run("random", blob_stream, results=tmp_path)
    outcome = run(["one-cluster", "random", "kmeans"], blob_stream, [started], results=tmp_path)
    assert [run.label for run in outcome] == ["one-cluster", "random", "kmeans"]
    assert started.labels == ["one-cluster", "kmeans"]


def test_folders_are_made_before_the_first_run_and_each_run_is_saved_before_listeners_hear_of_its_end(
    blob_stream, tmp_path
):
    seen = []

    class Watcher:
        @hookimpl
        def lcbench_run_started(self):
            seen.append(sorted(path.name for path in tmp_path.iterdir()))

        @hookimpl
        def lcbench_run_finished(self, run):
            seen.append(RunStore(tmp_path).load(run.run_id).label)

    run(["random", "kmeans"], blob_stream, [Watcher()], results=tmp_path)
    folders = ["environments", "labels", "runs"]
    assert seen[:2] == [folders, "random"]
    assert seen[-1] == "kmeans"


def test_a_metric_that_a_stored_run_lacks_is_computed_from_its_labels(blob_stream, tmp_path, started):
    (before,) = run("random", blob_stream, results=tmp_path)
    (after,) = run("random", blob_stream, [started], metrics="silhouette", results=tmp_path)
    assert "silhouette" not in before.scores
    assert started.labels == []
    for score, labelled in zip(after.scores["silhouette"][-1], blob_stream.tasks(), strict=True):
        expected = silhouette_score(labelled.task.X, before.labels[-1][labelled.name])
        assert score == pytest.approx(expected, abs=1e-6)
    assert RunStore(tmp_path).load(after.run_id).scores["silhouette"] == after.scores["silhouette"]


def test_a_stored_run_whose_labels_are_lost_is_made_again_for_a_new_metric(blob_stream, tmp_path, started, caplog):
    (before,) = run("random", blob_stream, results=tmp_path)
    RunStore(tmp_path).labels_file(before.run_id).unlink()
    (after,) = run("random", blob_stream, [started], metrics="silhouette", results=tmp_path)
    assert started.labels == ["random"]
    assert after.labels_digest == before.labels_digest
    (said,) = caplog.messages
    assert said.endswith(" The run is made again.")


def test_a_stored_run_is_done_again_if_its_record_is_damaged_after_the_backlog_was_found(
    blob_stream, tmp_path, started
):
    asked = Experiment(methods="random", streams=blob_stream, results=tmp_path)
    (before,) = carry_out(prepare(asked))
    prepared = prepare(asked)
    assert len(prepared.backlog.done) == 1
    RunStore(tmp_path).run_file(before.run_id).write_text("{")
    (after,) = carry_out(prepared, listeners=[started])
    assert started.labels == ["random"]
    assert after.labels_digest == before.labels_digest


def test_a_warning_says_that_the_code_of_stored_runs_was_changed(blob_stream, tmp_path, monkeypatch, caplog):
    for count, said in ((1, "the run here was made"), (2, "the 2 runs here were made")):
        run("random", blob_stream, repeats=count, results=tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr("lcbench.experiment.pipeline.changed_code", lambda *_: True)
            run("random", blob_stream, repeats=count, results=tmp_path)
        assert caplog.messages.pop().startswith(f"The code of 'random' was changed since {said}, and its revision")


def test_a_tuned_run_is_stored_with_the_labels_of_the_chosen_run_and_only_once(blob_stream, tmp_path, monkeypatch):
    (tuned,) = run("kmeans", blob_stream, results=tmp_path, **TUNED)
    store = RunStore(tmp_path)
    stored, chosen = (store.load_labels(run_id) for run_id in (tuned.run_id, tuned.choice["run_id"]))
    assert len(stored) == len(chosen) == 3
    for mine, theirs in zip(stored, chosen, strict=True):
        assert mine.keys() == theirs.keys()
        assert all((mine[task] == theirs[task]).all() for task in mine)
    monkeypatch.setattr(RunStore, "save", lambda *_: pytest.fail("a run was written again"))
    (again,) = run("kmeans", blob_stream, results=tmp_path, **TUNED)
    assert again.choice == tuned.choice


def test_a_tuned_run_is_not_stored_without_the_labels_of_the_chosen_run(blob_stream, tmp_path, caplog):
    (tuned,) = run("kmeans", blob_stream, results=tmp_path, **TUNED)
    store = RunStore(tmp_path)
    store.run_file(tuned.run_id).unlink()
    store.labels_file(tuned.choice["run_id"]).unlink()
    (again,) = run("kmeans", blob_stream, results=tmp_path, **TUNED)
    assert again.choice == tuned.choice
    assert any(message.startswith("'kmeans (silhouette)' is not kept: ") for message in caplog.messages)
    assert not store.run_file(tuned.run_id).exists()


def test_without_labels_silhouette_is_shown_also_for_runs_that_are_stored(tmp_path, caplog):
    stream = make_stream("mine", 2, labelled=False)
    for _ in range(2):
        assert run("kmeans", stream, results=tmp_path).metrics == ["silhouette"]
    assert caplog.messages == []


def test_a_warning_names_the_metrics_that_stay_empty_and_the_tasks_without_labels(caplog):
    some = ArrayStream("mine", [make_task("a"), make_task("b", labelled=False)])
    assert run("kmeans", some).metrics == ["purity", "nmi", "ri", "silhouette"]
    run("kmeans", make_stream("mine", 1, labelled=False), metrics=["nmi", "silhouette"])
    assert caplog.messages == [
        "Stream 'mine' has no labels for b: purity, nmi, ri cannot be computed there, nor averaged over all tasks.",
        "Stream 'mine' has no labels: nmi cannot be computed.",
    ]


def test_an_outcome_is_a_list_of_its_own_of_the_runs_and_tells_which_failed_also_in_the_search():
    runs = [make_record(repeat=r, status=TIMEOUT if r == 1 else OK) for r in range(3)]
    searched, metrics = [make_record("point", status=CRASHED), make_record("point", repeat=1)], ["nmi"]
    outcome = Outcome(runs, metrics, searched=searched)
    assert (list(outcome), outcome[-1]) == (runs, runs[2])
    assert outcome.failed == [runs[1], searched[0]]
    runs.clear()
    metrics.append("purity")
    assert (len(outcome), outcome.metrics) == (3, ["nmi"])
