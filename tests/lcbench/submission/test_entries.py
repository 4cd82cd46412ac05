from __future__ import annotations

from dataclasses import replace

import pytest
from small_suite import runs_in

from lcbench.experiment.rescoring import Rescoring
from lcbench.records.record import FAILED, OK
from lcbench.submission.entries import entries_of
from lcbench.submission.standings import make_boards


def entries(*submissions):
    with Rescoring() as rescoring:
        return entries_of(submissions, {}, rescoring)


def with_failed(checked, wanted):
    """The submission, in which runs failed."""

    def failed(run):
        return replace(run, status=FAILED, error="it failed", scores={}, agreement=[], largest=[])

    def changed(runs):
        return {key: failed(run) if wanted(run) else run for key, run in runs.items()}

    return replace(checked, runs=changed(checked.runs), solos=changed(checked.solos))


def test_a_method_has_the_runs_of_the_submission_as_they_are(checked, submission):
    made = {entry.name: entry for entry in entries(checked)}
    assert list(made) == ["mini-batch-kmeans", "kmeans"]
    stored = {run.run_id: run.scores for run in runs_in(submission) if run.label == "kmeans"}
    assert {run.run_id: run.scores for run in made["kmeans"].runs} == stored
    assert made["kmeans"].failed == ()
    assert len(made["mini-batch-kmeans"].solos) == 8


def test_a_failed_run_counts_as_one_cluster_and_is_marked(checked):
    """One cluster has an ARI of zero, so that of two runs on digits half the score of the other is left."""
    whole = {entry.name: entry for entry in entries(checked)}["kmeans"].runs_on("digits")
    lost, kept = whole
    (board,) = make_boards(entries(with_failed(checked, lambda run: run.run_id == lost.run_id)))
    standing = next(each for each in board.standings if each.entry.name == "kmeans")
    average = sum(kept.scores["ari"][-1]) / 3
    assert standing.scores["digits", "ari"].mean == pytest.approx(average / 2)
    assert [run.run_id for run in standing.entry.failed] == [lost.run_id]
    assert (standing.entry.failed_on("digits"), standing.entry.failed_on("words")) == (1, 0)
    assert all(run.status == OK for run in standing.entry.runs)


def test_a_task_that_failed_alone_counts_as_one_cluster_in_solo(checked):
    broken = with_failed(checked, lambda run: run.label == "mini-batch-kmeans" and len(run.order) == 1)
    (board,) = make_boards(entries(broken))
    standing = next(each for each in board.standings if each.entry.name == "mini-batch-kmeans")
    assert standing.parts["solo"].mean == 0
    assert standing.parts["total_transfer"].mean == pytest.approx(standing.means["ari"].mean)


def test_methods_of_one_label_are_told_apart(checked):
    package = checked.description.package.model_copy(update={"version": "9"})
    other = replace(checked, id="f" * 64, description=checked.description.model_copy(update={"package": package}))
    again = replace(other, id="e" * 64)
    version = checked.description.package.version
    assert [each.name for each in entries(checked, other) if each.method.label == "kmeans"] == [
        f"kmeans (lcbench {version})", "kmeans (lcbench 9)",
    ]  # fmt: skip
    assert [each.name for each in entries(other, again) if each.method.label == "kmeans"] == [
        "kmeans (lcbench 9, ffffffff)", "kmeans (lcbench 9, eeeeeeee)",
    ]  # fmt: skip
