from __future__ import annotations

import csv
import io

import pytest

import lcbench
from lcbench.api.compare import Comparison, compare
from lcbench.api.results import Results
from lcbench.errors import ParameterError


@pytest.fixture
def runs(scored_run):
    """Two methods on the tasks a and b, two repeats each; both scored 0.1 less on a when it was learned."""
    return [
        scored_run("good", (0.8, 0.6)),
        scored_run("good", (0.6, 0.4), repeat=1),
        scored_run("bad", (0.5, 0.3)),
        scored_run("bad", (0.3, 0.3), repeat=1),
    ]


def means(comparison: Comparison, method: str) -> dict[str | None, float]:
    """The mean score of each task, and None -> that of their average."""
    scores = comparison.streams[0].scores
    return {task: score.mean for (label, _, task), score in scores.items() if label == method}


def test_scores_are_means_over_the_runs_of_a_method(runs):
    found = compare(runs)
    assert means(found, "good") == pytest.approx({"a": 0.7, "b": 0.5, None: 0.6})
    assert means(found, "bad") == pytest.approx({"a": 0.4, "b": 0.3, None: 0.35})


def test_at_arrival_a_task_counts_as_it_was_when_it_was_learned(runs):
    assert means(compare(runs, at="arrival"), "good") == pytest.approx({"a": 0.6, "b": 0.5, None: 0.55})


def test_against_gives_the_mean_difference_of_paired_runs(runs):
    differences = compare(runs, against="bad").streams[0].differences
    assert differences["good", "nmi", None].mean == pytest.approx(0.25)
    assert differences["good", "nmi", "a"].mean == pytest.approx(0.3)
    assert compare(runs).against is None


def test_a_folder_compares_as_the_runs_in_it(tmp_path):
    results = lcbench.run("kmeans", "digits:tasks=2", out=tmp_path / "r")
    for folder in (tmp_path / "r", str(tmp_path / "r")):
        assert repr(lcbench.compare(folder)) == repr(lcbench.compare(results))


def test_results_compare_without_a_folder_and_print_as_tables(tmp_path):
    results = lcbench.run(["kmeans", "one-cluster"], "digits:tasks=2")
    found = lcbench.compare(results, metrics="nmi", against="one-cluster")
    mean = found.streams[0].scores["kmeans", "nmi", None].mean
    assert mean == pytest.approx(results[0].summary["nmi"]["average_after_all"]["value"])
    assert found.streams[0].differences["kmeans", "nmi", None].mean == pytest.approx(mean)  # one cluster has no nmi
    assert f"*{100 * mean:.1f}" in repr(found)
    assert found.to_csv(tmp_path / "t.csv") is None
    assert (tmp_path / "t.csv").read_text() == found.to_csv()
    assert found.to_latex().count(r"\begin{table}") == found.to_markdown().count("### ") == 3


def test_the_candidates_of_a_tuned_run_are_compared_too(runs):
    tuned = Results(runs[:2], ["nmi"], searched=runs[2:])
    assert repr(compare(tuned)) == repr(compare(runs))


def test_csv_holds_the_raw_numbers(runs):
    rows = csv.DictReader(io.StringIO(compare(runs).to_csv()))
    found = {(row["method"], row["name"]): float(row["mean"]) for row in rows if row["kind"] == "task"}
    assert found == pytest.approx({("good", "a"): 0.7, ("good", "b"): 0.5, ("bad", "a"): 0.4, ("bad", "b"): 0.3})


def test_more_confidence_gives_a_wider_interval_around_the_same_mean(scored_run):
    runs = [scored_run("bad", (0.2, 0.2), repeat=r) for r in range(8)]
    runs += [scored_run("good", (0.2 + r / 20, 0.3), repeat=r) for r in range(8)]
    half, most = (
        compare(runs, against="bad", confidence=level).streams[0].differences["good", "nmi", None]
        for level in (0.5, 0.99)
    )
    assert most.low < half.low < half.mean == most.mean < half.high < most.high


def test_an_unknown_metric_is_refused(runs):
    with pytest.raises(ParameterError, match="purity"):
        compare(runs, metrics=["nmi", "purity"])


@pytest.mark.parametrize("nothing", [[], Results([], ["nmi"])], ids=["list", "results"])
def test_without_runs_there_is_nothing_to_compare(nothing):
    with pytest.raises(ParameterError, match="There is nothing to compare: no runs were given"):
        compare(nothing)
