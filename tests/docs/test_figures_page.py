"""The page about figures: its commands work one after the other, and its table has every kind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.report.figures.kind import figure_kinds

PAGE = (Path(__file__).parents[2] / "docs" / "figures.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks = re.findall(r"^```shell\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def test_the_table_has_every_kind_and_each_kind_with_a_section_is_drawn_by_a_command_in_it():
    """`python docs/make_layout.py` writes the table anew."""
    rows = [f"| `{kind.name}` | {kind.summary} | {kind.per} |" for kind in figure_kinds()]
    assert re.findall(r"^\| `\w+` \| .* \| .* \|$", PAGE, re.MULTILINE) == rows
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    sections = [name for heading in headings for name in heading.split(" and ")]
    assert [line.split()[2] for line in commands() if line.startswith("lcbench plot")] == sections
    assert set(sections) <= {kind.name for kind in figure_kinds()}


@pytest.mark.slow
def test_the_commands_work_in_turn_and_each_draws_one_figure(tmp_path):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in commands():
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, (line, done.stderr)
        assert "warning" not in done.stderr
        if line.startswith("lcbench plot"):
            (written,) = done.stdout.splitlines()
            assert (tmp_path / written).stat().st_size > 5000
