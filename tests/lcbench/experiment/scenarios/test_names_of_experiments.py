"""A run that several experiments ask for is kept once, with the names of all."""

from __future__ import annotations

from plans import run

import lcbench
from lcbench.records.store import RunStore


def test_runs_are_kept_with_the_names_of_all_experiments_that_asked_for_them(blob_stream, tmp_path, started):
    how = {"baselines": False, "results": tmp_path}
    first = run(["usc", "random"], blob_stream, name="one", **how)
    stored = RunStore(tmp_path)
    made = {each.run_id for each in (*first, *first.solos)}
    assert {stored.load(run_id).experiments for run_id in made} == {("one",)}
    before = {each.run_id: stored.load_labels(each.run_id) for each in first}
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
