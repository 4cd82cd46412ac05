from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from listening import Started
from making import make_record, make_stream, make_task
from plans import plan_runs
from sklearn.metrics import silhouette_score
from small_methods import ByTurns, Counter, FailsAt, Forgetful, Seeded

import lcbench
from lcbench import Task, hookimpl
from lcbench.contract.stream import ArrayStream
from lcbench.errors import ParameterError
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import Outcome, carry_out, executor_of, prepare
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.records.store import RunStore
from lcbench.running.executor import InProcess, Limits, Processes
from lcbench.running.provenance import code_of, code_of_metrics, code_of_stream, merged

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


def run_in_processes(methods, streams, listeners=(), executor=None, **options) -> Outcome:
    asked = Experiment(methods=methods, streams=streams, **options)
    return carry_out(prepare(asked), listeners=listeners, executor=executor)


run = partial(run_in_processes, executor=InProcess())  # starts faster; most tests hold for any executor


def digests(outcome) -> dict[str, str | None]:
    """The digests of the labels of each method on the small stream."""
    found = [(run.label, run.labels_digest) for run in outcome if run.stream == "blobs"]
    assert len(dict(found)) == len(found)
    return dict(found)


@pytest.mark.parametrize(
    ("executor", "methods", "companies"),
    [(None, ["l2sc", "random", Dice()], 1), (InProcess(), ["l2sc", "kmeans", "random", Seeded(), Dice()], 2)],
    ids=["processes", "one process"],
)
def test_the_same_seed_gives_the_same_labels_whatever_else_is_in_the_run(blob_stream, executor, methods, companies):
    alone = {}
    for method in methods:
        alone |= digests(run_in_processes([method], blob_stream, baselines=False, solo=False, executor=executor))
    assert len(alone) == len(methods)
    others = ["kmeans:n_init=1", "one-cluster"]
    every = [*reversed(methods), *others], ["l2sc:lam=3", *methods[1:], "l2sc"]
    for company in every[:companies]:
        together = run_in_processes(company, ["digits:tasks=2,per_class=4", blob_stream], solo=False, executor=executor)
        assert digests(together).items() >= alone.items()


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
    one = digests(run(Dice(), blob_stream))
    second = np.random.random()  # noqa: NPY002
    assert one == digests(run(Dice(), blob_stream, [Gambler()]))
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


@pytest.fixture
def sealable(monkeypatch):
    """As where bubblewrap works."""
    monkeypatch.setattr("lcbench.running.sealing.bubblewrap", lambda hidden, shown: [])
    monkeypatch.setattr("lcbench.running.sealing.check", lambda words: None)


@pytest.mark.usefixtures("sealable")
def test_a_sealed_experiment_hides_the_cache_the_data_the_results_and_the_folder_of_its_stream(tmp_path, monkeypatch):
    folder = tmp_path / "stream"
    folder.mkdir()
    for labelled in make_stream().tasks():
        np.savez(folder / f"{labelled.name}.npz", X=labelled.task.X, y=labelled.y)
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path / "data"))
    every = {tmp_path / name for name in ("cache", "data", "results", "stream")}
    for streams, results in (
        (str(folder), tmp_path / "results"),
        (lcbench.load_stream(str(folder)), RunStore(tmp_path / "results")),
    ):
        asked = Experiment(methods="random", streams=streams, results=results, sealed=True)
        assert every <= set(executor_of(prepare(asked))._hidden)
        assert (tmp_path / "cache").is_dir(), "what is not there cannot be hidden"
        assert (tmp_path / "results").is_dir()
        (tmp_path / "results").rmdir()


@pytest.mark.usefixtures("sealable")
def test_an_experiment_is_not_sealed_if_a_folder_that_must_be_hidden_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ParameterError, match=r"^Runs cannot be sealed, as .*cache', which must be hidden from them"):
        run_in_processes("random", "digits:tasks=2", sealed=True)


def test_where_runs_cannot_be_sealed_no_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ParameterError, match="cannot be sealed here"):
        run_in_processes("random", "digits:tasks=2", results=tmp_path / "results", sealed=True)
    assert list(tmp_path.iterdir()) == []


def test_an_executor_that_cannot_seal_is_refused_for_a_sealed_experiment(blob_stream):
    prepared = prepare(Experiment(methods="random", streams=blob_stream, sealed=True))
    with pytest.raises(ParameterError, match=r"^The executor InProcess cannot seal runs: leave out"):
        carry_out(prepared, executor=InProcess())


