from __future__ import annotations

from lcbench.report.comparison.sheets import comparison_sheets


def titles(comparison) -> list[str]:
    return [sheet.title for sheet in comparison_sheets(comparison)]


def test_each_stream_has_scores_then_figures_then_differences_and_the_ranks_come_last(compared, on_streams):
    found = titles(compared(on_streams(2), against="base"))
    starts = [" ".join(title.split(" ")[:3]) for title in found]
    assert starts == [
        "s0: mean ±", "s0: lifelong figures", "s0: nmi minus", "s1: mean ±", "s1: lifelong figures", "s1: nmi minus",
        "Mean ranks over",
    ]  # fmt: skip
    assert [title.split()[1] for title in titles(compared(on_streams(1)))] == ["mean", "lifelong"]


def test_the_runs_that_the_selection_left_out_are_noted_below_the_first_table(compared, scored_run):
    made = comparison_sheets(compared([scored_run("m", (0.1, 0.2)), scored_run("m", (0.1, 0.2), revision=2)]))
    assert made[0].notes[-1] == "Left out 1 run of older revisions of m."
    assert not any("Left out" in note for sheet in made[1:] for note in sheet.notes)


def test_a_stream_shows_the_metrics_that_it_has(compared, scored_run):
    other = scored_run("m", (0.1, 0.2), stream="t", stream_label="t")
    other.scores = {"silhouette": other.scores["nmi"]}
    made = comparison_sheets(compared([scored_run("m", (0.1, 0.2)), other], ["nmi", "silhouette"]))
    shown = {sheet.title.split(":")[0]: [row[1].text for row in sheet.rows] for sheet in made if sheet.stub == 2}
    assert shown == {"s": ["nmi", "nmi", "nmi", ""], "t": ["silhouette", "silhouette", "silhouette", ""]}
