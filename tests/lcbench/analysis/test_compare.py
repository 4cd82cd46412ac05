"""A comparison worked by hand, and what stands in its tables."""

from __future__ import annotations

import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.comparison import NEGATIVE, POSITIVE, Spread
from lcbench.analysis.selection import select
from lcbench.api.comparison import Comparison
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.report.comparison.sheets import comparison_sheets

BOTH = (("a", "b"), ("b", "a"))


@pytest.fixture
def runs(scored_run):
    ours = [scored_run("ours", (0.9, 0.5), order=BOTH[0]), scored_run("ours", (0.7, 0.5), order=BOTH[1], repeat=1)]
    theirs = [scored_run("base", (0.8, 0.6), order=BOTH[0], setting="single-task")]
    return [*ours, *theirs, scored_run("base", (0.4, 0.6), order=BOTH[1], repeat=1, setting="single-task")]


def texts(sheet) -> list[list[str]]:
    return [[cell.text for cell in row] for row in sheet.rows]


def bold(sheet) -> list[list[int]]:
    return [[i for i, cell in enumerate(row) if cell.bold] for row in sheet.rows]


def test_means_and_sample_standard_deviations_by_hand(runs):
    stream = compare_methods(select(runs), ["nmi"]).streams[0]
    # a: .9 and .7, mean .8, sd .2/sqrt(2); averages over tasks .7 and .6
    assert stream.scores["ours", "nmi", "a"].mean == pytest.approx(0.8)
    assert stream.scores["ours", "nmi", "a"].sd == pytest.approx(0.1414, abs=1e-4)
    assert stream.scores["ours", "nmi", None] == Spread(pytest.approx(0.65), pytest.approx(0.0707, abs=1e-4), 2)
    assert stream.paired


def test_at_arrival_the_first_task_counts_as_it_was_learned(runs):
    scores = compare_methods(select(runs), ["nmi"], at="arrival").streams[0].scores
    # a is the first of one order (.9 - .1) and the last of the other (.7)
    assert scores["ours", "nmi", "a"].mean == pytest.approx((0.8 + 0.7) / 2)
    with pytest.raises(ParameterError, match="at takes end or arrival, not 'x'"):
        compare_methods(select(runs), ["nmi"], at="x")


def test_the_table_has_tasks_down_methods_across_and_the_best_in_bold(runs):
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"]))[0]
    assert sheet.header == ("task", "metric", "base", "ours")
    assert texts(sheet) == [
        ["a", "nmi", "60.0 ±28.3", "80.0 ±14.1"],
        ["b", "nmi", "60.0 ±0.0", "50.0 ±0.0"],
        ["average", "nmi", "60.0 ±14.1", "65.0 ±7.1"],
        ["runs", "", "2", "2"],
    ]
    assert bold(sheet) == [[3], [2], [3], []]
    assert sheet.rules == (2, 3)
    assert "2 orders, 1 run of each, seed 0." in sheet.notes


def test_means_that_are_shown_alike_are_all_best(scored_run):
    runs = [scored_run("x", (0.80001, 0.2)), scored_run("y", (0.80004, 0.1)), scored_run("z", (0.7, 0.3))]
    assert bold(comparison_sheets(compare_methods(select(runs), ["nmi"]))[0])[0] == [2, 3]


def test_where_less_is_better_the_least_is_best_and_more_is_negative_transfer(runs, monkeypatch):
    for module in (
        "report.comparison.scores",
        "analysis.differences",
        "analysis.compare",
        "report.comparison.differences",
    ):
        monkeypatch.setattr(f"lcbench.{module}.greater_is_better", lambda _: False)
    found = compare_methods(select(runs), ["nmi"], against="base")
    assert bold(comparison_sheets(found)[0]) == [[2], [3], [2], []]
    assert found.streams[0].differences["ours", "nmi", "a"].flag == NEGATIVE


def test_many_methods_stand_down_with_a_table_per_metric(scored_run):
    runs = [scored_run(f"m{i}", (0.1 * i, 0.5)) for i in range(9)]
    for run in runs:
        run.scores["ri"] = run.scores["nmi"]
    made = comparison_sheets(compare_methods(select(runs), ["nmi", "ri"]))[:2]
    assert [sheet.header for sheet in made] == [("method", "a", "b", "average", "runs")] * 2
    assert texts(made[0])[8] == ["m8", "80.0", "50.0", "65.0", "1"]
    assert bold(made[0])[8] == [1, 2, 3]


