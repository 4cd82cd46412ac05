from __future__ import annotations

import numpy as np
import pytest
from plans import plan_runs

import lcbench
from lcbench.experiment.options import Experiment
from lcbench.experiment.resuming import Backlog, expected_seconds, find_backlog
from lcbench.records.record import data_id
from lcbench.records.store import RunStore

METHODS = ["one-cluster", "random", "kmeans:n_init=1"]


def ended(planned):
    """The record of a planned run as if it had ended well, with a second for the first task, two for the second, ..."""
    record = planned.record.blank()
    record.learn_seconds = record.predict_seconds = [float(i + 1) for i in range(len(record.order))]
    record.state_bytes = [1] * len(record.order)
    record.labels = [{task: np.zeros(60, dtype=int)} for task in record.order]
    return record


@pytest.fixture
def plan(blob_stream):
    return plan_runs(METHODS, blob_stream)


@pytest.fixture
def store(plan, tmp_path) -> RunStore:
    """The first run ended well and was measured, the second one failed, the third was not made."""
    store = RunStore(tmp_path)
    for planned, status in zip(plan, ("ok", "crashed"), strict=False):
        record = planned.record.blank() if status != "ok" else ended(planned)
        record.status = status
        if status == "ok":
            record.audit = {"measure": {"task_bytes": [9] * 3, "held_bytes": [0] * 3}}
        store.save(record)
    return store


def labels(planned) -> list[str]:
    return [each.record.label for each in planned]


def sorted_out(plan, store, **options) -> tuple[list[str], list[str], list[str]]:
    backlog = find_backlog(plan, store, Experiment(**options))
    return labels(backlog.done), labels(backlog.failed), labels(backlog.left)


@pytest.mark.parametrize(
    ("options", "done", "failed"),
    [
        ({}, ["one-cluster"], ["random"]),
        ({"fresh": True}, [], []),
        ({"retry_failed": True}, ["one-cluster"], []),
        ({"audit": "measure"}, ["one-cluster"], ["random"]),
        ({"audit": "poison"}, [], ["random"]),
    ],
    ids=str,
)
def test_what_ended_well_with_all_audits_is_done_and_what_failed_is_left_alone(plan, store, options, done, failed):
    left = [label for label in METHODS if label not in (*done, *failed)]
    assert sorted_out(plan, store, **options) == (done, failed, left)


def test_without_a_store_all_is_to_do(plan):
    assert sorted_out(plan, None) == ([], [], METHODS)


def test_a_run_that_is_made_again_keeps_the_audits_it_had(plan, store):
    first, second, third = (planned.run_id for planned in plan)
    backlog = find_backlog(plan, store, Experiment(fresh=True))
    assert backlog.audits(("poison",)) == {first: ("poison", "measure"), second: ("poison",), third: ("poison",)}


def test_the_backlog_holds_the_status_and_the_audits_of_stored_runs(plan, store):
    first, second, third = (planned.run_id for planned in plan)
    backlog = find_backlog(plan, store, Experiment(fresh=True))
    assert backlog.statuses == {first: "ok", second: "crashed"}
    assert backlog.audited == {first: ("measure",), second: ()}
    assert third not in backlog.statuses


def test_finding_the_backlog_reads_the_index_and_no_run_file(plan, store, monkeypatch):
    store.index()
    again = RunStore(store.folder)
    monkeypatch.setattr(RunStore, "_read", lambda *_: pytest.fail("a run file was read"))
    assert sorted_out(plan, again)[0] == ["one-cluster"]


def test_an_instance_given_from_python_is_always_to_do(blob_stream, tmp_path):
    method = lcbench.load_method("kmeans")
    lcbench.run(method, blob_stream, out=tmp_path)
    assert len(sorted_out(plan_runs(method, blob_stream), RunStore(tmp_path))[2]) == 1


def test_what_is_left_comes_turn_by_turn_so_that_every_method_is_as_far_as_the_others(blob_stream):
    plan = plan_runs(
        ["random", "one-cluster", "usc"], blob_stream, order="random", repeats=3, baselines=False, solo=True
    )
    left = find_backlog(plan, None, Experiment()).left
    assert [(p.record.repeat, p.record.label) for p in left if not p.solo] == [
        (repeat, label) for repeat in range(3) for label in ("random", "one-cluster", "usc")
    ]
    assert [p.record.repeat for p in left] == sorted(p.record.repeat for p in left)
    assert len(left) == 3 * (3 + 3)


def test_a_solo_run_is_measured_only_whatever_other_audits_are_asked_for(blob_stream, tmp_path):
    plan = plan_runs("usc", blob_stream, baselines=False, solo=True)
    whole, *solos = plan
    asked = Experiment(audit="poison")
    audits = find_backlog(plan, None, asked).audits(("measure", "poison"))
    assert audits == {whole.run_id: ("measure", "poison"), **{solo.run_id: ("measure",) for solo in solos}}
    store = RunStore(tmp_path)
    for planned in plan:
        store.save(ended(planned))
    backlog = find_backlog(plan, store, asked)
    assert (backlog.left, backlog.done) == ([whole], solos)


