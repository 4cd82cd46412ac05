"""The page about comparing has every column of the CSV and every option of the command."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from lcbench.cli.compare import compare
from lcbench.report.comparison.sheets import AGAINST_COLUMNS, COLUMNS
from lcbench.report.sheets.formats import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def test_every_column_of_the_csv_is_explained_once():
    section = PAGE.split("## The columns of the CSV\n")[1].split("\n## ")[0]
    first = [row.split(" | ")[0] for row in re.findall(r"^\| (`.*) \|$", section, re.MULTILINE)]
    assert [name for cell in first for name in re.findall(r"`(\w+)`", cell)] == [*COLUMNS, *AGAINST_COLUMNS]


def test_every_option_and_format_is_there():
    table = PAGE.split("| option |")[1].split("\n\n")[0]
    assert set(re.findall(r"--(\w+)", table)) == set(inspect.signature(compare).parameters)
    assert r"\|".join(FORMATS) in table
