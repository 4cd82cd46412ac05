from __future__ import annotations

from dataclasses import replace

import pytest
from making import make_record, make_solos, make_stream
from small_methods import Handed

import lcbench
from lcbench.analysis.lifelong_table import TableCell, group_runs, have_one_order, lifelong_table
from lcbench.analysis.transfer import NEGATIVE, POSITIVE
from lcbench.records.record import FAILED, OK, RunRecord

ONE = make_record("l2sc", [[0.5, None], [0.6, 0.8]])
TWO = make_record("l2sc", [[0.7, None], [0.9, 0.4]], repeat=1)
BA = make_record("l2sc", [[0.7, None], [0.9, 0.4]], order="ba")
FAILS = make_record("l2sc", [[0.1, None]], repeat=2, status=FAILED)


def table_of(*runs: RunRecord, beside=()):
    return lifelong_table(runs, "purity", {run.run_id: run for run in (*beside, *runs)})


def means(table) -> dict[tuple[str, int], float]:
    return {key: cell.mean for key, cell in table.cells.items()}


def changes(table) -> dict[tuple[str, int], str]:
    return {key: cell.change for key, cell in table.cells.items() if cell.change}


def test_a_cell_is_the_mean_of_the_same_runs_in_every_column_and_an_average_over_the_tasks_learned_by_then():
    table = table_of(ONE, TWO)
    assert means(table) == pytest.approx({("a", 1): 0.6, ("a", 2): 0.75, ("b", 2): 0.6})
    assert all(cell.learned for cell in table.cells.values())
    assert table.columns == (1, 2)
    assert table.averages == pytest.approx({1: 0.6, 2: (0.75 + 0.6) / 2})
    assert (table.label, table.metric, table.baseline) == ("l2sc", "purity", None)


def test_rows_are_the_tasks_in_the_order_of_their_arrival():
    assert table_of(BA).tasks == ("b", "a")
    assert means(table_of(BA)) == pytest.approx({("b", 1): 0.7, ("b", 2): 0.9, ("a", 2): 0.4})


def test_only_runs_of_one_order_have_a_table():
    assert have_one_order([ONE, TWO])
    assert not have_one_order([ONE, BA])


def test_column_zero_is_the_baselines_score_of_each_task_and_gains_are_differences_to_it():
    first = make_record("stsc", [[0.3, None], [0.3, 0.2]])
    second = make_record("stsc", [[0.4, None], [0.4, 0.9]], repeat=1)
    runs = replace(ONE, baseline=first.run_id), replace(TWO, baseline=second.run_id)
    table = table_of(*runs, beside=(first, second))
    assert table.baseline == "stsc"
    assert table.columns == (0, 1, 2)
    assert table.cells["a", 0] == TableCell(pytest.approx(0.35), True, "")
    assert table.cells["b", 0] == TableCell(pytest.approx(0.55), True, "")
    assert table.averages[0] == pytest.approx(0.45)
    # a: .6 - .35; then a: .75 - .35 and b: .6 - .55
    assert table.gains == pytest.approx({1: 0.25, 2: (0.4 + 0.05) / 2})


@pytest.mark.parametrize(
    ("R", "status", "shown"),
    [
        ([[0.3, None], [0.9, 0.2]], OK, {"a": 0.3, "b": 0.2}),
        ([[None, None], [0.3, 0.2]], OK, {"a": 0.3, "b": 0.2}),
        ([[0.3, None]], FAILED, {}),
    ],
    ids=["at arrival", "or else at the end", "failed"],
)
def test_the_score_of_a_baseline_is_that_at_the_arrival_of_the_task(R, status, shown):
    baseline = make_record("stsc", R, status=status)
    table = table_of(replace(ONE, baseline=baseline.run_id), beside=[baseline])
    assert {task: cell.mean for (task, column), cell in table.cells.items() if column == 0} == shown
    assert table.averages.get(0) == (0.25 if shown else None)
    assert bool(table.gains) == bool(shown)


