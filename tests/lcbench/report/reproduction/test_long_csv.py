from __future__ import annotations

import csv
import io

import pytest

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.verdicts import compare_with_paper
from lcbench.report.reproduction.long_csv import COLUMNS, long_csv


def rows(reproduced) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(long_csv(reproduced))))


def test_the_csv_has_a_row_per_cell_with_raw_numbers(reproduce):
    found = rows(reproduce())
    assert tuple(found[0]) == COLUMNS
    assert len(found) == 2 * (5 + 1)
    first, average, seconds = found[0], found[10], found[5]
    assert (first["method"], first["task"], first["own_task"]) == ("Plain", "A", "task-1")
    assert float(first["ours_mean"]) == pytest.approx(82)
    assert float(first["difference"]) == pytest.approx(2)
    assert (first["runs"], first["failed"], first["mean_of_paper_rows"]) == ("2", "1", "")
    assert (average["task"], average["paper_mean"], average["mean_of_paper_rows"]) == ("average", "77.0", "75.0")
    assert (seconds["metric"], seconds["table"], float(seconds["ours_mean"])) == ("seconds", "Table 8", 3.0)


def test_a_table_without_seconds_has_no_rows_of_seconds(reproduce):
    assert {row["metric"] for row in rows(reproduce(runtime=None))} == {"purity"}


def test_without_runs_the_papers_figures_stand_alone(published):
    found = rows(compare_with_paper(Reproduction(published, repeats=1), []))
    assert {(row["ours_mean"], row["ours_sd"], row["difference"], row["runs"]) for row in found} == {("", "", "", "0")}
    assert [row["paper_mean"] for row in found[:4]] == ["80.0", "70.0", "60.0", "50.0"]
    assert {row["verdict"] for row in found if row["metric"] == "purity"} == {"no result"}
