from __future__ import annotations

from itertools import permutations

import pytest
from compared_runs import nmi_run
from making import make_record
from reading_sheets import texts

from lcbench.report.comparison.differences import difference_sheets


@pytest.fixture
def sheets(compared):
    """The tables of differences of a comparison, per stream."""

    def make(runs, against="base"):
        found = compared(runs, against=against)
        return [sheet for stream in found.streams for sheet in difference_sheets(stream, ["nmi"], against)]

    return make


def test_a_row_has_the_gain_and_its_interval_coloured_where_that_excludes_zero(sheets, two_orders):
    (sheet,) = sheets(two_orders)
    assert sheet.title == "s: nmi minus that of base, in percentage points"
    assert sheet.header == ("method", "task", "gain", "95 % interval", "p", "Holm")
    assert texts(sheet) == [
        ["ours", "a", "+20.00", "[+10.00, +30.00]", "", ""],
        ["", "b", "-10.00", "[-10.00, -10.00]", "", ""],
        ["", "average", "+5.00", "[+0.00, +10.00]", "–", "–"],
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


def test_repeats_of_one_order_are_resampled_and_that_is_noted(sheets):
    runs = [nmi_run(m, (0.5 + 0.01 * r * (m == "x"), 0.5), repeat=r) for m in ("base", "x") for r in range(6)]
    notes = "\n".join(sheets(runs)[0].notes)
    assert "There is one order" in notes
    assert "No p for x: 1 difference other than zero" in notes


@pytest.mark.parametrize("setting", ["single-task", "multi-task", "lifelong"])
def test_a_difference_to_another_method_is_never_called_transfer(sheets, with_solos, setting):
    """With solo runs at hand and whatever the reference is: only the same method alone can tell transfer."""
    for run in with_solos:
        if run.label == "base":
            run.setting = setting
    (sheet,) = sheets(with_solos)
    words = " ".join([sheet.title, *sheet.header, *(cell for row in texts(sheet) for cell in row), *sheet.notes])
    assert words.lower().count("transfer") == 1
    said = "A gain over base is no transfer: another method differs in more than the tasks it has seen."
    assert said in sheet.notes


def test_a_gain_below_the_digits_of_other_tables_is_not_coloured(sheets):
    runs = [nmi_run("base", (0.3, 0.3), repeat=r) for r in range(3)]
    runs += [nmi_run("x", (0.3004, 0.3006), repeat=r) for r in range(3)]  # gains of 0.04 and 0.06 points
    (sheet,) = sheets(runs)
    assert [(row[2].text, row[2].tone) for row in sheet.rows][:2] == [("+0.04", ""), ("+0.06", "good")]


def test_the_smallest_possible_p_and_differences_that_are_zero_are_noted(sheets, eight_orders):
    (sheet,) = sheets(eight_orders)
    assert any("With 8 orders no p is below 0.0078." in note for note in sheet.notes)  # 2 of 256 choices of signs
    averages = {method: row for (method, *_), row in zip(texts(sheet)[::5], texts(sheet)[4::5], strict=True)}
    assert (averages["x"][4], averages["x"][5]) == ("0.008", "0.016")
    by_run = {run.repeat: run for run in eight_orders if run.label == "base"}
    for run in eight_orders:
        if run.label == "x" and run.repeat in (2, 3):
            run.scores = by_run[run.repeat].scores
    assert "x: 2 of 8 differences are zero, and the test leaves them out." in sheets(eight_orders)[0].notes


def test_the_smallest_p_of_many_orders_is_printed_as_a_number(sheets):
    orders = list(permutations("abcd"))[:20]
    runs = [
        nmi_run(label, [0.4 + shift * (1 + r / 100)] * 4, order=order, repeat=r)
        for r, order in enumerate(orders)
        for label, shift in (("base", 0), ("x", 0.1))
    ]
    (sheet,) = sheets(runs)
    assert texts(sheet)[-1][4] == "<0.001"
    assert any("With 20 orders no p is below 1.9e-06." in note for note in sheet.notes)  # 2 of 1,048,576


@pytest.mark.parametrize("orders", [4, 10])
def test_an_interval_over_few_orders_is_noted_as_too_narrow(sheets, orders):
    runs = [
        make_record(label, [level] * 4, order=order, repeat=r, metric="nmi", setting=setting)
        for r, order in enumerate(list(permutations("abcd"))[:orders])
        for label, setting, level in (("base", "single-task", 0.4), ("x", "lifelong", 0.5))
    ]
    (sheet,) = sheets(runs)
    assert {row[2].tone for row in sheet.rows} == {"good"}
    assert any("do not lean on it" in note for note in sheet.notes) is (orders < 10)


def test_where_less_is_better_a_note_says_that_more_is_worse(sheets, two_orders, monkeypatch):
    monkeypatch.setattr("lcbench.report.comparison.differences.greater_is_better", lambda _: False)
    assert sheets(two_orders)[0].notes[0] == "Less nmi is better, so a difference above zero is worse."


def test_a_method_without_pairs_has_one_row_of_dashes_and_a_stream_without_the_reference_says_so(sheets):
    runs = [
        nmi_run("base", (0.1, 0.1)), nmi_run("x", (0, 0), status="crashed", error="gone", scores={}),
        nmi_run("x", (0.1, 0.1), stream="t", stream_label="t"),
    ]  # fmt: skip
    by_title = {sheet.title: sheet for sheet in sheets(runs)}
    alone = by_title["s: nmi minus that of base, in percentage points"]
    assert texts(alone) == [["x", "average", "–", "–", "–", "–"]]
    assert alone.notes[0].startswith("No run has a partner")
    assert by_title["t: differences to base"].notes == ("There are no runs of base on t.",)


@pytest.mark.parametrize(
    ("repeats", "shown"), [(2, ["-0.04", "[-0.04, -0.04]"]), (1, ["-0.04", "–"])], ids=["two pairs", "one pair"]
)
def test_differences_are_shown_finer_than_scores_and_one_pair_has_no_interval(sheets, repeats, shown):
    runs = [nmi_run("base", (0.3, 0.3), repeat=r, setting="single-task") for r in range(repeats)]
    runs += [nmi_run("x", (0.2996, 0.3), repeat=r) for r in range(repeats)]
    assert texts(sheets(runs)[0])[0][2:4] == shown


def test_the_gain_of_a_single_task_method_is_not_coloured(sheets):
    runs = [nmi_run("base", (0.3, 0.3), repeat=r, setting="single-task") for r in range(3)]
    runs += [nmi_run("alone", (0.9, 0.9), repeat=r, setting="single-task") for r in range(3)]
    runs += [nmi_run("learner", (0.9, 0.9), repeat=r) for r in range(3)]
    (sheet,) = sheets(runs)
    assert {row[2].tone for row in sheet.rows[:3]} == {""}
    assert {row[2].tone for row in sheet.rows[3:]} == {"good"}
