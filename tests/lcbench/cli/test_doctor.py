from __future__ import annotations

import platform
import subprocess
import sys

import numpy as np

from lcbench import __version__
from lcbench.cli import doctor


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


def test_a_plugin_that_failed_is_named_with_the_reason_and_the_tool_goes_on(install):
    install("frail", {"frail.py": "raise RuntimeError('the [red]sky[/red] fell')\n"})
    ended = subprocess.run([sys.executable, "-m", "lcbench", "doctor"], capture_output=True, text=True, check=True)
    reason = "plugin 'frail' of distribution 'frail' could not be loaded: RuntimeError: the [red]sky[/red] fell"
    assert f"lcbench: warning: {reason}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "plugin frail of frail 1.2: failed" in ended.stdout
    assert f"  {reason}\n1 plugin(s) with problems." in ended.stdout
