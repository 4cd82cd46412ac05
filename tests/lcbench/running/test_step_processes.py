from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from making import make_task

from lcbench.audit.label_check import StepError
from lcbench.running.randomness import generator_states
from lcbench.running.step_processes import FORKS, StepProcesses, step_processes

TASK = make_task("task-1").task


@pytest.fixture
def forked():
    """The processes that every run here uses."""
    if not FORKS:
        pytest.skip("steps are not forked here")
    return step_processes(1)


@pytest.fixture
def spawned():
    return StepProcesses(1, forks=False)


def check_that_steps_are_fresh(cheats, started):
    state = pickle.dumps(cheats.Counts())
    for _ in range(2):
        (_, labels), _ = started.ask("learn", state, generator_states(), TASK)
        assert set(labels) == {1}


def test_each_request_is_answered_by_a_process_that_knows_of_no_request_before(cheats, forked):
    check_that_steps_are_fresh(cheats, forked)


@pytest.mark.slow
def test_each_request_gets_a_fresh_process_also_where_there_is_no_fork(cheats, spawned):
    check_that_steps_are_fresh(cheats, spawned)
    assert spawned._server is None


def test_a_run_in_one_process_is_not_isolated(cheats, blob_stream, forked):
    """The process of a whole run sees all of it: this is what shows that isolation is more than another process."""
    found, _ = forked.ask("run", pickle.dumps(cheats.Counts()), generator_states(), blob_stream.tasks(), "all", False)
    assert [set(step[f"task-{i + 1}"]) for i, step in enumerate(found)] == [{1}, {2}, {3}]


def test_printing_and_reading_by_a_method_disturbs_nothing(cheats, forked, capfd):
    (_, labels), _ = forked.ask("learn", pickle.dumps(cheats.Talks()), generator_states(), TASK)
    assert len(labels) == 60
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        pytest.param("signal", "ended by SIGSEGV", marks=pytest.mark.slow),
        ("exit", "exit code 7"),
        ("raise", "^ValueError: no more$"),
    ],
)
def test_a_step_that_fails_says_how_and_the_next_one_is_served(cheats, forked, how, message):
    with pytest.raises(StepError, match=message):
        forked.ask("learn", pickle.dumps(cheats.Ends(how=how)), generator_states(), TASK)
    (_, labels), _ = forked.ask("learn", pickle.dumps(cheats.Lifelong()), generator_states(), TASK)
    assert len(labels) == 60


@pytest.mark.slow
def test_a_server_that_was_killed_is_started_again(cheats, forked):
    state = pickle.dumps(cheats.Counts())
    forked.ask("learn", state, generator_states(), TASK)
    forked._server.kill()
    forked._server.wait()
    forked.ask("learn", state, generator_states(), TASK)


def test_the_server_has_the_threads_of_the_run(monkeypatch, forked):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    environment = Path(f"/proc/{forked._started().pid}/environ")
    if not environment.exists():
        pytest.skip("no /proc here")
    assert b"OMP_NUM_THREADS=1\0" in environment.read_bytes()


SLEEPER = """
import json, pickle, sys
sys.path[:] = json.loads(sys.argv[1])
from lcbench_cheats.methods import Ends
from lcbench.running.step_processes import StepProcesses
from lcbench.running.randomness import generator_states
from making import make_task
processes = StepProcesses(1)
processes._started()
print("up", flush=True)
processes.ask("learn", pickle.dumps(Ends(how="sleep")), generator_states(), make_task().task)
"""


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def eventually(what, seconds=60.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")


def is_gone(pid):
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux kills the children of a killed process")
def test_the_processes_die_with_their_parent(cheats):
    parent = subprocess.Popen([sys.executable, "-c", SLEEPER, json.dumps(sys.path)], stdout=subprocess.PIPE)
    assert parent.stdout.readline() == b"up\n"
    (server,) = eventually(lambda: children(parent.pid))
    (step,) = eventually(lambda: children(server))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    eventually(lambda: is_gone(server) and is_gone(step))
