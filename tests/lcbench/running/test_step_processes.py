from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lcbench.audit.label_check import NotImportableError, StepError
from lcbench.running.randomness import generator_states
from lcbench.running.step_processes import FORKS, StepProcesses, step_processes


@pytest.fixture
def forked():
    """The processes that every run here uses."""
    if not FORKS:
        pytest.skip("steps are not forked here")
    return step_processes(1)


@pytest.fixture
def spawned():
    return StepProcesses(1, forks=False)


def check_that_steps_are_fresh(cheats, make_task, started):
    state = pickle.dumps(cheats.Counts())
    for t in range(2):
        (_, labels), _ = started.ask("learn", state, generator_states(), make_task(f"task-{t}").task)
        assert set(labels) == {1}


def test_each_request_is_answered_by_a_process_that_knows_of_no_request_before(cheats, make_task, forked):
    check_that_steps_are_fresh(cheats, make_task, forked)


@pytest.mark.slow
def test_each_request_gets_a_fresh_process_also_where_there_is_no_fork(cheats, make_task, spawned):
    check_that_steps_are_fresh(cheats, make_task, spawned)
    assert spawned._server is None


def test_a_run_in_one_process_is_not_isolated(cheats, blob_stream, forked):
    """The process of a whole run sees all of it: this is what shows that isolation is more than another process."""
    found, _ = forked.ask("run", pickle.dumps(cheats.Counts()), generator_states(), blob_stream.tasks(), "all", False)
    assert [set(step[f"task-{i + 1}"]) for i, step in enumerate(found)] == [{1}, {2}, {3}]


def test_the_states_of_the_global_generators_are_sent_and_returned(cheats, make_task, forked):
    task = make_task("task-1").task
    np.random.seed(5)  # noqa: NPY002
    start = generator_states()
    expected = cheats.Draws().partial_fit(task).labels_
    after = np.random.random()  # noqa: NPY002
    (_, labels), states = forked.ask("learn", pickle.dumps(cheats.Draws()), start, task)
    np.testing.assert_array_equal(labels, expected)
    np.random.set_state(states[1])  # noqa: NPY002
    assert np.random.random() == after  # noqa: NPY002


def test_printing_and_reading_by_a_method_disturbs_nothing(cheats, make_task, forked, capfd):
    (_, labels), _ = forked.ask("learn", pickle.dumps(cheats.Talks()), generator_states(), make_task("task-1").task)
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
def test_a_step_that_fails_says_how_and_the_next_one_is_served(cheats, make_task, forked, how, message):
    task = make_task("task-1").task
    with pytest.raises(StepError, match=message):
        forked.ask("learn", pickle.dumps(cheats.Ends(how=how)), generator_states(), task)
    (_, labels), _ = forked.ask("learn", pickle.dumps(cheats.Lifelong()), generator_states(), task)
    assert len(labels) == 60


@pytest.mark.slow
def test_a_server_that_was_killed_is_started_again(cheats, make_task, forked):
    state, task = pickle.dumps(cheats.Counts()), make_task("task-1").task
    forked.ask("learn", state, generator_states(), task)
    forked._server.kill()
    forked._server.wait()
    forked.ask("learn", state, generator_states(), task)


def test_a_method_that_cannot_be_imported_has_an_error_of_its_own(make_task, forked):
    state = b"cnowhere\nMethod\n."
    with pytest.raises(NotImportableError, match="ModuleNotFoundError"):
        forked.ask("learn", state, generator_states(), make_task("task-1").task)


def test_the_server_has_the_threads_of_the_run(monkeypatch, forked):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    environment = Path(f"/proc/{forked._started().pid}/environ")
    if not environment.exists():
        pytest.skip("no /proc here")
    assert b"OMP_NUM_THREADS=1\0" in environment.read_bytes()


SLEEPER = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from lcbench_cheats.methods import Ends
from lcbench.running.step_processes import StepProcesses
from lcbench.running.randomness import generator_states
from lcbench.contract.task import Task
task = Task("a", [[1.0, 2.0], [3.0, 4.0]], 2)
processes = StepProcesses(1)
processes._started()
print("up", flush=True)
processes.ask("learn", pickle.dumps(Ends(how="sleep")), generator_states(), task)
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
    here = str(Path(__file__).parents[2] / "cheats")
    parent = subprocess.Popen([sys.executable, "-c", SLEEPER, here], stdout=subprocess.PIPE)
    assert parent.stdout.readline() == b"up\n"
    (server,) = eventually(lambda: children(parent.pid))
    (step,) = eventually(lambda: children(server))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    eventually(lambda: is_gone(server) and is_gone(step))
