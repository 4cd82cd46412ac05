from __future__ import annotations

import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.report.comparison.sheets import comparison_sheets


@pytest.fixture
def on_streams(scored_run):
    """ours beats base on all but the last stream; extra is on the first only."""

    def make(count: int):
        runs = []
        for i in range(count):
            where = {"stream": f"s{i}", "stream_label": f"s{i}"}
            best = 0.4 if i == count - 1 else 0.8
            runs += [scored_run("ours", (best, best), **where), scored_run("base", (0.6, 0.6), **where)]
        return [*runs, scored_run("extra", (0.9, 0.9), stream="s0", stream_label="s0")]

    return make


def test_mean_ranks_over_streams_leave_out_who_is_not_on_all(on_streams):
    found = compare_methods(select(on_streams(3)), ["nmi"])
    (ranking,) = found.rankings
    assert ranking.ranks == pytest.approx({"ours": 4 / 3, "base": 5 / 3})
    assert ranking.left_out == ("extra",)
    sheet = comparison_sheets(found)[-1]
    assert sheet.title == "Mean ranks over 3 streams, 1 is the best"
    assert [[c.text for c in row] for row in sheet.rows] == [["ours", "1.33"], ["base", "1.67"]]
    assert sheet.notes[0].endswith(": extra.")
    assert "fewer than 5 streams" in sheet.notes[1]


def test_from_five_streams_on_there_is_a_test_and_a_critical_difference(on_streams):
    (few,), (enough,) = (compare_methods(select(on_streams(n)), ["nmi"]).rankings for n in (4, 5))
    assert (few.friedman, few.critical_difference) == (None, None)
    # ranks 1,1,1,1,2 and 2,2,2,2,1: chi2 = 12/30 (36 + 81) - 45 = 1.8
    assert enough.friedman.statistic == pytest.approx(1.8)
    assert enough.critical_difference == pytest.approx(1.960 * (6 / 30) ** 0.5, abs=0.001)
    note = comparison_sheets(compare_methods(select(on_streams(5)), ["nmi"]))[-1].notes[-1]
    assert note.startswith("nmi: Friedman chi-squared 1.80, p 0.180; mean ranks that differ by more than 0.88")


def test_one_stream_or_nobody_on_all_has_no_ranks(scored_run, on_streams):
    assert compare_methods(select(on_streams(1)), ["nmi"]).rankings == ()
    apart = [scored_run("x", (0.1, 0.1)), scored_run("y", (0.1, 0.1), stream="t", stream_label="t")]
    sheet = comparison_sheets(compare_methods(select(apart), ["nmi"]))[-1]
    assert sheet.notes == ("No two methods have runs that ended well on all streams, so there are no ranks.",)


def test_where_less_is_better_the_least_has_rank_one(on_streams, monkeypatch):
    monkeypatch.setattr("lcbench.analysis.compare.greater_is_better", lambda _: False)
    (ranking,) = compare_methods(select(on_streams(3)), ["nmi"]).rankings
    assert ranking.ranks == pytest.approx({"ours": 5 / 3, "base": 4 / 3})


def test_a_metric_with_fewer_streams_than_others_says_so(on_streams):
    runs = on_streams(3)
    for run in runs:
        run.scores["ri"] = run.scores["nmi"]
        if run.stream == "s0":
            del run.scores["nmi"]
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi", "ri"]))[-1]
    assert sheet.header == ("method", "nmi (2)", "ri")
    assert sheet.notes[0] == "In brackets: over so many streams, as the others have no such scores."


@pytest.mark.parametrize("method", ["l2sc", "a-method-that-is-gone"])
def test_a_label_that_is_another_method_on_another_stream_is_not_ranked(scored_run, method):
    runs = []
    for i, lam in enumerate((1.0, 10.0)):
        where = {"stream": f"s{i}", "stream_label": f"s{i}"}
        runs.append(scored_run("mine", (0.9, 0.9), method=method, params={"lam": lam}, **where))
        runs += [scored_run(name, (0.5, 0.5), **where) for name in ("x", "y")]
    (ranking,) = compare_methods(select(runs), ["nmi"]).rankings
    assert (set(ranking.ranks), ranking.left_out) == ({"x", "y"}, ("mine",))
