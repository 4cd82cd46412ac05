from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from edited_records import write_older
from making import make_results
from sklearn.metrics import adjusted_rand_score, silhouette_score

import lcbench
from lcbench.contract.metric import ExternalMetric, InternalMetric
from lcbench.contract.task import LabelledTask
from lcbench.errors import DataUnavailableError
from lcbench.records.record import FAILED
from lcbench.records.scoring import (
    Drift,
    add_scores,
    agreement_matrix,
    complete,
    finite_or_none,
    largest_shares,
    score_row,
)
from lcbench.records.store import RunStore


class Rand(ExternalMetric):
    def score(self, table):
        return adjusted_rand_score(table.y, table.labels)


class Silhouette(InternalMetric):
    def score(self, X, labels):
        return silhouette_score(X, labels)


class Always(InternalMetric):
    """Returns a fixed value, or raises it."""

    def __init__(self, value):
        self.value = value

    def score(self, X, labels):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


@pytest.fixture
def tasks(make_task):
    return [make_task("a"), make_task("b", seed=1)]


@pytest.fixture
def labels(tasks):
    """Labels of the first task with a few samples in the wrong cluster."""
    return np.where(np.arange(60) < 50, tasks[0].y, 0)


def test_scores_are_those_of_scikit_learn_and_a_task_without_labels_has_none(tasks, labels):
    row = score_row({"rand": Rand(), "silhouette": Silhouette()}, tasks, {"a": labels})
    assert row == {
        "rand": [pytest.approx(adjusted_rand_score(tasks[0].y, labels)), None],
        "silhouette": [pytest.approx(silhouette_score(tasks[0].task.X, labels)), None],
    }
    assert 0.5 < row["rand"][0] < 1


def test_without_true_classes_only_metrics_that_need_none_are_computed(tasks, labels):
    unlabelled = LabelledTask(tasks[0].task, None)
    row = score_row({"rand": Rand(), "silhouette": Silhouette()}, [unlabelled], {"a": labels})
    assert row == {"rand": [None], "silhouette": [pytest.approx(silhouette_score(tasks[0].task.X, labels))]}


def test_a_metric_that_raises_is_a_warning_and_the_other_scores_stay(tasks, labels, caplog):
    row = score_row({"bad": Always(ValueError("no luck")), "good": Always(0.5)}, tasks, {"a": labels, "b": labels})
    assert row == {"bad": [None, None], "good": [0.5, 0.5]}
    found = [re.sub(r":\d+\)", ":LINE)", message) for message in caplog.messages]
    said = "ValueError: no luck (test_scoring.py:LINE)"
    assert found == [f"Metric 'bad' failed on task '{task}': {said}" for task in "ab"]


def test_an_object_that_is_no_metric_is_a_warning_that_names_its_class(tasks, labels, caplog):
    assert score_row({"odd": object()}, tasks[:1], {"a": labels}) == {"odd": [None]}
    assert "object is neither an ExternalMetric nor an InternalMetric" in caplog.text


@pytest.mark.parametrize(
    "value", [math.nan, -math.inf, np.float32("nan"), 1e308, -1e308]
)  # the mean of two is infinite
def test_a_score_that_is_not_finite_becomes_none(tasks, labels, value):
    assert score_row({"always": Always(value), "high": Always(1e300)}, tasks[:1], {"a": labels}) == {
        "always": [None],
        "high": [1e300],
    }
    assert finite_or_none(float(value)) is None


def test_a_row_has_a_value_where_a_task_has_labels_now_and_when_it_was_learned():
    a, turned = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    drift = Drift(["a", "b", "c", "d"])
    for task in "abc":
        drift.cells(task, {task: a})
    now = {"a": turned, "b": a[[0, 2, 1, 3]], "c": a, "d": a}
    assert drift.rows(drift.cells("c", now))[0] == [1.0, pytest.approx(-0.5), 1.0, None]
    del now["b"]
    assert drift.rows(drift.cells("c", now))[0] == [1.0, None, 1.0, None]


def test_a_task_that_is_learned_again_is_compared_with_its_new_labels():
    a, other = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    drift = Drift(["a", "b"])
    drift.cells("a", {"a": a})
    assert drift.cells("b", {"a": other, "b": a})["a"][0] == pytest.approx(-0.5)
    assert drift.cells("a", {"a": other, "b": a})["a"] == (1.0, 0.5)
    assert drift.cells("b", {"a": a, "b": a})["a"][0] == pytest.approx(-0.5)


