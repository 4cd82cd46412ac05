from __future__ import annotations

import itertools
from statistics import fmean

import numpy as np
import pytest
from making import make_record

from lcbench.analysis.lifelong_table import TableCell, group_runs, lifelong_table
from lcbench.records.record import FAILED, RunRecord


def make_run(order: str, R, *, label: str = "l2sc", **changes) -> RunRecord:
    return make_record(label, R, order=order, **changes)


AB = make_run("ab", [[0.5, None], [0.6, 0.8]])
BA = make_run("ba", [[0.7, None], [0.9, 0.4]])


def table_of(*runs: RunRecord, baselines=()):
    return lifelong_table(runs, "purity", {run.run_id: run for run in (*baselines, *runs)})


def with_baseline(order: str, R, baseline: RunRecord) -> RunRecord:
    return make_run(order, R, baseline=baseline.run_id)


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
        make_run("".join(order), [[R[i, j] if j <= i else None for j in range(4)] for i in range(4)])
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
    first = make_run("ab", [[0.3, None], [0.3, 0.2]], label="stsc")
    second = make_run("ba", [[0.4, None], [0.4, 0.9]], label="stsc")
    runs = with_baseline("ab", AB.scores["purity"], first), with_baseline("ba", BA.scores["purity"], second)
    table = table_of(*runs, baselines=(first, second))
    assert table.baseline == "stsc"
    assert table.columns == (0, 1, 2)
    assert table.cells["a", 0] == TableCell(pytest.approx((0.3 + 0.9) / 2), 2, 2)
    assert table.cells["b", 0] == TableCell(pytest.approx((0.2 + 0.4) / 2), 2, 2)
    assert table.average(0) == pytest.approx((0.6 + 0.3) / 2)


def test_a_baselines_score_is_that_at_the_arrival_of_the_task():
    baseline = make_run("ab", [[0.3, None], [0.9, 0.2]], label="stsc")
    table = table_of(with_baseline("ab", AB.scores["purity"], baseline), baselines=[baseline])
    assert table.cells["a", 0].mean == 0.3


def test_a_baseline_scored_at_the_end_alone_gives_its_last_row():
    baseline = make_run("ab", [[None, None], [0.3, 0.2]], label="stsc")
    run = with_baseline("ab", [[None, None], [0.6, 0.8]], baseline)
    table = table_of(run, baselines=[baseline])
    assert [table.cells[task, 0].mean for task in "ab"] == [0.3, 0.2]
    assert [table.cells[task, 1] for task in "ab"] == [TableCell(None, 0, 1)] * 2
    assert table.average(1) is None


def test_a_failed_baseline_has_no_scores_to_show():
    baseline = make_run("ab", [[0.3, None]], label="stsc", status=FAILED)
    table = table_of(with_baseline("ab", AB.scores["purity"], baseline), baselines=[baseline])
    assert table.cells["a", 0] == TableCell(None, 0, 0)
    assert table.average(0) is None


def test_a_task_still_to_come_has_count_zero_and_is_not_in_the_average():
    table = table_of(make_run("ab", [[0.5, 0.3], [0.6, 0.8]]))
    assert table.cells["b", 1] == TableCell(0.3, 0, 1)
    assert table.average(1) == 0.5


def test_scores_from_before_a_task_was_learned_do_not_mix_with_those_from_after():
    table = table_of(make_run("ab", [[0.5, 0.1], [0.6, 0.8]]), make_run("ba", [[0.7, 0.2], [0.9, 0.4]]))
    assert table.cells["a", 1] == TableCell(0.5, 1, 2)
    assert table.cells["b", 1] == TableCell(0.7, 1, 2)


def test_a_task_neither_learned_nor_scored_has_an_empty_cell():
    assert table_of(AB).cells["b", 1] == TableCell(None, 0, 1)


def test_a_run_counts_only_for_its_own_tasks_and_steps():
    table = table_of(AB, make_run("a", [[0.1]]))
    assert table.cells["a", 1] == TableCell(pytest.approx(0.3), 2, 2)
    assert table.cells["a", 2] == TableCell(0.6, 1, 1)
    assert table.cells["b", 1] == TableCell(None, 0, 1)


def test_failed_runs_are_left_out():
    failed = make_run("ba", [[0.1, None]], status=FAILED)
    assert table_of(AB, failed).cells["a", 2] == TableCell(0.6, 1, 1)
    empty = table_of(failed)
    assert (empty.tasks, empty.columns, dict(empty.cells)) == (("b", "a"), (), {})


def test_a_run_without_the_metric_is_left_out():
    assert table_of(AB, make_run("ab", [[1.0, None], [1.0, 1.0]], metric="nmi")).cells["a", 2] == TableCell(0.6, 1, 1)


def test_runs_are_grouped_by_stream_and_method_in_the_order_of_their_first():
    runs = [make_run("a", [[1.0]], label=m, stream=s) for s, m in [("s", "x"), ("t", "x"), ("s", "x"), ("s", "y")]]
    groups = group_runs(runs)
    assert list(groups) == [("s", "x"), ("t", "x"), ("s", "y")]
    assert groups["s", "x"] == [runs[0], runs[2]]
