from __future__ import annotations

import os
import queue
import signal
import threading
import time

import pytest

from lcbench.workers.process import WorkerProcess

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