def test_the_matrix_compares_the_labels_of_each_step_with_those_when_the_task_was_learned():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    steps = [
        {"x": a, "y": b},
        {"x": b, "y": a},
        {"x": 1 - a, "y": b, "z": a},
    ]  # y was predicted at the first step, before it was learned
    apart = pytest.approx(-0.5)
    assert agreement_matrix(["x", "y", "z"], steps) == [[1.0, None, None], [apart, 1.0, None], [1.0, apart, 1.0]]
    assert agreement_matrix(["x", "y", "z"], steps[:1]) == [[1.0, None, None]]
    assert agreement_matrix(["x"], []) == []


def test_the_largest_share_of_a_task_is_that_of_its_commonest_label():
    labels = {"a": np.array([7, 7, 7, 2]), "b": np.array([0, 1, 2, 3, 4]), "c": np.array([5, 5])}
    assert largest_shares(["b", "x", "a", "c"], labels) == [0.2, None, 0.75, 1.0]
    assert largest_shares(["a"], {}) == [None]


@pytest.mark.parametrize("how", [{}, {"evaluate": "last"}, {"future": True}], ids=str)
def test_the_agreement_of_a_run_is_that_of_its_labels_by_scikit_learn(how):
    (run,) = lcbench.run("usc", "digits:tasks=3,per_class=15", baselines=False, solo=False, **how)
    for i, now in enumerate(run.labels):
        for j, task in enumerate(run.order):
            known = j <= i and task in now
            expected = pytest.approx(adjusted_rand_score(now[task], run.labels[j][task])) if known else None
            assert run.agreement[i][j] == expected
    assert (run.agreement[1][0] is None) == (how == {"evaluate": "last"})
    assert min(run.agreement[-1]) < 0.9
    assert run.to_json()["agreement"] == run.agreement


@pytest.mark.parametrize("how", [{"evaluate": "every:2"}, {"future": True}, {"order": ["task-3", "task-1"]}], ids=str)
def test_a_metric_added_later_has_the_same_scores_as_in_a_new_run(blob_stream, tmp_path, how):
    experiment = partial(lcbench.run, "usc", blob_stream, solo=False, baselines=False, **how)
    experiment(out=tmp_path)
    (later,) = experiment(out=tmp_path, metrics="silhouette")
    (at_once,) = experiment(metrics="silhouette")
    assert later.run_id == at_once.run_id
    assert later.scores["silhouette"] == at_once.scores["silhouette"]
    assert any(cell is not None for row in later.scores["silhouette"] for cell in row)


def test_an_added_metric_is_computed_once_from_the_stored_labels_and_saved_and_nothing_else_changes(
    blob_stream, tmp_path, monkeypatch
):
    (before,) = lcbench.run("kmeans", blob_stream, out=tmp_path)
    monkeypatch.setattr("lcbench.running.pool.Pool.run_all", lambda *_: pytest.fail("a run was made"))
    add = partial(lcbench.run, "kmeans", blob_stream, out=tmp_path, metrics=["silhouette", "nmi:average=geometric"])
    add()
    after = RunStore(tmp_path).load(before.run_id)
    changed = {key for key, value in before.to_json().items() if after.to_json()[key] != value}
    assert changed == {"scores", "summary"}
    assert set(after.scores) == {*before.scores, "silhouette", "nmi:average=geometric"}
    assert {key: after.scores[key] for key in before.scores} == before.scores
    labels = RunStore(tmp_path).load_labels(before.run_id)[2]["task-1"]
    expected = silhouette_score(blob_stream.tasks()[0].task.X, labels)
    assert after.scores["silhouette"][2][0] == pytest.approx(expected)
    monkeypatch.setattr("lcbench.records.scoring.add_scores", lambda *_: pytest.fail("it was computed again"))
    add()


