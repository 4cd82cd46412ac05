from __future__ import annotations

from statistics import stdev

import pytest
from published_table import TASKS, digits_run

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.table import Published
from lcbench.analysis.published.verdicts import compare_with_paper, misprint, verdict, worst
from lcbench.analysis.run_scores import Spread


@pytest.fixture
def reproduction(published):
    return Reproduction(published, repeats=2)


@pytest.fixture
def runs(reproduction):
    """Two runs of the plain method that ended well and one that did not; the other method has none."""
    params = reproduction.entries["Plain"].params
    return [
        digits_run("stsc", [0.81, 0.72, 0.63, 0.54], params=params, learn_seconds=[1, 2, 3, 4]),
        digits_run("stsc", [0.58, 0.65, 0.74, 0.83], params=params, learn_seconds=[1, 1, 1, 1], order=TASKS[::-1]),
        digits_run("stsc", params=params, status="timeout"),
    ]


def cells(reproduced, method):
    return {cell.task: cell for cell in next(m for m in reproduced.methods if m.name == method).cells}


def test_every_task_is_scored_after_all_in_whatever_order_they_came_with_a_verdict_each(reproduction, runs):
    found = cells(compare_with_paper(reproduction, runs), "Plain")
    means = {task: cell.ours.mean for task, cell in found.items()}
    assert means == pytest.approx({"A": 82.0, "B": 73.0, "C": 64.0, "D": 56.0, "average": 68.75})
    assert found["A"].ours.sd == pytest.approx(stdev([81, 83]))
    assert found["average"].ours.sd == pytest.approx(stdev([67.5, 70]))
    assert {task: round(cell.difference, 6) for task, cell in found.items()} == {
        "A": 2.0, "B": 3.0, "C": 4.0, "D": 6.0, "average": 3.75,
    }  # fmt: skip
    assert [cell.verdict for cell in found.values()] == ["within 2", "near", "near", "off", "near"]


def test_a_method_has_the_verdict_of_its_averages_the_status_of_failed_runs_and_its_seconds(reproduction, runs):
    plain = compare_with_paper(reproduction, runs).methods[0]
    assert plain.verdict == "near"
    assert (plain.done, plain.failed) == (2, {"timeout": 1})
    assert plain.seconds.mean == pytest.approx(7)
    assert plain.paper_seconds.mean == 1.5


def test_a_method_without_a_successful_run_has_no_figures(reproduction, runs):
    reproduced = compare_with_paper(reproduction, runs[2:])
    for method in reproduced.methods:
        assert {cell.ours for cell in method.cells} == {None}
        assert method.verdict == "no result"
        assert method.seconds is None
    assert [m.failed for m in reproduced.methods] == [{"timeout": 1}, {}]


def test_one_run_has_no_standard_deviation(reproduction, runs):
    assert cells(compare_with_paper(reproduction, runs[:1]), "Plain")["A"].ours == Spread(pytest.approx(81), None, 1)


def test_a_misprinted_average_is_compared_as_printed_and_as_recomputed(reproduction):
    params = reproduction.entries["Life"].params
    found = cells(compare_with_paper(reproduction, [digits_run("l2sc", [0.76] * 4, params=params)]), "Life")
    assert found["average"].difference == pytest.approx(-1.0)
    assert found["average"].from_rows == pytest.approx(1.0)
    assert found["average"].misprint.recomputed == 75
    assert found["A"].misprint is None


def test_on_other_data_every_cell_is_another_split(table, runs):
    reproduction = Reproduction(Published.model_validate(table | {"same_data": False}), repeats=2)
    plain = compare_with_paper(reproduction, runs).methods[0]
    assert {cell.verdict for cell in plain.cells} == {"other split"}
    assert plain.verdict == "other split"
    assert plain.cell("purity", "D").difference == pytest.approx(6.0)


def test_the_chosen_parameters_of_a_tuned_method_are_noted(published):
    full = Reproduction(published, repeats=2, full=True)
    choice = {"params": {"lam": 40.0, "mu": 0.01}}
    facts = {"tune": {"protocol": "oracle"}, "choice": choice, "note": "re-encoded"}
    tuned = digits_run("l2sc", [0.76] * 4, params=full.entries["Life"].params, **facts)
    life = compare_with_paper(full, [tuned]).methods[1]
    assert life.tuned
    assert life.notes == ("re-encoded", "chosen: lam=40,mu=0.01")


@pytest.mark.parametrize(
    ("difference", "word"),
    [
        (0.0, "within 2"), (2.0, "within 2"), (-2.004, "within 2"), (2.006, "near"), (2.01, "near"), (-2.01, "near"),
        (5.0, "near"), (-5.0, "near"), (5.01, "off"), (-40.0, "off"), (None, "no result"),
    ],
)  # fmt: skip
def test_a_verdict_depends_on_the_size_of_the_difference_and_on_other_data_claims_nothing(difference, word):
    assert verdict(difference, same_data=True) == word
    assert verdict(difference, same_data=False) == ("no result" if difference is None else "other split")


def test_several_verdicts_together_are_the_worst_of_them():
    assert worst(["within 2", "off", "near"]) == "off"
    assert worst(["within 2", "near"]) == "near"
    assert worst(["within 2", "no result"]) == "no result"


def test_a_misprinted_average_is_found_with_the_printed_and_the_recomputed_value(published):
    assert misprint(published, "purity", "Life") == ("purity", "Life", 77.0, 75.0)
    assert misprint(published, "purity", "Plain") is None


@pytest.mark.parametrize(
    ("rows", "average", "wrong"),
    [
        (["10.00", "10.00", "10.00", "10.01"], "10.00", False),  # 10.0025, rounded
        (["10.00", "10.00", "10.01", "10.02"], "10.00", False),  # 10.0075, cut off
        (["10.00", "10.00", "10.00", "10.05"], "10.00", False),  # 10.0125: rows of up to 0.005 less, cut off
        (["10.00", "10.02", "10.02", "10.02"], "10.00", False),  # 10.015 is the utmost
        (["10.01", "10.02", "10.02", "10.02"], "10.00", True),  # 10.0175
        (["10.00", "10.00", "10.00", "9.93"], "10.00", True),  # 9.9825
    ],
)
def test_rounding_explains_an_average_that_is_off_by_0_015_and_no_more(table, rows, average, wrong):
    for task, text in zip([*"ABCD", "average"], [*rows, average], strict=True):
        table["figures"]["purity"][task][0] = text
    assert (misprint(Published.model_validate(table), "purity", "Plain") is not None) is wrong
