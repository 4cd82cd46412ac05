"""Differences to a reference over many orders, against scipy and the definition of pairs."""

from __future__ import annotations

import csv
import io
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.api.comparison import Comparison
from lcbench.report.comparison.sheets import comparison_sheets

ORDERS = list(permutations("abcd"))[:8]


@pytest.fixture
def scores():
    generator = np.random.default_rng(0)
    return {name: 0.5 + shift + 0.1 * generator.random((8, 4)) for name, shift in (("base", 0), ("x", 0.2), ("y", 0))}


@pytest.fixture
def runs(scored_run, scores):
    made = []
    for label, table in scores.items():
        for r, order in enumerate(ORDERS):
            R = [[None] * 4] * 3 + [[float(table[r]["abcd".index(task)]) for task in order]]
            made.append(
                scored_run(label, (0, 0), order=order, repeat=r, stream_tasks=tuple("abcd"), scores={"nmi": R},
                           learn_seconds=[0.1] * 4)
            )  # fmt: skip
    return made


def test_p_and_interval_are_scipys_over_the_differences_of_the_orders(runs, scores):
    found = compare_methods(select(runs), ["nmi"], against="base").streams[0].differences
    p = {}
    for label in ("x", "y"):
        differences = (scores[label] - scores["base"]).mean(axis=1)
        expected = stats.bootstrap((differences,), np.mean, method="percentile", n_resamples=20_000, rng=0)
        ours = found[label, "nmi", None]
        assert ours.mean == pytest.approx(differences.mean())
        assert (ours.low, ours.high) == pytest.approx(tuple(expected.confidence_interval), abs=0.001)
        p[label] = stats.wilcoxon(differences).pvalue
        assert ours.p_value == pytest.approx(p[label])
    least, most = sorted(p.values())
    assert found["x", "nmi", None].p_holm == pytest.approx(2 * least)
    assert found["y", "nmi", None].p_holm == pytest.approx(max(2 * least, most))
    assert found["x", "nmi", "a"].p_value is None


def test_the_csv_has_the_same_numbers(runs):
    found = compare_methods(select(runs), ["nmi"], against="base")
    (row,) = (
        r for r in csv.DictReader(io.StringIO(Comparison.of(found).to_csv())) if (r["method"], r["name"]) == ("y", "a")
    )
    expected = found.streams[0].differences["y", "nmi", "a"]
    assert expected.low < expected.mean < expected.high
    assert [float(row[name]) for name in ("low", "difference", "high")] == [expected.low, expected.mean, expected.high]


def test_a_narrower_confidence_gives_a_narrower_interval(runs):
    wide, narrow = (
        compare_methods(select(runs), ["nmi"], against="base", confidence=level)
        .streams[0]
        .differences["y", "nmi", None]
        for level in (0.95, 0.5)
    )
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_only_runs_of_the_same_order_seed_and_repeat_are_pairs(runs):
    others = [run for run in runs if run.label != "x" or run.repeat < 5]
    others += [run for run in runs if run.label == "x" and run.repeat >= 5]
    for run in others:
        if run.label == "x" and run.repeat >= 5:
            run.seed = 1
    found = compare_methods(select(others), ["nmi"], against="base")
    stream = found.streams[0]
    assert (stream.differences["x", "nmi", None].pairs, stream.differences["y", "nmi", None].pairs) == (5, 8)
    assert not stream.paired
    notes = "\n".join(note for sheet in comparison_sheets(found) for note in sheet.notes)
    assert "x: 5 pairs in 5 orders" in notes
    assert "No p for x: 5 differences other than zero, and the test needs 6." in notes


def test_repeats_of_one_order_are_resampled_and_that_is_said(scored_run):
    runs = [scored_run(m, (0.5 + 0.01 * r * (m == "x"), 0.5), repeat=r) for m in ("base", "x") for r in range(6)]
    found = compare_methods(select(runs), ["nmi"], against="base")
    assert found.streams[0].differences["x", "nmi", "a"].resampled == "repeats"
    notes = "\n".join(note for sheet in comparison_sheets(found) for note in sheet.notes)
    assert "There is one order" in notes
    assert "No p for x: 1 difference other than zero" in notes


def test_a_difference_that_is_only_rounding_is_no_transfer(scored_run):
    runs = [scored_run("base", (0.3, 0.3), repeat=r, setting="single-task") for r in range(3)]
    runs += [scored_run("x", (0.1 + 0.2, 0.3), repeat=r) for r in range(3)]
    found = compare_methods(select(runs), ["nmi"], against="base").streams[0].differences["x", "nmi", "a"]
    assert found.low > 0
    assert found.flag == ""


def test_a_single_task_method_is_better_or_worse_but_transfers_nothing(scored_run):
    runs = [scored_run("base", (0.3, 0.3), repeat=r, setting="single-task") for r in range(3)]
    runs += [scored_run("x", (0.5, 0.1), repeat=r, setting="single-task") for r in range(3)]
    found = compare_methods(select(runs), ["nmi"], against="base").streams[0].differences
    assert (found["x", "nmi", "a"].low, found["x", "nmi", "a"].flag) == (pytest.approx(0.2), "")
    assert (found["x", "nmi", "b"].high, found["x", "nmi", "b"].flag) == (pytest.approx(-0.2), "")


