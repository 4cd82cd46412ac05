from __future__ import annotations

import os
import queue
import select
import signal
import threading
import time

import pytest

from lcbench.running.worker_process import WorkerProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")
SECONDS = 20


def within_time(call, *arguments) -> bool:
    """Whether a call comes back; if it does not, the test must."""
    thread = threading.Thread(target=call, args=arguments, daemon=True)
    thread.start()
    thread.join(SECONDS)
    return not thread.is_alive()


def test_a_worker_that_does_not_read_holds_nobody_up_and_can_be_parted_with():
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
def test_output_that_is_still_in_the_pipe_is_taken_too(monkeypatch):
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
