"""The table of our own methods in docs/board.md is that of its CSV file."""

from __future__ import annotations

import csv
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from lcbench.experiment.suites import read_suite

DOCS = Path(__file__).parents[2] / "docs"


def make_board():
    spec = spec_from_file_location("make_board", DOCS / "make_board.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_table_is_that_of_the_file():
    page = (DOCS / "board.md").read_text(encoding="utf-8")
    assert make_board().written(page, DOCS / "board.csv") == page


def test_the_file_is_of_the_whole_suite_as_it_is():
    suite = read_suite("lifelong-1")
    with (DOCS / "board.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {(row["suite"], row["suite_digest"], row["quick"]) for row in rows} == {
        ("lifelong-1", suite.digest, "False")
    }
    assert {row["stream"] for row in rows} - {""} == {stream.shown for stream in suite.streams}
    assert {row["method"] for row in rows} == set(make_board().METHODS)