def test_many_tasks_are_left_to_the_csv(scored_run):
    tasks = tuple(f"t{i}" for i in range(21))
    R = [[0.5 if j <= i else None for j in range(21)] for i in range(21)]
    found = compare_methods(
        select([scored_run("m", (0, 0), order=tasks, stream_tasks=tasks, scores={"nmi": R})]), ["nmi"]
    )
    sheet = comparison_sheets(found)[0]
    assert [row[0] for row in texts(sheet)] == ["average", "runs"]
    assert any("21 tasks are not shown" in note for note in sheet.notes)
    assert Comparison.of(found).to_csv().count('"task"') == 21


def test_runs_that_failed_are_shown_with_their_number_and_reason_and_never_dropped(scored_run):
    cut = {"scores": {"nmi": [[0.3, None]]}, "learn_seconds": [0.1]}
    runs = [
        scored_run("fine", (0.5, 0.5)), scored_run("fine", (0.5, 0.5), repeat=1),
        scored_run("slow", (0.9, 0.9)), scored_run("slow", (0, 0), repeat=1, status="timeout", error="over 5 s", **cut),
        scored_run("bad", (0, 0), status="failed", error="ValueError: no", scores={}, learn_seconds=[]),
    ]  # fmt: skip
    stream = compare_methods(select(runs), ["nmi"]).streams[0]
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"]))[0]
    assert sheet.header[2:] == ("bad", "fine", "slow")
    assert texts(sheet)[-2:] == [
        ["average", "nmi", "–", "50.0 ±0.0", "90.0"],
        ["runs", "", "0 + 1 failed", "2", "1 + 1 timeout"],
    ]
    assert not stream.paired
    notes = "\n".join(sheet.notes)
    assert "Not paired" in notes
    assert "bad on s failed after 0 of 2 tasks: ValueError: no" in notes
    assert "slow on s ran out of time after 1 of 2 tasks: over 5 s" in notes


def test_what_must_be_said_of_a_method_is_said(scored_run):
    runs = [
        scored_run("mine", (0.5, 0.5), method="l2sc", params={"lam": 7.0, "mu": 0.01}, note="old tasks re-encoded"),
        scored_run("l2sc:lam=9", (0.5, 0.5), method="l2sc", params={"lam": 9.0}),
    ]
    notes = comparison_sheets(compare_methods(select(runs), ["nmi"]))[0].notes
    assert any(note.startswith("mine: l2sc:lam=7") for note in notes)
    assert "mine: old tasks re-encoded." in notes
    assert not any(note.startswith("l2sc:lam=9:") for note in notes)


def test_runs_are_said_to_be_so_many_of_each_order_only_where_they_are(scored_run):
    uneven = [scored_run("m", (0.1, 0.2), order=BOTH[r == 3], repeat=r) for r in range(4)]
    even = [scored_run("m", (0.1, 0.2), order=BOTH[r % 2], repeat=r) for r in range(4)]
    (few, *_), (same, *_) = (
        comparison_sheets(compare_methods(select(runs), ["nmi"]))[0].notes for runs in (uneven, even)
    )
    assert few == "2 orders, 4 runs, seed 0."
    assert same == "2 orders, 2 runs of each, seed 0."


def test_seeds_are_those_of_the_runs_that_the_means_are_over(scored_run):
    failed = scored_run("m", (0, 0), seed=1, status="failed", error="no", scores={})
    assert (
        "1 order, 1 run, seed 0."
        in comparison_sheets(compare_methods(select([scored_run("m", (0.1, 0.2)), failed]), ["nmi"]))[0].notes
    )


def test_what_is_not_installed_any_more_is_shown_with_all_its_parameters_and_a_word_on_its_metric(scored_run):
    run = scored_run("mine", (0.1, 0.2), method="gone", params={"lam": 2.0})
    run.scores = {"lost": run.scores["nmi"], "nmi": run.scores["nmi"]}
    notes = comparison_sheets(compare_methods(select([run]), ["lost", "nmi"]))[0].notes
    assert "mine: gone:lam=2." in notes
    assert "Not installed here, so taken as shares of which more is better: lost." in notes


