from __future__ import annotations

from dataclasses import replace

import pytest
from compared_runs import nmi_run
from making import make_results
from memory_store import Memory

import lcbench
from lcbench.api.compare import compare
from lcbench.api.results import Results
from lcbench.errors import ParameterError


@pytest.fixture
def runs():
    """Two methods on the tasks a and b, two repeats each; both scored 0.1 less on a when it was learned."""
    return [
        nmi_run("good", (0.8, 0.6)),
        nmi_run("good", (0.6, 0.4), repeat=1),
        nmi_run("bad", (0.5, 0.3)),
        nmi_run("bad", (0.3, 0.3), repeat=1),
    ]


def test_the_options_decide_what_is_compared_and_how(runs):
    found = compare(runs, metrics="nmi", against="bad", at="arrival", confidence=0.9)
    assert (found.metrics, found.against, found.at, found.confidence) == (("nmi",), "bad", "arrival", 0.9)
    assert found.streams[0].scores["good", "nmi", "a"].mean == pytest.approx(0.6)
    assert found.streams[0].differences["good", "nmi", None].mean == pytest.approx(0.25)
    plain = compare(runs)
    assert plain.streams[0].scores["good", "nmi", "a"].mean == pytest.approx(0.7)
    assert (plain.metrics, plain.against, plain.streams[0].differences) == (("nmi",), None, {})


def test_runs_compare_alike_wherever_they_are(runs):
    folder, memory = make_results(*runs).folder, Memory({run.run_id: run for run in runs})
    tuned = Results(runs[:2], ["nmi"], searched=runs[2:])  # its candidates are compared too
    for given in (tuned, folder, str(folder), memory):
        assert repr(compare(given)) == repr(compare(runs))


def test_results_compare_without_a_folder_and_are_written_in_every_format(tmp_path):
    results = lcbench.run(["kmeans", "one-cluster"], "digits:tasks=2")
    found = lcbench.compare(results, metrics="nmi", against="one-cluster")
    mean = found.streams[0].scores["kmeans", "nmi", None].mean
    assert mean == pytest.approx(results[0].summary["nmi"]["average_after_all"]["value"])
    assert found.streams[0].differences["kmeans", "nmi", None].mean == pytest.approx(mean)  # one cluster has no nmi
    assert f"*{100 * mean:.1f}" in repr(found)
    assert found.to_csv(tmp_path / "t.csv") is None
    assert (tmp_path / "t.csv").read_text() == found.to_csv()
    assert f'"kmeans","nmi","average","",{mean},' in found.to_csv()
    assert found.to_latex().count(r"\caption{") == found.to_markdown().count("### ") == 3


def test_an_unknown_metric_is_refused(runs):
    with pytest.raises(ParameterError, match="purity"):
        compare(runs, metrics=["nmi", "purity"])


@pytest.mark.parametrize("nothing", [[], Results([], ["nmi"]), Memory()], ids=["list", "results", "store"])
def test_without_runs_there_is_nothing_to_compare(nothing):
    with pytest.raises(ParameterError, match="There is nothing to compare: no runs were given"):
        compare(nothing)


def test_a_notebook_shows_the_tables(runs):
    html = compare(runs)._repr_html_()
    assert html.startswith('<div class="lcbench">')
    assert html.count("<table") == compare(runs).to_markdown().count("### ")


def test_results_by_name_are_compared_and_what_differs_is_told_apart(runs):
    other = [replace(run, scores={"nmi": [[0.1, None], [0.1, 0.2]]}) if run.label == "good" else run for run in runs]
    found = compare({"old": list(runs), "new": other}, against="good (old)")
    labels = [method.label for method in found.streams[0].methods]
    assert {"good (old)", "good (new)"} < set(labels)
    assert len(labels) == len({run.label for run in runs}) + 1
