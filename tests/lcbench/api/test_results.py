from __future__ import annotations

import sys

import pytest
from making import make_record

import lcbench
from lcbench.api.results import Results
from lcbench.errors import MissingExtraError
from lcbench.experiment.pipeline import Outcome
from lcbench.experiment.tuning import Gap
from lcbench.records.record import FAILED, OK, RunRecord


def make_run(**changes) -> RunRecord:
    return make_record("mine", **({"method": "m", "stream_label": "stream"} | changes))


def test_the_frame_has_a_row_per_scored_cell():
    run = make_run()
    frame = Results([run], ["purity"]).to_frame()
    columns = ["tasks_learned", "position", "task", "score", "learn_seconds", "predict_seconds", "state_bytes"]
    assert frame[columns].values.tolist() == [
        [1, 1, "a", 0.5, 1.0, 0.0, 10],
        [2, 1, "a", 0.6, 2.0, 0.5, 20],
        [2, 2, "b", 0.8, 2.0, 0.5, 20],
    ]
    for column, value in {
        "run_id": run.run_id, "method": "m", "label": "mine", "stream": "s", "stream_label": "stream", "order": "a,b",
        "status": OK, "metric": "purity",
    }.items():  # fmt: skip
        assert set(frame[column]) == {value}


def test_the_frame_of_a_failed_run_has_the_cells_it_reached():
    reached = make_run(status=FAILED, scores={"purity": [[0.5, None]], "nmi": [[0.1, None]]}, learn_seconds=[1.0])
    frame = Results([reached], ["purity"]).to_frame()
    assert frame[["status", "metric", "score"]].values.tolist() == [[FAILED, "purity", 0.5], [FAILED, "nmi", 0.1]]


def test_the_frame_of_nothing_has_its_columns():
    columns = list(Results([make_run()], []).to_frame().columns)
    assert list(Results([], []).to_frame().columns) == columns
    assert len(Results([], []).to_frame()) == 0


def test_without_pandas_the_frame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lcbench\[frames\]'"):
        Results([make_run()], []).to_frame()


def test_the_frame_of_real_runs_counts_every_cell(blob_stream):
    results = lcbench.run(["kmeans", "random"], blob_stream, repeats=2)
    frame = results.to_frame()
    cells = 1 + 2 + 3
    assert set(frame.groupby(["label", "repeat", "metric"]).size()) == {cells}
    assert len(frame) == 2 * 2 * len(results[0].scores) * cells
    assert set(frame["run_id"]) == {run.run_id for run in results}


def test_results_are_a_sequence_that_lists_the_failed():
    good, bad = make_run(), make_run(status=FAILED, repeat=1)
    results = Results([good, bad], ["purity"])
    assert len(results) == 2
    assert list(results) == [good, bad]
    assert results[1] is bad
    assert results.failed == [bad]


def test_an_outcome_keeps_its_runs_its_metrics_and_its_search_when_it_becomes_results():
    run, candidate = make_run(), make_run(repeat=1)
    gap = Gap("s", "m", "purity", 1, 1, means={"oracle": 0.5}, untuned=None)
    results = Results.of(Outcome([run], ["purity"], searched=[candidate], gaps=[gap]))
    assert (results.runs, results.metrics, results.searched, results.gaps) == ([run], ["purity"], [candidate], [gap])
    assert repr(results).startswith("1 run\n")


def test_the_repr_is_a_table_with_a_line_per_metric_and_the_notes_of_runs():
    run = make_run(scores={"purity": [[0.5, None], [0.6, 0.8]], "nmi": [[0.1, None], [0.1, 0.1]]}, note="mind this")
    first, *header, _, purity, nmi, note = repr(Results([run], ["purity", "nmi"])).splitlines()
    assert first == "1 run"
    assert header[-1].split() == ["stream", "method", "runs", "metric", "arrival", "all", "backward", *"ss", "state"]
    assert " ".join(purity.split()) == "stream mine 1 purity 65.0 70.0 +10.0 3.000 0.500 20 B"
    assert " ".join(nmi.split()) == "nmi 10.0 10.0 +0.0"
    assert note == "mine: mind this"


def test_the_repr_counts_failed_runs():
    text = repr(Results([make_run(), make_run(status=FAILED, repeat=1)], ["purity"]))
    assert text.splitlines()[0] == "2 runs, 1 failed"
    assert "1 + 1 failed" in text


def test_the_repr_of_nothing_is_short():
    assert repr(Results([], ["purity"])).startswith("0 runs")


def test_stored_results_are_all_there_and_the_newest_is_last(tmp_path):
    made = lcbench.run(["kmeans", "stsc"], ["digits:tasks=2", "topics:tasks=2,documents=40"], out=tmp_path)
    found = lcbench.load_results(tmp_path)
    assert sorted(run.run_id for run in found) == sorted(run.run_id for run in made)
    assert [run.finished for run in found] == sorted(run.finished for run in found)
    assert found.metrics == ["purity", "nmi", "ri"]
    with pytest.raises(lcbench.LcbenchError, match="There is no folder"):
        lcbench.load_results(tmp_path / "nowhere")