def test_what_the_selection_left_out_is_said(scored_run):
    found = compare_methods(select([scored_run("m", (0.1, 0.2)), scored_run("m", (0.1, 0.2), revision=2)]), ["nmi"])
    assert "Left out 1 run of older revisions of m." in comparison_sheets(found)[0].notes


def test_a_score_that_some_run_lacks_is_said(scored_run):
    runs = [scored_run("m", (0.1, 0.2)), scored_run("m", (0.3, None), repeat=1)]
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"]))[0]
    assert texts(sheet)[2][2] == "15.0"  # an average over other tasks would be another figure
    assert any("not every run has nmi of every task" in note for note in sheet.notes)


def test_a_stream_shows_the_metrics_that_it_has(scored_run):
    other = scored_run("m", (0.1, 0.2), stream="t", stream_label="t")
    other.scores = {"silhouette": other.scores["nmi"]}
    made = comparison_sheets(compare_methods(select([scored_run("m", (0.1, 0.2)), other]), ["nmi", "silhouette"]))
    shown = {sheet.title.split(":")[0]: [row[1].text for row in sheet.rows] for sheet in made if sheet.stub == 2}
    assert shown == {"s": ["nmi", "nmi", "nmi", ""], "t": ["silhouette", "silhouette", "silhouette", ""]}


def test_the_figures_are_means_over_runs(runs):
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"]))[1]
    at = {name: i for i, name in enumerate(sheet.header)}
    ours = texts(sheet)[1]
    assert (ours[0], ours[at["after all"]], ours[at["backward transfer"]]) == ("ours", "65.0", "+10.0")
    assert "learning transfer" not in at  # there is no baseline
    assert ours[at["learn s"]] == "0.200"
    assert any("after all mean-last-row" in note for note in sheet.notes)


def test_a_figure_that_some_runs_lack_says_over_how_many_it_is(runs):
    ours, _, base, _ = runs
    ours.baseline = base.run_id
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"]))[1]
    gain = texts(sheet)[1][sheet.header.index("gain over single task")]
    assert texts(sheet)[1][sheet.header.index("first task gain")] == "+10.0"  # a is .8 when it is learned, .7 alone
    assert any("own single-task baseline: base for ours." in note for note in sheet.notes)
    assert gain == "+5.0"  # a is .9, and .8 - .1 alone at its arrival; b is .5, and .6 alone
    assert any(note.startswith("ours: of 2 runs these figures are over fewer:") for note in sheet.notes)


def test_differences_are_paired_and_their_ends_are_the_extremes_of_two_orders(runs):
    found = compare_methods(select(runs), ["nmi"], against="base").streams[0].differences
    a = found["ours", "nmi", "a"]
    # +.1 in one order and +.3 in the other; a quarter of the resamples is one of them alone
    assert (a.mean, a.low, a.high) == pytest.approx((0.2, 0.1, 0.3))
    assert (a.pairs, a.orders, a.flag) == (2, 2, POSITIVE)
    assert found["ours", "nmi", "b"].flag == NEGATIVE
    average = found["ours", "nmi", None]
    assert (average.mean, average.low, average.high, average.flag) == pytest.approx((0.05, 0.0, 0.1, ""))
    assert average.reason == "1 difference other than zero, and the test needs 6"


def test_a_reference_is_found_by_label_or_name_and_must_be_one(runs, scored_run):
    named = [*runs, scored_run("b2", (0.1, 0.1), method="base", params={"k": 1})]
    assert compare_methods(select(named), ["nmi"], against="base").streams[0].reference == "base"
    with pytest.raises(UnknownNameError, match=r"no runs of 'basis'.*Did you mean 'base'"):
        compare_methods(select(runs), ["nmi"], against="basis")
    two = [scored_run("x", (0.1, 0.1), method="m"), scored_run("y", (0.1, 0.1), method="m", params={"k": 1})]
    with pytest.raises(ParameterError, match="more than one method on s: name one of 'x', 'y'"):
        compare_methods(select(two), ["nmi"], against="m")


def test_a_confidence_that_is_none_is_refused(runs):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        compare_methods(select(runs), ["nmi"], confidence=95)