@pytest.mark.usefixtures("sealable")
def test_stored_runs_that_were_not_sealed_are_counted_when_sealed_ones_are_asked_for(blob_stream, tmp_path, caplog):
    run(["random", "kmeans"], blob_stream, results=tmp_path)
    assert "sealed" not in caplog.text
    run_in_processes(["random", "kmeans"], blob_stream, results=tmp_path, sealed=True)
    assert "2 runs that were stored before were not sealed: --fresh makes them again." in caplog.messages


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


# runs that learn one task alone


def ids(runs) -> set[str]:
    return {run.run_id for run in runs}


def solo_ids(*runs) -> set[str]:
    return {run_id for run in runs for run_id in run.solo_ids}


def test_a_solo_run_has_the_id_the_seed_and_the_labels_of_an_ordinary_run_of_that_task(blob_stream):
    outcome = run("l2sc", blob_stream, order="random", repeats=2, baselines=False)
    assert ids(outcome.solos) == solo_ids(*outcome)
    plain = [
        each
        for task in ("task-1", "task-2", "task-3")
        for each in run("l2sc", blob_stream, order=[task], repeats=2, baselines=False, solo=False)
    ]
    assert ids(plain) == ids(outcome.solos)
    alone = {solo.run_id: solo for solo in outcome.solos}
    for each in plain:
        solo = alone[each.run_id]
        assert (each.labels_digest, each.scores) == (solo.labels_digest, solo.scores)


def test_solo_runs_are_stored_resumed_and_shared_by_all_orders_of_a_seed_and_repeat(blob_stream, tmp_path, started):
    first = run("usc", blob_stream, baselines=False, results=tmp_path)
    assert ids(first.solos) == solo_ids(*first)
    assert set(RunStore(tmp_path).index()) == ids(first) | ids(first.solos)
    again = run("usc", blob_stream, [started], baselines=False, results=tmp_path)
    assert started.labels == []
    assert [solo.scores for solo in again.solos] == [solo.scores for solo in first.solos]
    other = run("usc", blob_stream, [started], order="all", baselines=False, results=tmp_path)
    assert started.labels == ["usc"] * 5, "the other orders of three tasks, and no task alone"
    assert ids(other.solos) == ids(first.solos)
    assert len(run("usc", blob_stream, [started], seed=1, baselines=False, results=tmp_path).solos) == 3
    assert started.labels == ["usc"] * (5 + 4)


def test_a_folder_without_solo_runs_gets_them_by_the_same_command(blob_stream, tmp_path, started):
    plain = run("usc", blob_stream, repeats=2, baselines=False, results=tmp_path, solo=False)
    assert plain.solos == []
    files = {run_id: RunStore(tmp_path).run_file(run_id).read_bytes() for run_id in ids(plain)}
    whole = run("usc", blob_stream, [started], repeats=2, baselines=False, results=tmp_path)
    assert started.labels == ["usc"] * 6
    assert set(RunStore(tmp_path).index()) - ids(plain) == solo_ids(*plain) == ids(whole.solos)
    assert {run_id: RunStore(tmp_path).run_file(run_id).read_bytes() for run_id in ids(plain)} == files
    without = run("usc", blob_stream, [started], repeats=2, baselines=False, results=tmp_path, solo=False)
    assert (len(started.labels), without.solos) == (6, [])


def test_an_instance_learns_each_task_alone_with_a_fresh_copy(blob_stream, tmp_path):
    method = Counter()
    outcome = run(method, blob_stream, results=tmp_path)
    assert not hasattr(method, "learned_")
    assert [solo.order for solo in outcome.solos] == [("task-1",), ("task-2",), ("task-3",)]
    assert all((solo.labels[0][solo.order[0]] == 1).all() for solo in outcome.solos), "the first task it has seen"
    assert ids(outcome.solos) == solo_ids(*outcome)


def test_only_the_point_that_tuning_chose_learns_tasks_alone_also_if_all_points_are_stored(
    blob_stream, tmp_path, started
):
    tuned = {"grid": {"usc": {"n_neighbors": [3, 5, 10]}}, "tune": "oracle", "baselines": False, "results": tmp_path}
    first = run("usc", blob_stream, solo=False, **tuned)
    assert first.solos == []
    outcome = run("usc", blob_stream, [started], **tuned)
    assert len(started.labels) == 3
    (chosen,) = outcome
    assert {solo.params["n_neighbors"] for solo in outcome.solos} == {chosen.choice["params"]["n_neighbors"]}
    assert ids(outcome.solos) == set(chosen.solo_ids)
    (point,) = [each for each in outcome.searched if each.run_id == chosen.choice["run_id"]]
    assert point.solo_ids == chosen.solo_ids
    again = run("usc", blob_stream, [started], **tuned)
    assert (len(started.labels), ids(again.solos)) == (3, ids(outcome.solos))
    fresh = run("usc", blob_stream, **{**tuned, "results": None})
    assert ids(fresh.solos) == ids(outcome.solos), "the same in one go, and without a store"


