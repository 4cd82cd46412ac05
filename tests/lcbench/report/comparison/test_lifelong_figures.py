from __future__ import annotations

from reading_sheets import by_name

from lcbench.report.comparison.lifelong_figures import figure_sheet


def test_the_figures_are_means_over_runs(compared, two_orders):
    (sheet,) = figure_sheet(compared(two_orders).streams[0], "nmi")
    ours = by_name(sheet)[1]
    assert (ours["method"], ours["after all"], ours["backward transfer"]) == ("ours", "65.0", "+10.0")
    assert "learning transfer" not in ours  # there is no baseline
    assert ours["learn s"] == "0.200"
    assert any("after all mean-last-row" in note for note in sheet.notes)


def test_a_figure_that_some_runs_lack_says_over_how_many_it_is(compared, two_orders):
    first, _, base, _ = two_orders
    first.baseline = base.run_id
    (sheet,) = figure_sheet(compared(two_orders).streams[0], "nmi")
    ours = by_name(sheet)[1]
    assert ours["first task gain"] == "+10.0"  # a is .8 when it is learned, .7 alone
    assert ours["gain over single task"] == "+5.0"  # a is .9, and .8 - .1 alone at its arrival; b is .5, and .6 alone
    assert any("own single-task baseline: base for ours." in note for note in sheet.notes)
    assert any(note.startswith("ours: of 2 runs these figures are over fewer:") for note in sheet.notes)


def test_partition_drift_is_an_index_and_not_in_percent(compared, scored_run):
    (sheet,) = figure_sheet(compared([scored_run("m", (0.5, 0.5), agreement=[[1, None], [0.25, 1]])]).streams[0], "nmi")
    assert by_name(sheet)[0]["partition drift"] == "0.250"
    assert any(note.startswith("Partition drift: the adjusted Rand index") for note in sheet.notes)


def test_a_method_whose_runs_all_failed_has_dashes_and_without_any_figure_there_is_no_table(compared, scored_run):
    failed = scored_run("bad", (0, 0), status="failed", error="no", scores={}, learn_seconds=[])
    (sheet,) = figure_sheet(compared([scored_run("m", (0.5, 0.5)), failed]).streams[0], "nmi")
    bad = by_name(sheet)[0]
    assert (bad.pop("method"), set(bad.values())) == ("bad", {"–"})
    assert figure_sheet(compared([failed]).streams[0], "nmi") == []