def test_the_summary_counts_the_runs():
    assert Backlog().summary() == "0 runs: 0 done already, 0 to do"
    backlog = Backlog(done=[None] * 1200, failed=[None] * 2, left=[None])
    assert backlog.summary() == (
        "1,203 runs: 1,200 done already, 2 failed before (--retry-failed runs them again), 1 to do"
    )


def test_the_time_that_runs_will_take_is_that_of_stored_runs_of_the_same_method_and_stream(plan, tmp_path):
    store = RunStore(tmp_path)
    assert expected_seconds(plan, None) == expected_seconds(plan, store) == (0.0, 3)
    store.save(ended(plan.runs[0]))
    assert expected_seconds([*plan, plan.runs[0]], store) == (12.0, 2)


def test_a_folder_whose_data_changed_since_its_stored_runs_is_named_once(tmp_path, caplog):
    folder = tmp_path / "mine"
    folder.mkdir()
    asked = {"methods": "one-cluster", "streams": str(folder), "out": tmp_path / "out", "progress": False}
    for value, said in ((0.0, 0), (1.0, 1), (1.0, 1), (0.0, 1)):
        np.savez(folder / "a.npz", X=np.eye(4) + value, y=np.arange(4) % 2)
        lcbench.run(**asked)
        assert caplog.text.count("The data of 'mine' are not those of its 1 stored run: tables show") == said


def test_a_folder_that_holds_its_old_data_again_is_told_apart_from_the_newer_runs_on_others(tmp_path, caplog):
    folder = tmp_path / "mine"
    folder.mkdir()
    asked = {"methods": "one-cluster", "streams": str(folder), "out": tmp_path / "out", "progress": False}
    for value, said in ((0.0, 0), (1.0, 0), (1.0, 0), (0.0, 1)):
        np.savez(folder / "a.npz", X=np.eye(4) + value, y=np.arange(4) % 2)
        (run,) = lcbench.run(**asked).runs
        sentence = f"other commands show those: --stream mine@{data_id(run.stream_digest)} shows these."
        assert caplog.text.count(sentence) == said


def test_newer_runs_of_the_folder_with_other_parameters_are_no_reason_for_a_warning(tmp_path, caplog):
    table = tmp_path / "shops" / "mon.csv"
    table.parent.mkdir()
    for value, label in ((0, "z"), (1, "y"), (0, "z")):
        table.write_text(f"u,v,y,z\n{value},1,0,0\n2,3,1,1\n4,6,0,0\n5,7,1,1\n")
        stream = f"{table.parent}:label={label}"
        lcbench.run("one-cluster", stream, solo=False, out=tmp_path / "out", progress=False)
    assert "The data of 'shops' are not those of its 1 stored run" in caplog.text
    assert "other commands show those" not in caplog.text


@pytest.mark.parametrize("first", ["plain", "tuned"])
def test_runs_that_were_asked_for_by_the_name_of_their_method_stay_beside_a_tuning_over_them(tmp_path, first):
    asked = {"methods": "kmeans", "streams": "digits:tasks=2,per_class=5", "order": "random", "repeats": 2}
    asked |= {"out": tmp_path, "executor": lcbench.InProcess(), "progress": False}
    tuning = {"grid": {"kmeans": {"n_init": [5, 10]}}, "tune": "silhouette"}
    for more in ({}, tuning) if first == "plain" else (tuning, {}):
        lcbench.run(**asked | more)
    compared = lcbench.compare(lcbench.load_results(tmp_path)).streams[0]
    assert [(method.label, method.done) for method in compared.methods] == [("kmeans", 2), ("kmeans (silhouette)", 2)]


def test_a_warning_says_that_the_code_of_stored_runs_was_changed(blob_stream, tmp_path, monkeypatch, caplog):
    for count, said in ((1, "the run here was made"), (2, "the 2 runs here were made")):
        lcbench.run("random", blob_stream, repeats=count, out=tmp_path, executor=lcbench.InProcess())
        with monkeypatch.context() as patch:
            patch.setattr("lcbench.experiment.resuming.changed_code", lambda *_: True)
            lcbench.run("random", blob_stream, repeats=count, out=tmp_path)
        assert caplog.messages.pop().startswith(f"The code of 'random' was changed since {said}, and its revision")


def test_a_run_whose_labels_are_gone_or_edited_joins_another_experiment_all_the_same(blob_stream, tmp_path):
    (made,) = lcbench.run("random", blob_stream, out=tmp_path, executor=lcbench.InProcess())
    store = RunStore(tmp_path)
    for name, harm in (("gone", store.labels_file(made.run_id).unlink), ("edited", lambda: None)):
        harm()
        lcbench.run("random", blob_stream, out=tmp_path, name=name)
        assert name in RunStore(tmp_path).load(made.run_id).experiments
        np.savez(store.labels_file(made.run_id), **{"step-1-task-1": np.zeros(60, dtype=int)})
    again = RunStore(tmp_path).load(made.run_id)
    assert (again.finished, again.digest, again.experiments) == (made.finished, made.labels_digest, ("gone", "edited"))
