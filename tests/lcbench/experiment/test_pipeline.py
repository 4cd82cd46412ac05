from __future__ import annotations

import pickle

import pytest
from making import make_record, make_stream, make_task
from plans import plan_runs, run, run_in_processes
from sklearn.metrics import silhouette_score
from small_methods import FailsAt, Forgetful

import lcbench
from lcbench import hookimpl
from lcbench.contract.stream import ArrayStream
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import Outcome, carry_out, executor_of, prepare
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.records.store import RunStore
from lcbench.running.executor import Limits, Processes
from lcbench.running.provenance import code_of, code_of_metrics, code_of_stream, merged

TUNED = {"grid": "kmeans.n_init=1,2", "tune": "silhouette"}


@pytest.mark.parametrize("kind", [ValueError, SystemExit, MemoryError])
def test_a_method_that_raises_is_a_failed_record_with_the_part_it_reached_and_the_rest_goes_on(blob_stream, kind):
    outcome = run_in_processes([FailsAt(task="task-3", error=kind("no more")), "one-cluster"], blob_stream)
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
    assert [planned.record.label for planned in prepared.backlog.left] == ["stsc", "l2sc", *["l2sc"] * 4]
    assert [planned.solo for planned in prepared.backlog.left] == [False, False, *[True] * 4]
    assert list(tmp_path.iterdir()) == []


def test_a_prepared_experiment_can_be_pickled_and_carried_out_twice():
    prepared = prepare(Experiment(methods="l2sc", streams="digits:tasks=2"))
    first, second = carry_out(pickle.loads(pickle.dumps(prepared))), carry_out(prepared)
    assert [run.labels_digest for run in first] == [run.labels_digest for run in second]
    assert all(len(run.learn_seconds) == 2 for run in (*first, *second))


def test_a_record_has_the_code_and_the_command_that_made_it(blob_stream):
    (planned,) = plan_runs("random", "digits:tasks=2")
    (made,) = run("random", "digits:tasks=2")
    packages = {**code_of_stream(planned.stream), **merged(code_of_metrics(()).values())}
    assert made.code == {**code_of(planned.method), "packages": packages}
    assert (made.code["distribution"], set(packages)) == ("lcbench", {"lcbench_streams", "lcbench_indices"})
    assert made.command == "lcbench run --method random --stream digits:tasks=2"
    assert run("random", blob_stream).runs[0].command == ""


@pytest.mark.parametrize(
    ("options", "limits"),
    [
        ({}, Limits()),
        ({"jobs": 3, "threads": 2, "timeout": "5min", "memory_limit": "2GB"}, Limits(3, 2, 300.0, 2 * 10**9)),
    ],
    ids=["none", "all"],
)
def test_every_run_has_a_process_of_its_own_with_the_limits_of_the_experiment(monkeypatch, options, limits):
    monkeypatch.setattr("lcbench.running.process_limits.can_limit_memory", lambda: True)
    executor = executor_of(prepare(Experiment(methods="random", streams="digits:tasks=2", **options)))
    assert isinstance(executor, Processes)
    assert executor._limits == limits
    assert executor._hidden is None


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
    assert run("kmeans", some).metrics == ["purity", "nmi", "ri", "ari", "silhouette"]
    run("kmeans", make_stream("mine", 1, labelled=False), metrics=["nmi", "silhouette"])
    assert caplog.messages == [
        "Stream 'mine' has no labels for b: purity, nmi, ri, ari cannot be computed there, nor averaged over all "
        "tasks.",
        "Stream 'mine' has no labels: nmi cannot be computed.",
    ]


def test_an_outcome_is_a_list_of_its_own_of_the_runs_and_tells_which_failed_also_in_the_search_and_alone():
    runs = [make_record(repeat=r, status=TIMEOUT if r == 1 else OK) for r in range(3)]
    searched, metrics = [make_record("point", status=CRASHED), make_record("point", repeat=1)], ["nmi"]
    solos = [make_record("alone"), make_record("alone", repeat=1, status=FAILED)]
    outcome = Outcome(runs, metrics, solos=solos, searched=searched)
    assert (list(outcome), outcome[-1]) == (runs, runs[2])
    assert outcome.solos == solos
    assert outcome.failed == [runs[1], searched[0], solos[1]]
    runs.clear()
    metrics.append("purity")
    assert (len(outcome), outcome.metrics) == (3, ["nmi"])


class Interrupt:
    """A listener that ends the experiment when so many runs have begun."""

    def __init__(self, runs: int) -> None:
        self.left = runs

    @hookimpl
    def lcbench_run_started(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def test_an_experiment_interrupted_half_way_has_every_method_at_half_and_is_resumed_from_there(
    blob_stream, tmp_path, started
):
    methods = ["random", "usc", "one-cluster"]
    how = {"order": "random", "repeats": 4, "baselines": False, "results": tmp_path}
    each_turn = 3 + 3  # every method, and three tasks alone
    with pytest.raises(KeyboardInterrupt):
        run(methods, blob_stream, [Interrupt(2 * each_turn)], **how)
    stored = [RunStore(tmp_path).load(run_id) for run_id in RunStore(tmp_path).index()]
    whole = sorted((each.label, each.repeat) for each in stored if len(each.order) == 3)
    assert whole == [(label, repeat) for label in sorted(methods) for repeat in (0, 1)]
    alone = sorted((each.repeat, *each.order) for each in stored if len(each.order) == 1)
    assert alone == [(repeat, f"task-{t}") for repeat in (0, 1) for t in (1, 2, 3)]
    outcome = run(methods, blob_stream, [started], **how)
    assert len(started.labels) == 2 * each_turn
    assert [(each.label, each.repeat) for each in outcome] == [(label, r) for label in methods for r in range(4)]


def test_what_will_be_run_is_announced_before_the_first_run_and_again_when_tuning_has_chosen(blob_stream):
    heard = []

    class Notes:
        @hookimpl
        def lcbench_run_started(self):
            heard.append("run")

    def announce(runs) -> None:
        heard.append((len(runs), sum(planned.solo for planned in runs)))

    asked = Experiment(methods=[Forgetful()], streams=blob_stream)
    carry_out(prepare(asked), listeners=[Notes()], announce=announce)
    assert heard == [(4, 3), *["run"] * 4]
    heard.clear()
    grid = {"grid": {"usc": {"n_neighbors": [3, 5]}}, "tune": "oracle", "baselines": False}
    carry_out(prepare(Experiment(methods="usc", streams=blob_stream, **grid)), listeners=[Notes()], announce=announce)
    assert heard == [(2, 0), "run", "run", (3, 3), *["run"] * 3]
