"""Runs that learn one task alone: ordinary runs, made once, stored, and shared by all that need them."""

from __future__ import annotations

from plans import run
from small_methods import Counter

from lcbench import Task
from lcbench.records.record import FAILED, OK
from lcbench.records.store import RunStore


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


def test_a_solo_run_that_is_asked_for_by_its_order_belongs_to_both(blob_stream, tmp_path, started):
    outcome = run("usc", blob_stream, baselines=False, results=tmp_path)
    (asked_for,) = run("usc", blob_stream, [started], order=["task-2"], baselines=False, results=tmp_path)
    assert started.labels == []
    assert asked_for.run_id == outcome[0].solo_ids[1]
    assert RunStore(tmp_path).load(asked_for.run_id).order_kinds == ("solo", "listed")
