"""Processes where there is no fork: fresh ones, one started ahead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from actions import end_of, exits, hangs, job, prints, raises
from plans import plan_runs

import lcbench
from lcbench.records.record import OK
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.executor import Limits
from lcbench.running.launching import Server
from lcbench.running.pool import Pool
from lcbench.running.wire import ClosedError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@pytest.fixture(scope="module")
def spawning():
    server = Server(1, forks=False)
    yield server
    server.close()


@pytest.mark.slow
def test_a_run_has_the_labels_and_scores_of_a_forked_one(spawning, module_stream):
    plan = plan_runs("kmeans", module_stream, baselines=False)
    pool = Pool(Limits(), spawning, spawning, [])
    audits = {planned.run_id: ("measure",) for planned in plan}
    (spawned,) = pool.run_all(plan.runs, audits, Events(plugin_host().manager))
    (forked,) = lcbench.run("kmeans", module_stream, baselines=False)
    assert spawned.status == OK
    assert (spawned.labels_digest, spawned.scores) == (forked.labels_digest, forked.scores)
    assert spawned.audit["measure"]["held_bytes"] == forked.audit["measure"]["held_bytes"]


@pytest.mark.slow
def test_an_exit_code_what_was_printed_and_an_error_are_told(spawning):
    assert end_of(spawning, exits, 7).status == 7
    assert end_of(spawning, prints, "here I am\n").output == "here I am\n"
    process = spawning.launch("method", job(raises, "no thanks"))
    message, _ = process.receive(60)
    assert (message["say"], message["text"]) == ("failed", "no thanks")
    assert process.end().status == 0


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_stopped_with_what_it_started(spawning, assert_gone):
    process = spawning.launch("method", job(partial(_starts_and_hangs, "pid")), timeout=2.0)
    with pytest.raises(ClosedError):
        process.receive()
    end = process.end()
    assert (end.how, end.status) == ("timeout", None)
    assert_gone(int(end.output))


def _starts_and_hangs(name):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    os.write(2, str(child.pid).encode())
    hangs()


@pytest.mark.slow
def test_waiting_can_be_limited_and_a_process_can_be_stopped(spawning):
    process = spawning.launch("method", job(hangs))
    with pytest.raises(TimeoutError):
        process.receive(0.5)
    assert process.kill().how == "timeout"
    process = spawning.launch("method", job(hangs))
    process.stop()
    with pytest.raises(ClosedError):
        process.receive(60)
    end = process.end()
    assert end.status in (None, -signal.SIGKILL)


@pytest.mark.slow
def test_the_folder_of_a_process_is_gone_after_its_end(spawning):
    folder = Path(end_of(spawning, _prints_folder).output)
    assert folder.is_absolute()
    assert not folder.exists()


def _prints_folder():
    os.write(2, str(Path.cwd()).encode())
    os._exit(0)