def test_a_run_that_did_not_end_well_is_no_partner_whatever_it_has_scored(scored_run):
    runs = [scored_run(label, (0.3, 0.3), repeat=r) for label in ("base", "x") for r in range(3)]
    runs[0].status = runs[4].status = "timeout"
    found = compare_methods(select(runs), ["nmi"], against="base").streams[0].differences
    assert found["x", "nmi", "a"].pairs == 1


def test_worse_than_a_method_that_learns_from_other_tasks_too_is_no_negative_transfer(scored_run):
    runs = [scored_run("base", (0.3, 0.3), repeat=r, setting="multi-task") for r in range(3)]
    runs += [scored_run("x", (0.1, 0.5), repeat=r) for r in range(3)]
    found = compare_methods(select(runs), ["nmi"], against="base")
    assert [found.streams[0].differences["x", "nmi", task].flag for task in "ab"] == ["", ""]
    notes = comparison_sheets(found)[-1].notes
    assert "Transfer is flagged against a single-task method only, and base is none." in notes


def test_a_reference_that_is_not_a_methods_own_baseline_is_said(scored_run):
    own = scored_run("own", (0.2, 0.2), setting="single-task")
    runs = [
        own,
        scored_run("base", (0.3, 0.3), setting="single-task"),
        scored_run("x", (0.1, 0.5), baseline=own.run_id),
    ]
    notes = comparison_sheets(compare_methods(select(runs), ["nmi"], against="base"))[-1].notes
    assert "The single-task baseline of x is own: beside base more than transfer differs." in notes
    notes = comparison_sheets(compare_methods(select(runs), ["nmi"], against="own"))[-1].notes
    assert not any("more than transfer" in note for note in notes)


def test_how_small_a_p_can_get_is_said(runs):
    notes = comparison_sheets(compare_methods(select(runs), ["nmi"], against="base"))[-1].notes
    assert any("With 8 orders no p is below 0.008." in note for note in notes)  # 2 of 256 choices of signs


def test_the_ends_of_an_interval_are_shown_finer_than_a_score(scored_run):
    runs = [scored_run("base", (0.3, 0.3), repeat=r, setting="single-task") for r in range(2)]
    runs += [scored_run("x", (0.2996, 0.3), repeat=r) for r in range(2)]
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"], against="base"))[-1]
    assert [cell.text for cell in sheet.rows[0]][2:4] == ["-0.04", "[-0.04, -0.04]"]


@pytest.mark.parametrize(("orders", "shown"), [(4, "positive?"), (10, "positive")])
def test_a_flag_over_few_orders_is_marked_as_unsure(scored_run, orders, shown):
    runs = []
    for r, order in enumerate(list(permutations("abcd"))[:orders]):
        facts = {"order": order, "repeat": r, "stream_tasks": tuple("abcd")}
        for label, setting, level in (("base", "single-task", 0.4), ("x", "lifelong", 0.5)):
            R = [[None] * 4] * 3 + [[level] * 4]
            runs.append(scored_run(label, (0, 0), setting=setting, scores={"nmi": R}, **facts))
    sheet = comparison_sheets(compare_methods(select(runs), ["nmi"], against="base"))[-1]
    assert {row[-1].text for row in sheet.rows} == {shown}
    assert any("do not lean on it" in note for note in sheet.notes) is (orders < 10)


def test_a_single_pair_has_a_difference_and_no_interval_or_flag(scored_run):
    base = scored_run("base", (0.1, 0.1), setting="single-task")
    found = compare_methods(select([base, scored_run("x", (0.4, 0.2))]), ["nmi"], against="base")
    one = found.streams[0].differences["x", "nmi", "a"]
    assert (one.mean, one.low, one.high, one.flag) == (pytest.approx(0.3), None, None, "")
    sheet = comparison_sheets(found)[-1]
    assert [cell.text for cell in sheet.rows[0]] == ["x", "a", "+30.00", "–", "", "", ""]


def test_a_method_without_pairs_has_one_row_of_dashes_and_a_stream_without_the_reference_says_so(scored_run):
    runs = [
        scored_run("base", (0.1, 0.1)), scored_run("x", (0, 0), status="crashed", error="gone", scores={}),
        scored_run("x", (0.1, 0.1), stream="t", stream_label="t"),
    ]  # fmt: skip
    made = comparison_sheets(compare_methods(select(runs), ["nmi"], against="base"))
    by_title = {sheet.title: sheet for sheet in made}
    rows = by_title["s: nmi minus that of base, in percentage points"].rows
    assert [[cell.text for cell in row] for row in rows] == [["x", "average", "–", "–", "–", "–", ""]]
    assert by_title["t: differences to base"].notes == ("There are no runs of base on t.",)
