"""The questions in SQL of docs/results.md: DuckDB answers them from an export as lcbench itself would."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from making import make_record, make_results, make_solos

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")


@pytest.fixture
def queries():
    """The queries of the page, over an export of three runs, and two solo runs, made by the command that it prints."""
    first = make_record("m", [[0.5, None], [0.4, 0.8]], metric="ari")
    make_results(
        first,
        *make_solos(first, {"a": 0.1, "b": 0.1}, metric="ari"),
        make_record("m", [[0.9, None], [0.7, 0.5]], metric="ari", order="ba", repeat=1),
        make_record("other", [[0.1, None], [0.2, 0.3]], metric="ari"),
    )
    text = PAGE.read_text(encoding="utf-8").split("## Questions in SQL")[1]
    (line,) = re.findall(r"^lcbench (.*)$", text, re.MULTILINE)
    subprocess.run([sys.executable, "-m", "lcbench", *line.split()], check=True)
    return re.findall(r'duckdb\.sql\("""(.*?)"""\)', text, re.DOTALL)


def test_the_averages_of_the_first_question_are_those_after_all_tasks(queries):
    """Of m: .6 and .6; of the other: .25."""
    assert duckdb.sql(queries[0]).fetchall() == [("s", "m", 2, 60.0, 0.0), ("s", "other", 1, 25.0, None)]


def test_the_changes_of_the_second_question_are_from_arrival_to_the_end(queries):
    """Of m, task a: .5 to .4, and .5 when it comes last; task b: .8, and .9 to .7."""
    found = {(label, task): change for _, label, task, change in duckdb.sql(queries[1]).fetchall()}
    assert found == {("m", "a"): -5.0, ("m", "b"): -10.0, ("other", "a"): 10.0, ("other", "b"): 0.0}
