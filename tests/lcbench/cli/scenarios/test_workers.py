"""Experiments as a person starts them: a process with workers, limits, and Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are read from /proc")
SMALL = ("-s", "digits:tasks=2", "--metric", "ri")
REGISTER = """
from lcbench import MethodSpec, Param, Setting, hookimpl

@hookimpl
def lcbench_register_methods(register):
    for name, maker in {"prints": "Prints", "hangs": "Hangs", "eats": "Eats", "waits": "Waits"}.items():
        params = (Param("seconds", float, 0.2, "how long to wait"),) if name == "waits" else ()
        register(MethodSpec(name, f"made_hostile.methods:{maker}", Setting.SINGLE_TASK, params))
"""
METHODS = """
import time
import numpy as np
from lcbench import Clusterer, Setting

class Prints(Clusterer):
    setting = Setting.SINGLE_TASK

    def partial_fit(self, task):
        self.act()
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.arange(task.n_samples) % task.n_clusters

    def act(self):
        print("here I am\\nand here")

class Hangs(Prints):
    def act(self):
        while True:
            time.sleep(60)

class Eats(Prints):
    def act(self):
        kept = []
        while True:
            kept.append(np.ones(10_000_000))

class Waits(Prints):
    def __init__(self, *, seconds=0.2):
        self.seconds = seconds

    def act(self):
        time.sleep(self.seconds)
"""


@pytest.fixture
def plugin(install) -> None:
    """A plugin that every process finds."""
    install("made_hostile", {"made_hostile/__init__.py": REGISTER, "made_hostile/methods.py": METHODS})


def lcbench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lcbench", *arguments], capture_output=True, text=True, timeout=120)


def stored() -> dict[str, dict]:
    return {path.stem: json.loads(path.read_text()) for path in Path("lcbench-results", "runs").glob("*.json")}


@linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "limit", "status", "sentence"),
    [
        ("hangs", "--timeout=1s", "timeout", "ran out of time after 0 of 2 tasks: it took longer than 1 s: stopped at"),
        ("eats", "--memory-limit=600MB", "out-of-memory", "ran out of memory after 0 of 2 tasks: "),
    ],
)
def test_a_run_that_takes_too_much_is_stopped_and_the_others_are_done(plugin, method, limit, status, sentence):
    arguments = ("run", "-m", method, "-m", "prints", *SMALL, limit, "--quiet")
    ended = lcbench(*arguments)
    assert ended.returncode == 1
    assert {run["label"]: run["status"] for run in stored().values()} == {method: status, "prints": "ok"}
    assert ended.stderr.startswith(f"lcbench: {method} on digits:tasks=2 {sentence}")
    assert ended.stderr.count("\n") == 1
    assert any("methods.py" in line and "act" in line for run in stored().values() for line in run["traceback"])
    again = lcbench(*arguments)  # nothing is run, and it is said again
    before = "2 runs: 1 done already, 1 failed before (--retry-failed runs them again), 0 to do\n"
    assert (again.returncode, again.stdout, again.stderr) == (1, ended.stdout, before + ended.stderr)


@linux
@pytest.mark.slow
def test_limits_too_large_to_be_reached_are_accepted():
    far = ("--timeout", "1e9d", "--memory-limit", "1e9TB")
    ended = lcbench("run", "-m", "one-cluster", *SMALL, *far, "--quiet")
    assert (ended.returncode, ended.stderr, len(stored())) == (0, "", 1)


@pytest.mark.slow
def test_text_that_a_method_prints_is_shown_with_debug_only_and_disturbs_nothing(plugin):
    arguments = ("run", "-m", "prints", *SMALL, "--json", "--quiet")
    usual = lcbench(*arguments)
    assert (usual.returncode, usual.stderr) == (0, "")
    assert json.loads(usual.stdout)["status"] == "ok"
    shown = lcbench(*arguments, "--fresh", "--debug")
    said = [line for line in shown.stderr.splitlines() if "printed" in line]
    assert said == [f"lcbench: debug: prints printed: {line}" for line in ("here I am", "and here")] * 2
    assert json.loads(shown.stdout)["status"] == "ok"


def descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in children for each in (int(child), *descendants(int(child)))]


@linux
@pytest.mark.slow
def test_ctrl_c_keeps_finished_runs_leaves_no_process_behind_and_the_same_command_goes_on(
    plugin, monkeypatch, tmp_path
):
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setenv("TMPDIR", str(shared))
    arguments = ("run", "-m", "waits", *SMALL, "--repeats", "20", "--jobs", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "lcbench", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(Path("lcbench-results").glob("runs/*.json")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    workers = descendants(process.pid)
    assert len(workers) >= 3, "the server, and a supervisor for each of two runs"
    assert len(list(shared.iterdir())) == 1
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    kept = stored()
    assert (process.returncode, out) == (130, "")
    assert 0 < len(kept) < 20
    assert {run["status"] for run in kept.values()} == {"ok"}
    said = re.fullmatch(
        r"lcbench: interrupted; (\d+) of 20 runs are kept in 'lcbench-results': (.*)", err.splitlines()[-1]
    )
    assert said[2] == "the same command goes on with the others."
    assert int(said[1]) in (len(kept), len(kept) - 1)  # one may just have been written and not counted yet
    assert "Traceback" not in err
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert list(shared.iterdir()) == []
    ended = lcbench(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert f"20 runs: {len(kept)} done already, {20 - len(kept)} to do\n" in ended.stderr
    after = stored()
    assert len(after) == 20
    assert {run_id: after[run_id] for run_id in kept} == kept
    assert not list(Path("lcbench-results").rglob("*.tmp"))
