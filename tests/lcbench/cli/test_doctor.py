from __future__ import annotations

import platform
import subprocess
import sys

import numpy as np
import pytest

from lcbench import __version__
from lcbench.cli import doctor


@pytest.fixture
def broken_plugin(tmp_path, monkeypatch):
    """An installed distribution whose plugin cannot be imported."""
    (tmp_path / "frail.py").write_text("raise RuntimeError('the [red]sky[/red] fell')\n")
    info = tmp_path / "frail_plugin-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: frail-plugin\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[lcbench]\nfrail = frail\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_doctor_shows_versions_plugins_threads_and_the_variables_that_set_them(command, monkeypatch):
    monkeypatch.setattr(doctor, "EXTRAS", {"frames": ("no-such-distribution",)})
    lines = command("doctor").lines
    for line in (
        f"python {platform.python_version()} ({platform.python_implementation()})", f"numpy {np.__version__}",
        f"lcbench {__version__}", "threads of a run 1, unless --threads says otherwise", "OMP_NUM_THREADS 1",
        "extra frames not installed (no-such-distribution): pip install 'lcbench[frames]'",
    ):  # fmt: skip
        assert line in lines, line
    assert any(line.startswith(f"plugin spectral of lcbench {__version__}: loaded") for line in lines)
    assert lines[-1] == "All plugins are well."
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert not any(line.startswith("OMP_NUM_THREADS") for line in command("doctor").lines)


@pytest.mark.usefixtures("broken_plugin")
def test_a_plugin_that_failed_is_named_with_the_reason_and_the_tool_goes_on():
    ended = subprocess.run([sys.executable, "-m", "lcbench", "doctor"], capture_output=True, text=True, check=True)
    reason = "plugin 'frail' of distribution 'frail-plugin' could not be loaded: RuntimeError: the [red]sky[/red] fell"
    assert f"lcbench: warning: {reason}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "plugin frail of frail-plugin 1.2: failed" in ended.stdout
    assert f"  {reason}\n1 plugin(s) with problems." in ended.stdout
