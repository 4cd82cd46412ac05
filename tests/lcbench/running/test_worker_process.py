from __future__ import annotations

import os
import queue
import select
import signal
import sys
import threading
import time

import hostile_methods
import pytest

import lcbench
from lcbench.records.record import FAILED, OK
from lcbench.running.worker_process import WorkerProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")
SECONDS = 20


def within_time(call, *arguments) -> bool:
    """True if a call returns in time; a call that hangs must not hang the test."""
    thread = threading.Thread(target=call, args=arguments, daemon=True)
    thread.start()
    thread.join(SECONDS)
    return not thread.is_alive()


def test_a_worker_that_does_not_read_blocks_nobody_and_can_be_killed():
    inbox = queue.SimpleQueue()
    before = threading.active_count()
    worker = WorkerProcess(1, inbox)
    os.kill(worker.pid, signal.SIGSTOP)
    told = within_time(worker.tell, "x" * 10_000_000)
    assert within_time(worker.kill)
    assert told
    assert inbox.get(timeout=SECONDS) == (worker, None)
    deadline = time.monotonic() + SECONDS
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


@pytest.mark.skipif(not hasattr(select, "poll"), reason="pipes cannot be asked here")
def test_output_that_is_still_in_the_pipe_is_returned_too(monkeypatch):
    monkeypatch.setattr(WorkerProcess, "_drain", lambda self: None)  # as if its thread had had no time yet
    worker = WorkerProcess(1, queue.SimpleQueue())
    ours, theirs = os.pipe()
    try:
        worker._errors = ours
        os.write(theirs, b"here I am")
        assert worker.take_output() == "here I am"
        assert worker.take_output() == ""
    finally:
        os.close(theirs)
    assert worker.take_output() == ""
    assert worker._errors is None
    os.close(ours)
    worker.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lists the children of a process")
@pytest.mark.slow
def test_a_process_that_left_the_session_of_its_worker_is_killed_too(module_stream, assert_gone):
    runs = lcbench.run([hostile_methods.ForksADaemon(), hostile_methods.Good()], module_stream, jobs=1)
    assert [run.status for run in runs] == [FAILED, OK]
    assert_gone(int(runs[0].error.partition("child ")[2].split()[0]))


@pytest.mark.slow
def test_sets_of_texts_have_the_same_order_in_two_workers(module_stream, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)

    def digest():
        (run,) = lcbench.run(hostile_methods.GoesByHash(), module_stream, jobs=1)
        return run.labels_digest

    assert digest() == digest()
