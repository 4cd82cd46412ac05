from __future__ import annotations

from itertools import permutations

import pytest
from making import make_record
from reading_sheets import texts

from lcbench.report.comparison.differences import difference_sheets


@pytest.fixture
def sheets(compared):
    """The tables of differences of a comparison, per stream."""

    def make(runs, against="base"):
        found = compared(runs, against=against)
        return [sheet for stream in found.streams for sheet in difference_sheets(stream, ["nmi"], against, 0.95)]

    return make


def test_a_row_has_the_difference_its_interval_and_the_transfer(sheets, two_orders):
    (sheet,) = sheets(two_orders)
    assert sheet.title == "s: nmi minus that of base, in percentage points"
    assert sheet.header == ("method", "task", "difference", "95 % interval", "p", "Holm", "transfer")
    assert texts(sheet) == [
        ["ours", "a", "+20.00", "[+10.00, +30.00]", "", "", "positive?"],
        ["", "b", "-10.00", "[-10.00, -10.00]", "", "", "NEGATIVE?"],
        ["", "average", "+5.00", "[+0.00, +10.00]", "–", "–", ""],
    ]
    assert [row[2].tone for row in sheet.rows] == ["good", "bad", ""]


def test_the_number_of_pairs_is_noted_per_method_where_it_differs(sheets, eight_orders):
    for run in eight_orders:
        if run.label == "x" and run.repeat >= 5:
            run.seed = 1
    notes = "\n".join(sheets(eight_orders)[0].notes)
    assert "x: 5 pairs in 5 orders" in notes
    assert "y: 8 pairs in 8 orders" in notes
    assert "No p for x: 5 differences other than zero, and the test needs 6." in notes


def test_repeats_of_one_order_are_resampled_and_that_is_noted(sheets, scored_run):
    runs = [scored_run(m, (0.5 + 0.01 * r * (m == "x"), 0.5), repeat=r) for m in ("base", "x") for r in range(6)]
    notes = "\n".join(sheets(runs)[0].notes)
    assert "There is one order" in notes
    assert "No p for x: 1 difference other than zero" in notes


def test_without_a_single_task_reference_no_transfer_is_flagged_and_that_is_noted(sheets, scored_run):
    runs = [scored_run("base", (0.3, 0.3), repeat=r, setting="multi-task") for r in range(3)]
    runs += [scored_run("x", (0.1, 0.5), repeat=r) for r in range(3)]
    (sheet,) = sheets(runs)
    assert {row[-1] for row in texts(sheet)} == {""}
    assert "Transfer is flagged against a single-task method only, and base is none." in sheet.notes


def test_a_reference_that_is_not_a_methods_own_baseline_is_noted(sheets, scored_run):
    own = scored_run("own", (0.2, 0.2), setting="single-task")
    base = scored_run("base", (0.3, 0.3), setting="single-task")
    runs = [own, base, scored_run("x", (0.1, 0.5), baseline=own.run_id)]
    assert "The single-task baseline of x is own: beside base more than transfer differs." in sheets(runs)[-1].notes
    assert not any("more than transfer" in note for note in sheets(runs, "own")[-1].notes)


def test_the_smallest_possible_p_and_differences_that_are_zero_are_noted(sheets, eight_orders):
    (sheet,) = sheets(eight_orders)
    assert any("With 8 orders no p is below 0.008." in note for note in sheet.notes)  # 2 of 256 choices of signs
    averages = {method: row for (method, *_), row in zip(texts(sheet)[::5], texts(sheet)[4::5], strict=True)}
    assert (averages["x"][4], averages["x"][5]) == ("0.008", "0.016")
    by_run = {run.repeat: run for run in eight_orders if run.label == "base"}
    for run in eight_orders:
        if run.label == "x" and run.repeat in (2, 3):
            run.scores = by_run[run.repeat].scores
    assert "x: 2 of 8 differences are zero, and the test leaves them out." in sheets(eight_orders)[0].notes


@pytest.mark.parametrize(("orders", "shown"), [(4, "positive?"), (10, "positive")])
def test_a_flag_over_few_orders_is_marked_as_unsure(sheets, orders, shown):
    runs = [
        make_record(label, [level] * 4, order=order, repeat=r, metric="nmi", setting=setting)
        for r, order in enumerate(list(permutations("abcd"))[:orders])
        for label, setting, level in (("base", "single-task", 0.4), ("x", "lifelong", 0.5))
    ]
    (sheet,) = sheets(runs)
    assert {row[-1] for row in texts(sheet)} == {shown}
    assert any("do not lean on it" in note for note in sheet.notes) is (orders < 10)


def test_where_less_is_better_a_note_says_that_more_is_worse(sheets, two_orders, monkeypatch):
    monkeypatch.setattr("lcbench.report.comparison.differences.greater_is_better", lambda _: False)
    assert sheets(two_orders)[0].notes[0] == "Less nmi is better, so a difference above zero is worse."


def test_a_method_without_pairs_has_one_row_of_dashes_and_a_stream_without_the_reference_says_so(sheets, scored_run):
    runs = [
        scored_run("base", (0.1, 0.1)), scored_run("x", (0, 0), status="crashed", error="gone", scores={}),
        scored_run("x", (0.1, 0.1), stream="t", stream_label="t"),
    ]  # fmt: skip
    by_title = {sheet.title: sheet for sheet in sheets(runs)}
    alone = by_title["s: nmi minus that of base, in percentage points"]
    assert texts(alone) == [["x", "average", "–", "–", "–", "–", ""]]
    assert alone.notes[0].startswith("No run has a partner")
    assert by_title["t: differences to base"].notes == ("There are no runs of base on t.",)


@pytest.mark.parametrize(
    ("repeats", "shown"), [(2, ["-0.04", "[-0.04, -0.04]"]), (1, ["-0.04", "–"])], ids=["two pairs", "one pair"]
)
def test_differences_are_shown_finer_than_scores_and_one_pair_has_no_interval(sheets, scored_run, repeats, shown):
    runs = [scored_run("base", (0.3, 0.3), repeat=r, setting="single-task") for r in range(repeats)]
    runs += [scored_run("x", (0.2996, 0.3), repeat=r) for r in range(repeats)]
    assert texts(sheets(runs)[0])[0][2:4] == shown