def test_a_solo_run_that_fails_is_among_the_failed_and_the_others_stay(blob_stream):
    outcome = run(FailsAlone(), blob_stream)
    assert [each.status for each in outcome] == [OK]
    (failed,) = outcome.failed
    assert failed.order == ("task-3",)
    assert [solo.status for solo in outcome.solos] == [OK, OK, FAILED]


class FailsAlone(Counter):
    """Cannot learn the third task without another."""

    def partial_fit(self, task: Task) -> FailsAlone:
        if task.name == "task-3" and not hasattr(self, "learned_"):
            raise RuntimeError("alone")
        return super().partial_fit(task)


def test_solo_runs_are_measured_and_go_through_no_other_audit(blob_stream, tmp_path, started):
    outcome = run("usc", blob_stream, audit="poison", baselines=False, results=tmp_path)
    assert set(outcome[0].audit) == {"measure", "poison"}
    assert {tuple(solo.audit) for solo in outcome.solos} == {("measure",)}
    run("usc", blob_stream, [started], audit="poison", baselines=False, results=tmp_path)
    assert started.labels == []


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


def test_runs_are_kept_with_the_names_of_all_experiments_that_asked_for_them(blob_stream, tmp_path, started):
    how = {"baselines": False, "results": tmp_path}
    first = run(["usc", "random"], blob_stream, name="one", **how)
    stored = RunStore(tmp_path)
    assert {stored.load(run_id).experiments for run_id in ids(first) | ids(first.solos)} == {("one",)}
    before = {run_id: stored.load_labels(run_id) for run_id in ids(first)}
    run("usc", blob_stream, [started], name="two", order=list(first[0].order), **how)
    assert started.labels == []
    again = RunStore(tmp_path)
    joined, untouched = (again.load(each.run_id) for each in first)
    assert (joined.experiments, joined.order_kinds) == (("one", "two"), ("fixed", "listed"))
    assert (untouched.experiments, untouched.order_kinds) == (("one",), ("fixed",))
    assert again.index()[joined.run_id].experiments == ("one", "two")
    assert {again.load(run_id).experiments for run_id in joined.solo_ids} == {("one", "two")}
    labels = again.load_labels(joined.run_id)
    assert all((labels[-1][task] == before[joined.run_id][-1][task]).all() for task in joined.order)
    assert (joined.finished, joined.labels_digest) == (first[0].finished, first[0].labels_digest)


def test_a_solo_run_that_is_asked_for_by_its_order_belongs_to_both(blob_stream, tmp_path, started):
    outcome = run("usc", blob_stream, baselines=False, results=tmp_path)
    (asked_for,) = run("usc", blob_stream, [started], order=["task-2"], baselines=False, results=tmp_path)
    assert started.labels == []
    assert asked_for.run_id == outcome[0].solo_ids[1]
    assert RunStore(tmp_path).load(asked_for.run_id).order_kinds == ("solo", "listed")


def test_a_stored_run_keeps_its_name_and_its_baseline_when_another_experiment_takes_it(tmp_path):
    def stored():
        return {run.run_id: (run.label, run.baseline) for run in lcbench.load_results(tmp_path)}

    lcbench.run("l2sc", "digits:tasks=2,per_class=5", out=tmp_path)
    before = stored()
    lcbench.run("mine=l2sc", "digits:tasks=2,per_class=5", out=tmp_path, baselines=False, name="other")
    assert stored() == before
    named = [run for run in lcbench.load_results(tmp_path) if run.experiments == ("other",)]
    assert [run.label for run in named] == ["l2sc"]


def test_a_tuned_run_that_is_chosen_again_belongs_to_both_experiments(tmp_path):
    asked = {"streams": "digits:tasks=2,per_class=5", "grid": ["l2sc.lam=1,10"], "tune": "oracle", "out": tmp_path}
    lcbench.run("l2sc", name="first", **asked)
    lcbench.run("l2sc", name="second", **asked)
    (tuned,) = [run for run in lcbench.load_results(tmp_path) if run.choice is not None]
    assert tuned.experiments == ("first", "second")
