"""The page about figures: its commands work one after the other, and it has every kind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.report.figures.figure_kinds import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "figures.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks = re.findall(r"^```shell\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def test_every_kind_stands_in_the_table_and_is_drawn_by_a_command():
    assert re.findall(r"^\| `(\w+)` \| .* \| .* \|$", PAGE, re.MULTILINE) == [kind.name for kind in KINDS]
    assert [line.split()[2] for line in commands() if line.startswith("lcbench plot")] == [kind.name for kind in KINDS]


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
