from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from lcbench import __version__
from lcbench.cli import doctor
from lcbench.cli.app import build_app


def doctor_says() -> list[str]:
    result = CliRunner().invoke(build_app(), ["doctor"])
    assert result.exit_code == 0
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


@pytest.fixture
def broken_plugin(tmp_path):
    """A folder that holds an installed distribution whose plugin cannot be imported."""
    (tmp_path / "frail.py").write_text("raise RuntimeError('the [red]sky[/red] fell')\n")
    info = tmp_path / "frail_plugin-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: frail-plugin\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[lcbench]\nfrail = frail\n")
    return tmp_path


def test_doctor_shows_the_versions():
    lines = doctor_says()
    assert f"python {platform.python_version()} ({platform.python_implementation()})" in lines
    assert f"numpy {np.__version__}" in lines
    assert f"lcbench {__version__}" in lines


def test_doctor_shows_threads_and_the_variables_that_set_them(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    lines = doctor_says()
    assert "OMP_NUM_THREADS 7" in lines
    assert "threads of a run 1, unless --threads says otherwise" in lines
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert not any(line.startswith("OMP_NUM_THREADS") for line in doctor_says())


def test_doctor_lists_plugins_without_problems():
    lines = doctor_says()
    assert any(line.startswith(f"plugin spectral of lcbench {__version__}: loaded") for line in lines)
    assert lines[-1] == "All plugins are well."


def test_a_missing_extra_is_shown_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(doctor, "EXTRAS", {"frames": ("no-such-distribution",)})
    line = "extra frames not installed (no-such-distribution): pip install 'lcbench[frames]'"
    assert line in doctor_says()


def test_a_plugin_that_failed_is_named_with_the_reason_and_the_tool_goes_on(broken_plugin):
    environment = {**os.environ, "PYTHONPATH": str(broken_plugin)}
    command = [sys.executable, "-m", "lcbench", "doctor"]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    reason = "plugin 'frail' of distribution 'frail-plugin' could not be loaded: RuntimeError: the [red]sky[/red] fell"
    assert f"lcbench: warning: {reason}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "plugin frail of frail-plugin 1.2: failed" in ended.stdout
    assert f"  {reason}\n1 plugin(s) with problems." in ended.stdout