def test_a_finished_run_of_an_older_lcbench_gets_its_agreement_and_shares_unless_its_labels_are_gone(record, caplog):
    store = make_results(record)
    write_older(store.run_file(record.run_id), without=("agreement", "largest"))
    older, failed = store.load(record.run_id), replace(store.load(record.run_id), status=FAILED)
    for run in (older, failed):
        complete(run, store)
    drifted = adjusted_rand_score([0, 1, 1], [1, 1, 0])
    completed = [[1.0, None], [pytest.approx(drifted), 1.0]], [pytest.approx(2 / 3), 0.5]
    assert drifted < 1
    assert (older.agreement, older.largest) == completed
    assert (failed.agreement, failed.largest) == ([], [])
    store.labels_file(record.run_id).unlink()
    without_labels = store.load(record.run_id)
    for run in (older, without_labels):
        complete(run, store)
    assert (older.agreement, older.largest) == completed
    assert (without_labels.agreement, without_labels.largest) == ([], [])
    assert caplog.messages == []


def test_labels_that_an_older_record_would_be_completed_from_are_named_if_they_were_edited(record, caplog):
    store = make_results(record)
    write_older(store.run_file(record.run_id), without=("agreement", "largest"))
    np.savez(store.labels_file(record.run_id), **{"step-1-task-1": np.arange(3)})
    older = store.load(record.run_id)
    complete(older, store)
    assert (older.agreement, older.largest) == ([], [])
    (message,) = caplog.messages
    assert "are damaged: they are not the ones that the run ended with" in message


def test_an_added_metric_is_saved_in_a_tuned_run_too(blob_stream, tmp_path):
    how = {"grid": {"kmeans": {"n_init": [1, 2]}}, "tune": "oracle", "out": tmp_path}
    lcbench.run("kmeans", blob_stream, **how)
    (run,) = lcbench.run("kmeans", blob_stream, metrics=["purity", "nmi:average=geometric"], **how)
    assert RunStore(tmp_path).load(run.run_id).scores == run.scores
    assert "nmi:average=geometric" in run.scores
    assert RunStore(tmp_path).load(run.run_id).agreement == run.agreement != []


def test_if_the_data_are_not_available_any_more_a_metric_cannot_be_added_and_the_run_stays(
    tiny_stream, cache, tmp_path
):
    out = tmp_path / "results"
    (before,) = lcbench.run("kmeans", "tiny", out=out)
    for folder in cache.iterdir():
        folder.rename(tmp_path / folder.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LCBENCH_OFFLINE", "1")
        assert [run.scores for run in lcbench.run("kmeans", "tiny", out=out)] == [before.scores]
        with pytest.raises(DataUnavailableError, match="tiny"):
            lcbench.run("kmeans", "tiny", out=out, metrics="silhouette")
    assert RunStore(out).load(before.run_id).scores == before.scores


@pytest.mark.parametrize("fate", ["gone", "another run's"])
def test_a_run_whose_labels_are_missing_or_wrong_is_made_again_with_a_warning(blob_stream, tmp_path, caplog, fate):
    (before,) = lcbench.run("kmeans", blob_stream, out=tmp_path)
    file = RunStore(tmp_path).labels_file(before.run_id)
    if fate == "gone":
        file.unlink()
    else:
        np.savez(file, **{f"step-{i}-task-{j}": np.zeros(60, dtype=int) for i in (1, 2, 3) for j in range(1, i + 1)})
    (run,) = lcbench.run("kmeans", blob_stream, out=tmp_path, metrics="silhouette")
    assert any(str(file) in message and message.endswith("The run is made again.") for message in caplog.messages)
    assert run.finished > before.finished
    assert run.labels_digest == before.labels_digest
    RunStore(tmp_path).load_labels(run.run_id)
    assert "silhouette" in RunStore(tmp_path).load(run.run_id).scores


def test_scores_are_added_in_the_steps_that_the_schedule_of_the_run_scores(blob_stream):
    (run,) = lcbench.run("kmeans", blob_stream, evaluate="last", baselines=False)
    bare = replace(run, scores={}, agreement=[], largest=[])
    score = partial(score_row, {"purity": lcbench.load_metric("purity")}, blob_stream.tasks())
    add_scores(bare, ["purity"], lambda steps: list(map(score, steps)))
    assert bare.scores == {"purity": run.scores["purity"]}
    assert bare.scores["purity"][0] == [None] * 3
    assert bare.agreement == run.agreement
    assert bare.largest == run.largest == [pytest.approx(1 / 3)] * 3
