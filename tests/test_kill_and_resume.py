"""An experiment survives SIGKILL of all its processes at any moment."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the tree of processes is read from /proc")
def test_an_experiment_killed_25_times_ends_as_one_that_was_left_alone(tmp_path):
    spec = importlib.util.spec_from_file_location("kill_and_resume", Path(__file__).with_name("kill_and_resume.py"))
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    seed = int(time.time())
    said = script.kill_and_resume(tmp_path, 25, seed)  # asserts after every experiment that nothing is lost or damaged
    print(f"seed {seed}: {said}")
    assert said.startswith("25 kills in ")
