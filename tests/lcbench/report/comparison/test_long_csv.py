from __future__ import annotations

import csv
import io

import pytest

from lcbench.records.formulas import FORMULAS
from lcbench.report.comparison.long_csv import AGAINST_COLUMNS, COLUMNS, csv_text


def rows(comparison) -> list[dict[str, str]]:
    """The lines as the csv module reads them back."""
    text = csv_text(comparison.streams, comparison.metrics, against=comparison.against is not None)
    return list(csv.DictReader(io.StringIO(text)))


def test_differences_have_the_numbers_of_the_comparison_unrounded(compared, eight_orders):
    found = compared(eight_orders, against="base")
    (row,) = (r for r in rows(found) if (r["method"], r["name"]) == ("y", "a"))
    expected = found.streams[0].differences["y", "nmi", "a"]
    assert expected.low < expected.mean < expected.high
    assert [float(row[name]) for name in ("low", "difference", "high")] == [expected.low, expected.mean, expected.high]
    (average,) = (r for r in rows(found) if (r["method"], r["kind"]) == ("x", "average"))
    expected = found.streams[0].differences["x", "nmi", None]
    assert [float(average[name]) for name in ("p", "p_holm")] == [expected.p_value, expected.p_holm]
    assert (average["against"], average["pairs"], average["orders"]) == ("base", "8", "8")


def test_every_task_the_average_and_every_figure_has_a_row(compared, two_orders):
    found = rows(compared(two_orders))
    of_ours = [(row["kind"], row["name"]) for row in found if row["method"] == "ours"]
    figures = [("figure", formula.name) for formula in FORMULAS]
    assert of_ours == [("task", "a"), ("task", "b"), ("average", ""), *figures]
    assert len(found) == 2 * len(of_ours)
    a = next(row for row in found if (row["method"], row["name"]) == ("ours", "a"))
    assert (float(a["mean"]), float(a["sd"])) == (pytest.approx(0.8), pytest.approx(0.02**0.5))
    assert (a["runs"], a["failed"]) == ("2", "0")


def test_very_many_tasks_all_have_their_row(compared, scored_run):
    tasks = tuple(f"t{i}" for i in range(21))
    R = [[0.5 if j <= i else None for j in range(21)] for i in range(21)]
    found = compared([scored_run("m", (0, 0), order=tasks, stream_tasks=tasks, scores={"nmi": R})])
    assert [row["name"] for row in rows(found) if row["kind"] == "task"] == list(tasks)


def test_the_columns_of_differences_are_there_only_with_a_reference(compared, two_orders):
    assert tuple(rows(compared(two_orders))[0]) == COLUMNS
    assert tuple(rows(compared(two_orders, against="base"))[0]) == COLUMNS + AGAINST_COLUMNS


def test_a_method_whose_runs_all_failed_has_empty_numbers_and_a_count(compared, scored_run):
    failed = scored_run("bad", (0, 0), status="failed", error="no", scores={})
    found = [row for row in rows(compared([failed, scored_run("m", (0.5, 0.5))])) if row["method"] == "bad"]
    assert {(row["mean"], row["sd"], row["runs"], row["failed"]) for row in found} == {("", "", "0", "1")}
