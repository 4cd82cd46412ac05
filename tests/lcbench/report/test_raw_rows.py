from __future__ import annotations

import csv
import io

import pytest

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.verdicts import compare_with_paper
from lcbench.records.formulas import FORMULAS
from lcbench.report.raw_rows import AGAINST_COLUMNS, COLUMNS, REPRODUCED_COLUMNS, comparison_rows, reproduced_rows
from lcbench.report.sheets.formats import csv_text


def read(raw) -> list[dict[str, str]]:
    """The lines as the csv module reads them back."""
    return list(csv.DictReader(io.StringIO(csv_text(raw))))


def compared_rows(comparison):
    return read(comparison_rows(comparison))


def test_differences_have_the_numbers_of_the_comparison_unrounded(compared, eight_orders):
    found = compared(eight_orders, against="base")
    differences = found.streams[0].differences
    (row,) = (r for r in compared_rows(found) if (r["method"], r["name"]) == ("y", "a"))
    expected = differences["y", "nmi", "a"]
    assert expected.low < expected.mean < expected.high
    assert [float(row[name]) for name in ("low", "difference", "high")] == [expected.low, expected.mean, expected.high]
    (average,) = (r for r in compared_rows(found) if (r["method"], r["kind"]) == ("x", "average"))
    expected = differences["x", "nmi", None]
    assert [float(average[name]) for name in ("p", "p_holm")] == [expected.p_value, expected.p_holm]
    assert (average["against"], average["pairs"], average["orders"]) == ("base", "8", "8")


def test_every_task_the_average_and_every_figure_has_a_row(compared, two_orders):
    found = compared_rows(compared(two_orders))
    assert tuple(found[0]) == COLUMNS
    assert tuple(compared_rows(compared(two_orders, against="base"))[0]) == COLUMNS + AGAINST_COLUMNS
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
    assert [row["name"] for row in compared_rows(found) if row["kind"] == "task"] == list(tasks)


def test_a_method_whose_runs_all_failed_has_empty_numbers_and_a_count(compared, scored_run):
    failed = scored_run("bad", (0, 0), status="failed", error="no", scores={})
    found = compared_rows(compared([failed, scored_run("m", (0.5, 0.5))]))
    numbers = {(r["mean"], r["sd"], r["runs"], r["failed"]) for r in found if r["method"] == "bad"}
    assert numbers == {("", "", "0", "1")}


def test_a_reproduction_has_a_row_per_cell_of_the_paper_and_one_for_the_seconds_of_each_method(reproduce):
    found = read(reproduced_rows(reproduce()))
    assert tuple(found[0]) == REPRODUCED_COLUMNS
    assert len(found) == 2 * (5 + 1)
    first, average, seconds = found[0], found[10], found[5]
    assert (first["method"], first["task"], first["own_task"]) == ("Plain", "A", "task-1")
    assert (float(first["ours_mean"]), float(first["difference"])) == (pytest.approx(82), pytest.approx(2))
    assert (first["runs"], first["failed"], first["mean_of_paper_rows"]) == ("2", "1", "")
    assert (average["task"], average["paper_mean"], average["mean_of_paper_rows"]) == ("average", "77.0", "75.0")
    assert (seconds["metric"], seconds["table"], float(seconds["ours_mean"])) == ("seconds", "Table 8", 3.0)
    assert {row["metric"] for row in read(reproduced_rows(reproduce(runtime=None)))} == {"purity"}


def test_without_runs_the_papers_figures_stand_alone(published):
    found = read(reproduced_rows(compare_with_paper(Reproduction(published, repeats=1), [])))
    assert {(row["ours_mean"], row["ours_sd"], row["difference"], row["runs"]) for row in found} == {("", "", "", "0")}
    assert [row["paper_mean"] for row in found[:4]] == ["80.0", "70.0", "60.0", "50.0"]
    assert {row["verdict"] for row in found if row["metric"] == "purity"} == {"no result"}
