"""The page about results: its commands work one after the other, and it has every field and column."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.records.record import RunRecord
from lcbench.report.export import COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
SAME_EVERYWHERE = (
    "schema", "run_id", "method", "label", "revision", "params", "setting", "stream", "stream_label", "stream_params",
    "stream_digest", "stream_tasks", "order", "seed", "repeat", "evaluate", "future", "threads", "tune", "choice",
    "status", "error", "traceback", "note", "baseline_run_id", "objective_trace",
)  # fmt: skip


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return found


def section(title: str) -> str:
    return re.split(r"^## ", PAGE.split(f"## {title}\n")[1], flags=re.MULTILINE)[0]


def named_in_tables(text: str) -> list[str]:
    """The names in the first column of tables."""
    return [name for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]


def test_every_field_of_a_run_file_is_explained_once():
    record = RunRecord("m", 1, {}, "lifelong", "s", {}, "", ("a",), 0, 0)
    assert sorted(named_in_tables(section("A run file"))) == sorted(record.to_json())


def test_every_column_of_an_export_is_explained_once():
    assert sorted(named_in_tables(section("The columns of an export"))) == sorted(COLUMNS)


@pytest.mark.slow
def test_the_commands_work_in_turn_and_the_run_is_the_one_that_is_shown(tmp_path):
    shown = json.loads(block("json"))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    lines = [line.split("  #")[0].strip() for line in block("shell").splitlines()]
    assert len(lines) == 6
    stored = None
    for line in lines:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, (line, done.stderr)
        assert "warning" not in done.stderr
        if stored is None:
            (file,) = (tmp_path / "lcbench-results" / "runs").iterdir()
            stored = json.loads(file.read_text())
    assert list(stored) == list(shown)
    assert {key: stored[key] for key in SAME_EVERYWHERE} == {key: shown[key] for key in SAME_EVERYWHERE}
    assert shown["scores"].keys() == shown["summary"].keys() <= stored["scores"].keys()
    assert (tmp_path / "runs.csv").read_text().count("\n") == 1 + 3 * len(stored["scores"])
    assert list((tmp_path / "lcbench-results" / "runs").iterdir()) == []
