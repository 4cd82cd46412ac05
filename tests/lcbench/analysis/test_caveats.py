from __future__ import annotations

import pytest
from making import make_record

import lcbench
from lcbench.analysis.caveats import FIRST_TIMES, LEFT, NOT_ISOLATED, caveats, collapses
from lcbench.records.record import CLOCK, FIRST_CLOCK, RunRecord


def now(label: str = "m", **changes):
    """A run of this version, in a process of its own."""
    return label, make_record(label, **{"clock": CLOCK, "isolated": True} | changes)


def old(label: str = "m", **changes):
    """A run of version 0.1."""
    return label, make_record(label, clock=FIRST_CLOCK, isolated=None, **changes)


def test_runs_of_one_version_in_processes_of_their_own_have_no_caveats():
    assert caveats([]) == []
    assert caveats([old(), old("other")]) == []
    assert caveats([now(), now("other", sealed=True)]) == []


def test_methods_that_ran_in_the_callers_process_are_named_in_one_note():
    assert caveats([now("a", isolated=False), now("b"), now("c", isolated=False)]) == [f"a, c: {NOT_ISOLATED}."]


def test_the_times_of_version_0_1_are_a_caveat_beside_those_of_this_version_only():
    assert caveats([old("a"), now("b")]) == [f"a: {FIRST_TIMES}."]
    assert caveats([old("a"), old("a", repeat=1), now("a", repeat=2)]) == [f"a (2 of 3 runs): {FIRST_TIMES}."]


def test_runs_that_failed_have_no_times_that_are_shown():
    assert caveats([old("a", status="failed"), now("b")]) == []
    assert caveats([old("a"), now("b", status="failed")]) == []


def test_methods_that_left_processes_behind_are_named_also_if_they_failed():
    assert caveats([now("a", processes_left=2, status="timeout"), now("b")]) == [f"a: {LEFT}."]


def test_methods_are_named_as_the_table_names_them():
    (_, run) = now("m", isolated=False)
    assert caveats([("m (lam=1)", run)]) == [f"m (lam=1): {NOT_ISOLATED}."]


def shares(*largest: float | None, **changes) -> RunRecord:
    """A run whose largest clusters hold these shares of the tasks a and b."""
    return make_record(largest=list(largest), **changes)


def test_a_method_that_puts_nearly_all_samples_in_one_cluster_is_named_if_another_does_not():
    assert collapses({"bad": [shares(0.96, 0.5)], "good": [shares(0.5, 0.5)]}) == [
        "bad collapses: more than 95% of the samples of 'a' are in one cluster, and another method finds more."
    ]
    assert collapses({"fair": [shares(0.95, 0.5)], "good": [shares(0.5, 0.5)]}) == []


def test_where_all_methods_put_nearly_all_samples_in_one_cluster_the_task_is_so():
    assert collapses({"one": [shares(0.99, 0.5)], "two": [shares(0.97, 0.5)]}) == []
    assert collapses({"alone": [shares(0.99, 0.5)]}) == []


def test_tasks_that_collapsed_are_named_with_the_number_of_runs_whatever_the_order():
    runs = [shares(0.99, 0.5), shares(0.5, 0.99, order="ba", repeat=1), shares(0.5, 1.0, repeat=2)]
    others = [shares(0.5, 0.5, repeat=repeat) for repeat in range(3)]
    (note,) = collapses({"bad": runs, "good": others})
    assert note.startswith("bad collapses: more than 95% of the samples of 'a' (2 of 3 runs), 'b' (1 of 3 runs) are")


def test_failed_runs_and_runs_without_labels_of_a_task_say_nothing():
    good = [shares(0.5, 0.5)]
    assert collapses({"failed": [shares(1.0, 1.0, status="failed")], "good": good}) == []
    assert collapses({"older": [shares()], "good": good}) == []
    assert collapses({"partly": [shares(None, 0.5)], "good": good}) == []
    assert collapses({"bad": [shares(1.0, 0.5)], "failed": [shares(0.5, 0.5, status="failed")]}) == []


def test_a_real_run_in_one_cluster_has_collapsed(blob_stream):
    runs = lcbench.run(["one-cluster", "kmeans"], blob_stream, executor=lcbench.InProcess())
    assert [run.largest for run in runs] == [[1.0] * 3, [pytest.approx(1 / 3)] * 3]
    (note,) = collapses({run.label: [run] for run in runs})
    assert note.startswith("one-cluster collapses: more than 95% of the samples of 'task-1', 'task-2', 'task-3' are")
