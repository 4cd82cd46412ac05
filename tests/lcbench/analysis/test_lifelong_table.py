from __future__ import annotations

import itertools
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from making import make_record

from lcbench.analysis.lifelong_table import TableCell, group_runs, lifelong_table
from lcbench.records.record import FAILED, OK, RunRecord

AB = make_record("l2sc", [[0.5, None], [0.6, 0.8]])
BA = make_record("l2sc", [[0.7, None], [0.9, 0.4]], order="ba")
FAILS = make_record("l2sc", [[0.1, None]], order="ba", status=FAILED)


def table_of(*runs: RunRecord, baselines=()):
    return lifelong_table(runs, "purity", {run.run_id: run for run in (*baselines, *runs)})


def test_a_cell_is_the_mean_over_the_runs_that_had_learned_the_task_by_then():
    table = table_of(AB, BA)
    assert table.cells == {
        ("a", 1): TableCell(0.5, 1, 2),
        ("b", 1): TableCell(0.7, 1, 2),
        ("a", 2): TableCell(pytest.approx(0.5), 2, 2),
        ("b", 2): TableCell(pytest.approx(0.85), 2, 2),
    }
    assert table.columns == (1, 2)
    assert (table.label, table.metric, table.baseline) == ("l2sc", "purity", None)


def test_the_average_of_a_column_is_over_the_tasks_learned_by_then():
    table = table_of(AB, BA)
    assert table.average(1) == pytest.approx((0.5 + 0.7) / 2)
    assert table.average(2) == pytest.approx((0.5 + 0.85) / 2)
    assert table_of(AB).average(1) == 0.5


def test_every_cell_over_all_orders_of_four_tasks_equals_a_mean_taken_one_by_one():
    generator = np.random.default_rng(0)
    scores = {order: generator.random((4, 4)) for order in itertools.permutations("abcd")}
    runs = [
        make_record(R=[[R[i, j] if j <= i else None for j in range(4)] for i in range(4)], order=order)
        for order, R in scores.items()
    ]
    table = table_of(*runs)
    for task, learned in itertools.product("abcd", range(1, 5)):
        seen = [R[learned - 1, order.index(task)] for order, R in scores.items() if task in order[:learned]]
        assert len(seen) == 24 * learned / 4
        assert table.cells[task, learned] == TableCell(pytest.approx(fmean(seen)), len(seen), 24)


def test_rows_keep_the_order_of_arrival_where_all_runs_share_it_and_are_sorted_where_not():
    assert table_of(BA, BA).tasks == ("b", "a")
    assert table_of(BA, AB).tasks == ("a", "b")


def test_column_zero_is_the_baselines_score_of_each_task():
    first = make_record("stsc", [[0.3, None], [0.3, 0.2]])
    second = make_record("stsc", [[0.4, None], [0.4, 0.9]], order="ba")
    runs = replace(AB, baseline=first.run_id), replace(BA, baseline=second.run_id)
    table = table_of(*runs, baselines=(first, second))
    assert table.baseline == "stsc"
    assert table.columns == (0, 1, 2)
    assert table.cells["a", 0] == TableCell(pytest.approx((0.3 + 0.9) / 2), 2, 2)
    assert table.cells["b", 0] == TableCell(pytest.approx((0.2 + 0.4) / 2), 2, 2)
    assert table.average(0) == pytest.approx((0.6 + 0.3) / 2)


@pytest.mark.parametrize(
    ("R", "status", "shown"),
    [
        ([[0.3, None], [0.9, 0.2]], OK, [0.3, 0.2]),
        ([[None, None], [0.3, 0.2]], OK, [0.3, 0.2]),
        ([[0.3, None]], FAILED, [None, None]),
    ],
    ids=["at arrival", "or else at the end", "failed"],
)
def test_the_score_of_a_baseline_is_that_at_the_arrival_of_the_task(R, status, shown):
    baseline = make_record("stsc", R, status=status)
    table = table_of(replace(AB, baseline=baseline.run_id), baselines=[baseline])
    assert [table.cells[task, 0].mean for task in "ab"] == shown
    assert table.average(0) == (None if None in shown else 0.25)


EARLY = make_record("l2sc", [[0.5, 0.1], [0.6, 0.8]])
EARLY_TOO = make_record("l2sc", [[0.7, 0.2], [0.9, 0.4]], order="ba")


@pytest.mark.parametrize(
    ("runs", "cells", "average"),
    [
        ([make_record(R=[[None, None], [0.6, 0.8]])], {("a", 1): (None, 0, 1), ("b", 1): (None, 0, 1)}, None),
        ([AB], {("b", 1): (None, 0, 1)}, 0.5),
        ([EARLY], {("b", 1): (0.1, 0, 1)}, 0.5),
        ([EARLY, EARLY_TOO], {("a", 1): (0.5, 1, 2), ("b", 1): (0.7, 1, 2)}, 0.6),
        ([AB, make_record(R=[[0.1]], order="a")], {("a", 1): (0.3, 2, 2), ("a", 2): (0.6, 1, 1)}, 0.3),
        ([AB, FAILS], {("a", 2): (0.6, 1, 1)}, 0.5),
        ([AB, make_record(metric="nmi")], {("a", 2): (0.6, 1, 1)}, 0.5),
    ],
    ids=["not scored", "to come", "scored before learned", "before and after", "fewer tasks", "failed", "no metric"],
)
def test_a_cell_counts_only_runs_that_have_learned_and_scored_the_task(runs, cells, average):
    table = table_of(*runs)
    assert {key: table.cells[key] for key in cells} == {
        key: TableCell(mean and pytest.approx(mean), *counts) for key, (mean, *counts) in cells.items()
    }
    assert table.average(1) == (average and pytest.approx(average))


def test_a_table_of_failed_runs_is_empty():
    empty = table_of(FAILS)
    assert (empty.tasks, empty.columns, dict(empty.cells)) == (("b", "a"), (), {})


def test_runs_are_grouped_by_stream_and_method_in_the_order_of_their_first():
    runs = [make_record(m, [[1.0]], order="a", stream=s) for s, m in [("s", "x"), ("t", "x"), ("s", "x"), ("s", "y")]]
    groups = group_runs(runs)
    assert list(groups) == [("s", "x"), ("t", "x"), ("s", "y")]
    assert groups["s", "x"] == [runs[0], runs[2]]
