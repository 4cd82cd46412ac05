from __future__ import annotations

import sys

import pytest
from making import make_record, make_solos
from memory_store import Memory

import lcbench
from lcbench.analysis.caveats import NOT_ISOLATED
from lcbench.api.results import Results
from lcbench.errors import MissingExtraError
from lcbench.experiment.pipeline import Outcome
from lcbench.experiment.tuning import Gap
from lcbench.records.record import FAILED
from lcbench.report.export import COLUMNS, run_rows
from lcbench.running.executor import InProcess


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


def test_an_outcome_keeps_its_runs_its_metrics_its_solo_runs_and_its_search_when_it_becomes_results():
    run, candidate = make_record(), make_record(repeat=1)
    gap = Gap("s", "m", "purity", 1, 1, means={"oracle": 0.5}, untuned=None)
    solos = make_solos(run, {"a": 0.4, "b": 0.7})
    results = Results.of(Outcome([run], ["purity"], solos=solos, searched=[candidate], gaps=[gap]))
    assert (results.runs, results.metrics, results.searched, results.gaps) == ([run], ["purity"], [candidate], [gap])
    assert results.solos == solos


def two_methods() -> tuple[list, list]:
    """A lifelong method and its baseline in three repeats, and the solo runs of the first."""
    runs, solos = [], []
    for repeat in range(3):
        base = make_record("base", [[0.3, None], [0.3, 0.6]], repeat=repeat, setting="single-task", metric="nmi")
        ours = make_record("ours", [[0.5, None], [0.6, 0.8]], repeat=repeat, baseline=base.run_id, metric="nmi")
        runs += [base, ours]
        solos += make_solos(ours, {"a": 0.4, "b": 0.7}, metric="nmi")
    return runs, solos


def test_the_repr_begins_with_the_verdict_and_the_parts_of_the_gain_add_up():
    runs, solos = two_methods()
    first, verdict, *_ = text = repr(Results(runs, ["nmi"], solos=solos)).splitlines()
    assert first == "6 runs, 6 solo runs"
    # ours .7, base .45; alone .55: own +.1, forward +.1, backward +.05
    assert verdict.startswith("s, 1 order: ours 70.0 nmi, +25.0 over base")
    assert "+10.0 by itself" in verdict
    assert "+15.0 from other tasks" in verdict
    (header,) = [number for number, line in enumerate(text) if line.split()[:3] == ["method", "solo", "forward"]]
    assert text[header].split()[3:5] == ["backward", "total"]
    row = text[header + 2].split()
    assert row[:5] == ["ours", "55.0", "+10.0", "+5.0", "+15.0"]
    assert row[-3:] == ["+10.0", "+25.0", "base"]


def test_without_solo_runs_the_repr_says_that_transfer_is_not_known():
    runs, _ = two_methods()
    text = repr(Results(runs, ["nmi"]))
    assert text.splitlines()[0] == "6 runs"
    assert text.splitlines()[1].startswith("s, 1 order: ours 70.0 nmi is first of 2, +25.0 over base")
    assert "it is not known what other tasks bring" in text


def test_the_repr_is_a_table_for_each_stream_with_a_column_per_metric_that_was_scored_and_the_notes_of_runs():
    run = make_record("mine", metric="nmi", note="mind this", stream_label="stream")
    lines = repr(Results([run], ["purity", "nmi"])).splitlines()
    assert lines[:2] == ["1 run", "stream, 1 order: mine 70.0 nmi."]
    header, _, row, note = lines[-4:]
    assert header.split() == ["method", "runs", "(%)", "seconds", "state"]
    assert row.split() == ["mine", "1", "70.0", "3.000", "20", "B"]
    assert note == "mine: mind this."
    other = make_record("mine", metric="purity", stream="t")
    assert [
        line for line in repr(Results([run, other], ["purity", "nmi"])).splitlines() if ": averages over" in line
    ] == [f"{stream}: averages over tasks after all of them, seconds to learn" for stream in ("stream", "t")]


def test_a_partition_that_collapsed_is_noted():
    runs = [make_record("bad", largest=[0.99, 0.5]), make_record("good", largest=[0.5, 0.5])]
    assert "bad collapses: more than 95% of the samples of 'a' are in one cluster" in repr(Results(runs, ["purity"]))


def test_the_repr_counts_runs_and_those_that_failed():
    text = repr(Results([make_record(), make_record(status=FAILED, repeat=1, error="no")], ["purity"]))
    assert text.splitlines()[0] == "2 runs; 1 failed"
    assert text.splitlines()[-1] == "m on s failed after 0 of 2 tasks: no"
    assert repr(Results([], ["purity"])).startswith("0 runs")


def test_stored_results_are_all_there_and_the_newest_is_last(tmp_path):
    streams = ["digits:tasks=2", "topics:tasks=2,documents=40"]
    made = lcbench.run(["kmeans", "stsc"], streams, out=tmp_path, executor=InProcess())
    found = lcbench.load_results(tmp_path)
    assert sorted(run.run_id for run in found) == sorted(run.run_id for run in made)
    assert [run.finished for run in found] == sorted(run.finished for run in found)
    assert found.metrics == ["purity", "nmi", "ri", "ari"]
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


def test_how_runs_were_made_is_noted_below_the_printed_table():
    text = repr(Results([make_record("old"), make_record("mine", clock=2, isolated=False)], ["purity"]))
    assert f"mine: {NOT_ISOLATED}." in text
    assert "old: times as version 0.1 defined them" in text
    assert "0.1" not in repr(Results([make_record("old")], ["purity"]))


def test_a_notebook_shows_the_verdict_and_the_tables_that_are_printed():
    runs, solos = two_methods()
    html = Results(runs, ["nmi"], solos=solos)._repr_html_()
    assert "<p>6 runs, 6 solo runs</p>" in html
    assert html.count("<table") == 2
    assert "ours 70.0 nmi" in html


def test_the_report_is_a_page_with_these_runs(tmp_path):
    runs, solos = two_methods()
    page = Results(runs, ["nmi"], solos=solos).report(tmp_path / "page.html", against="base")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "nmi minus that of base" in text
