from __future__ import annotations

import sys

import pytest
from making import make_record
from memory_store import Memory

import lcbench
from lcbench.api.results import Results
from lcbench.errors import MissingExtraError
from lcbench.experiment.pipeline import Outcome
from lcbench.experiment.tuning import Gap
from lcbench.records.record import FAILED
from lcbench.report.export import COLUMNS, run_rows


def test_the_frame_has_the_exported_rows_of_all_runs():
    runs = [make_record(), make_record(repeat=1, status=FAILED)]
    frame = Results(runs, []).to_frame()
    expected = [row for run in runs for row in run_rows(run)]
    assert frame.astype(object).where(frame.notna(), None).to_dict("records") == expected
    assert frame["score"].tolist()[:3] == [0.5, 0.6, 0.8]
    nothing = Results([], []).to_frame()
    assert (list(nothing.columns), len(nothing)) == (list(COLUMNS), 0)


def test_without_pandas_the_frame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lcbench\[frames\]'"):
        Results([], []).to_frame()


def test_an_outcome_keeps_its_runs_its_metrics_and_its_search_when_it_becomes_results():
    run, candidate = make_record(), make_record(repeat=1)
    gap = Gap("s", "m", "purity", 1, 1, means={"oracle": 0.5}, untuned=None)
    results = Results.of(Outcome([run], ["purity"], searched=[candidate], gaps=[gap]))
    assert (results.runs, results.metrics, results.searched, results.gaps) == ([run], ["purity"], [candidate], [gap])


def test_the_repr_is_a_table_with_a_line_per_metric_and_the_notes_of_runs():
    run = make_record("mine", metric="nmi", note="mind this", stream_label="stream")
    first, *header, _, purity, nmi, note = repr(Results([run], ["purity", "nmi"])).splitlines()
    assert first == "1 run"
    assert header[-1].split() == ["stream", "method", "runs", "metric", "arrival", "all", "backward", *"ss", "state"]
    assert " ".join(purity.split()) == "stream mine 1 purity – – – 3.000 0.500 20 B"
    assert " ".join(nmi.split()) == "nmi 65.0 70.0 +10.0"
    assert note == "mine: mind this"


def test_the_repr_counts_runs_and_those_that_failed():
    text = repr(Results([make_record(), make_record(status=FAILED, repeat=1, error="no")], ["purity"]))
    assert text.splitlines()[0] == "2 runs, 1 failed"
    assert text.splitlines()[-1] == "m on s failed: no"
    assert repr(Results([], ["purity"])).startswith("0 runs")


def test_stored_results_are_all_there_and_the_newest_is_last(tmp_path):
    made = lcbench.run(["kmeans", "stsc"], ["digits:tasks=2", "topics:tasks=2,documents=40"], out=tmp_path)
    found = lcbench.load_results(tmp_path)
    assert sorted(run.run_id for run in found) == sorted(run.run_id for run in made)
    assert [run.finished for run in found] == sorted(run.finished for run in found)
    assert found.metrics == ["purity", "nmi", "ri"]
    with pytest.raises(lcbench.LcbenchError, match="There is no folder"):
        lcbench.load_results(tmp_path / "nowhere")


def test_any_store_is_loaded_as_a_folder_is_with_runs_of_no_known_time_first():
    times = ("2026-01-02T00:00:00.000+00:00", None, "2026-01-01T00:00:00.000+00:00")
    memory = Memory()
    for seed, finished in enumerate(times):
        memory.save(make_record(seed=seed, finished=finished))
    found = lcbench.load_results(memory)
    assert [run.seed for run in found] == [1, 2, 0]
    assert found.metrics == ["purity"]
