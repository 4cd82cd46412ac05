from __future__ import annotations

from lcbench.report.comparison.lifelong_figures import figure_sheet


def texts(sheet) -> list[list[str]]:
    return [[cell.text for cell in row] for row in sheet.rows]


def test_the_figures_are_means_over_runs(compared, two_orders):
    (sheet,) = figure_sheet(compared(two_orders).streams[0], "nmi")
    at = {name: i for i, name in enumerate(sheet.header)}
    ours = texts(sheet)[1]
    assert (ours[0], ours[at["after all"]], ours[at["backward transfer"]]) == ("ours", "65.0", "+10.0")
    assert "learning transfer" not in at  # there is no baseline
    assert ours[at["learn s"]] == "0.200"
    assert any("after all mean-last-row" in note for note in sheet.notes)


def test_a_figure_that_some_runs_lack_says_over_how_many_it_is(compared, two_orders):
    ours, _, base, _ = two_orders
    ours.baseline = base.run_id
    (sheet,) = figure_sheet(compared(two_orders).streams[0], "nmi")
    gain = texts(sheet)[1][sheet.header.index("gain over single task")]
    assert texts(sheet)[1][sheet.header.index("first task gain")] == "+10.0"  # a is .8 when it is learned, .7 alone
    assert any("own single-task baseline: base for ours." in note for note in sheet.notes)
    assert gain == "+5.0"  # a is .9, and .8 - .1 alone at its arrival; b is .5, and .6 alone
    assert any(note.startswith("ours: of 2 runs these figures are over fewer:") for note in sheet.notes)


def test_partition_drift_is_an_index_and_not_in_percent(compared, scored_run):
    (sheet,) = figure_sheet(compared([scored_run("m", (0.5, 0.5), agreement=[[1, None], [0.25, 1]])]).streams[0], "nmi")
    assert texts(sheet)[0][sheet.header.index("partition drift")] == "0.250"
    assert any(note.startswith("Partition drift: the adjusted Rand index") for note in sheet.notes)


def test_a_method_whose_runs_all_failed_has_dashes(compared, scored_run):
    failed = scored_run("bad", (0, 0), status="failed", error="no", scores={}, learn_seconds=[])
    (sheet,) = figure_sheet(compared([scored_run("m", (0.5, 0.5)), failed]).streams[0], "nmi")
    name, *figures = texts(sheet)[0]
    assert (name, set(figures)) == ("bad", {"–"})


def test_without_any_figure_there_is_no_table(compared, scored_run):
    failed = scored_run("bad", (0, 0), status="failed", error="no", scores={}, learn_seconds=[])
    assert figure_sheet(compared([failed]).streams[0], "nmi") == []
