from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

import lcbench
from lcbench.errors import DataUnavailableError, RecordError
from lcbench.records.record import FAILED
from lcbench.records.rescoring import add_agreement, add_scores, complete
from lcbench.records.store import RunStore


@pytest.mark.parametrize(
    "how",
    [{}, {"evaluate": "last"}, {"evaluate": "every:2"}, {"future": True}, {"order": ["task-3", "task-1"]}],
    ids=str,
)
def test_a_metric_added_later_has_the_same_scores_as_in_a_new_run(blob_stream, tmp_path, how):
    methods = ["l2sc", "kmeans"]
    lcbench.run(methods, blob_stream, out=tmp_path, **how)
    later = lcbench.run(methods, blob_stream, out=tmp_path, metrics="silhouette", **how)
    at_once = lcbench.run(methods, blob_stream, metrics="silhouette", **how)
    assert [run.run_id for run in later] == [run.run_id for run in at_once]
    assert [run.scores["silhouette"] for run in later] == [run.scores["silhouette"] for run in at_once]
    assert any(cell is not None for run in later for row in run.scores["silhouette"] for cell in row)


def test_an_added_metric_is_computed_from_the_stored_labels_without_a_run(blob_stream, tmp_path, monkeypatch):
    lcbench.run("kmeans", blob_stream, out=tmp_path)
    monkeypatch.setattr("lcbench.running.single_run.execute_run", lambda *_: pytest.fail("a run was made"))
    (run,) = lcbench.run("kmeans", blob_stream, out=tmp_path, metrics=["silhouette", "nmi:average=geometric"])
    first = blob_stream.tasks()[0]
    labels = RunStore(tmp_path).load_labels(run.run_id)[2]["task-1"]
    assert run.scores["silhouette"][2][0] == pytest.approx(silhouette_score(first.task.X, labels))
    assert "nmi:average=geometric" in run.scores


def test_an_added_metric_is_saved_and_nothing_else_in_the_record_changes(blob_stream, tmp_path, monkeypatch):
    (before,) = lcbench.run("kmeans", blob_stream, out=tmp_path)
    lcbench.run("kmeans", blob_stream, out=tmp_path, metrics="silhouette")
    after = RunStore(tmp_path).load(before.run_id)
    changed = {key for key, value in before.to_json().items() if after.to_json()[key] != value}
    assert changed == {"scores", "summary"}
    assert {key: after.scores[key] for key in before.scores} == before.scores
    monkeypatch.setattr("lcbench.records.rescoring.add_scores", lambda *_: pytest.fail("it was computed again"))
    lcbench.run("kmeans", blob_stream, out=tmp_path, metrics="silhouette")


def forget_agreement(store, run_id):
    """Write the run as an older lcbench did, without agreement."""
    file = store.run_file(run_id)
    file.write_text(
        json.dumps({key: value for key, value in json.loads(file.read_text()).items() if key != "agreement"})
    )


@pytest.mark.parametrize("how", [{}, {"evaluate": "last"}, {"future": True}], ids=str)
def test_an_older_run_gets_its_agreement_from_its_labels(tmp_path, how):
    (made,) = lcbench.run("usc", "digits", baselines=False, out=tmp_path, **how)
    store = RunStore(tmp_path)
    forget_agreement(store, made.run_id)
    older = store.load(made.run_id)
    assert older.agreement == []
    add_agreement(older, store)
    assert older.agreement == made.agreement
    assert min(older.agreement[-1]) < 1.0
    store.labels_file(made.run_id).unlink()
    add_agreement(older, store)  # not read again: the record has it now
    with pytest.raises(RecordError, match="are missing"):
        add_agreement(store.load(made.run_id), store)


def test_an_older_run_that_gets_a_metric_gets_its_agreement_too(tmp_path):
    (made,) = lcbench.run("usc", "digits", baselines=False, out=tmp_path)
    store = RunStore(tmp_path)
    forget_agreement(store, made.run_id)
    lcbench.run("usc", "digits", baselines=False, out=tmp_path, metrics="silhouette")
    assert store.load(made.run_id).agreement == made.agreement


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


@pytest.mark.parametrize("fate", ["gone", "damaged", "another run's"])
def test_a_run_whose_labels_are_missing_or_wrong_is_made_again_with_a_warning(blob_stream, tmp_path, caplog, fate):
    (before,) = lcbench.run("kmeans", blob_stream, out=tmp_path)
    file = RunStore(tmp_path).labels_file(before.run_id)
    if fate == "gone":
        file.unlink()
    elif fate == "damaged":
        file.write_bytes(file.read_bytes()[:100])
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
    bare = replace(run, scores={}, agreement=[])
    add_scores(bare, blob_stream.tasks(), {"purity": lcbench.load_metric("purity")})
    assert bare.scores == {"purity": run.scores["purity"]}
    assert bare.scores["purity"][0] == [None] * 3
    assert bare.agreement == run.agreement


def test_a_finished_run_of_an_older_lcbench_gets_its_agreement_and_one_without_labels_gets_none(blob_stream, tmp_path):
    (made,) = lcbench.run("kmeans", blob_stream, out=tmp_path, baselines=False)
    store = RunStore(tmp_path)
    forget_agreement(store, made.run_id)
    older, failed = store.load(made.run_id), replace(store.load(made.run_id), status=FAILED)
    for run in (older, failed):
        complete(run, store)
    assert (older.agreement, failed.agreement) == (made.agreement, [])
    store.labels_file(made.run_id).unlink()
    without_labels = store.load(made.run_id)
    complete(without_labels, store)
    assert without_labels.agreement == []