@pytest.mark.parametrize(
    ("runs", "cells", "averages"),
    [
        ([make_record(R=[[None, None], [0.6, 0.8]])], {("a", 2): 0.6, ("b", 2): 0.8}, {2: 0.7}),
        ([make_record(R=[[0.5, 0.1], [0.6, 0.8]])], {("a", 1): 0.5, ("b", 1): 0.1, ("a", 2): 0.6, ("b", 2): 0.8},
         {1: 0.5, 2: 0.7}),
        ([ONE, FAILS], {("a", 1): 0.5, ("a", 2): 0.6, ("b", 2): 0.8}, {1: 0.5, 2: 0.7}),
        ([ONE, make_record(metric="nmi", repeat=1)], {("a", 1): 0.5, ("a", 2): 0.6, ("b", 2): 0.8}, {1: 0.5, 2: 0.7}),
        ([FAILS], {}, {}),
    ],
    ids=["at the end", "before learned", "failed", "no metric", "all failed"],
)  # fmt: skip
def test_a_cell_is_there_where_successful_runs_were_scored_and_averages_are_of_learned_tasks(runs, cells, averages):
    table = table_of(*runs)
    assert means(table) == pytest.approx(cells)
    assert table.averages == pytest.approx(averages)
    assert {key for key, cell in table.cells.items() if not cell.learned} == set(cells) & {("b", 1)}


def repeated(*matrices, **fields) -> list[RunRecord]:
    return [make_record(R=R, repeat=repeat, **fields) for repeat, R in enumerate(matrices)]


BETTER, WORSE = [[0.5, None], [0.6, 0.8]], [[0.5, None], [0.4, 0.8]]


def test_a_change_since_arrival_has_a_direction_if_its_interval_over_the_runs_leaves_out_zero():
    assert changes(table_of(*repeated(BETTER, BETTER, BETTER))) == {("a", 2): POSITIVE}
    assert changes(table_of(*repeated(WORSE, WORSE, WORSE))) == {("a", 2): NEGATIVE}
    assert changes(table_of(*repeated(BETTER, WORSE, BETTER))) == {}


def test_where_runs_start_apart_it_is_the_change_of_each_run_that_counts():
    """The means of both columns lie far inside the spread of the runs, and each run got better by the same."""
    apart = [[[start, None], [start + 0.01, 0.5]] for start in (0.1, 0.5, 0.9)]
    assert changes(table_of(*repeated(*apart))) == {("a", 2): POSITIVE}


def test_where_less_is_better_a_lower_score_is_a_change_for_the_better(monkeypatch):
    monkeypatch.setattr("lcbench.analysis.transfer.greater_is_better", lambda _: False)
    assert changes(table_of(*repeated(BETTER, BETTER))) == {("a", 2): NEGATIVE}


def test_a_single_run_a_change_within_rounding_and_a_single_task_method_have_no_direction():
    assert changes(table_of(ONE)) == {}
    rounding = [[0.3, None], [0.1 + 0.2, 0.8]]
    assert rounding[1][0] != rounding[0][0]
    assert changes(table_of(*repeated(rounding, rounding))) == {}
    assert changes(table_of(*repeated(BETTER, BETTER, setting="single-task"))) == {}


def test_at_its_arrival_a_task_is_compared_with_the_same_task_alone():
    runs = repeated([[0.5, None], [0.5, 0.8]], [[0.5, None], [0.5, 0.9]])
    solos = [each for run in runs for each in make_solos(run, {"a": 0.5, "b": 0.7})]
    assert changes(table_of(*runs, beside=solos)) == {("b", 2): POSITIVE}
    worse = [each for run in runs for each in make_solos(run, {"a": 0.5, "b": 0.95})]
    assert changes(table_of(*runs, beside=worse)) == {("b", 2): NEGATIVE}
    lacking = [*make_solos(runs[0], {"a": 0.5, "b": 0.7})]
    assert changes(table_of(*runs, beside=lacking)) == {}


def test_the_table_of_a_method_that_is_handed_the_answers_is_as_worked_by_hand():
    made = lcbench.run(Handed(), make_stream(), repeats=2, executor=lcbench.InProcess())
    table = lifelong_table(made.runs, "ari", {run.run_id: run for run in (*made.runs, *made.solos)})
    first, second, third = made[0].order
    # all tasks are right from the second on, and none is alone
    assert means(table) == {
        (first, 1): 0.0, (first, 2): 1.0, (second, 2): 1.0, (first, 3): 1.0, (second, 3): 1.0, (third, 3): 1.0,
    }  # fmt: skip
    # of the second task nothing changed after it was learned
    assert changes(table) == dict.fromkeys([(first, 2), (first, 3), (second, 2), (third, 3)], POSITIVE)


def test_runs_are_grouped_by_stream_and_method_in_the_order_of_their_first():
    runs = [make_record(m, [[1.0]], order="a", stream=s) for s, m in [("s", "x"), ("t", "x"), ("s", "x"), ("s", "y")]]
    groups = group_runs(runs)
    assert list(groups) == [("s", "x"), ("t", "x"), ("s", "y")]
    assert groups["s", "x"] == [runs[0], runs[2]]
