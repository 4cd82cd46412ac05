from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from actions import (
    burdens_its_supervisor,
    burns,
    burns_in_child,
    closes_files,
    eats,
    exits,
    hangs,
    hangs_deaf,
    leaves_daemon,
    litters,
    signals_supervisor,
)  # fmt: skip


def test_a_process_that_takes_too_long_is_stopped_with_its_traceback_in_the_output(ended):
    end = ended(hangs, timeout=0.5)
    assert end.how == "timeout"
    for part in ("Fatal Python error: Aborted", "actions.py", "in hangs"):
        assert part in end.output


def test_a_process_that_takes_too_long_and_ignores_signals_is_stopped_too(ended):
    assert ended(hangs_deaf, timeout=0.3).how == "timeout"


def test_a_process_that_needs_less_than_its_time_is_not_stopped(ended):
    assert ended(exits, 0, timeout=60.0).how == "ended"
    assert ended(exits, 0, timeout=1e12).how == "ended"


def test_memory_beyond_the_limit_is_refused_or_ends_the_process(server):
    from actions import job

    process = server.launch("method", job(eats, 900_000_000), memory=600_000_000)
    message, _ = process.receive(60)
    assert (message["say"], message["memory"]) == ("failed", True)
    process.end()


@pytest.mark.slow
def test_the_memory_of_children_counts_and_the_sum_is_told(ended):
    end = ended(_holds_in_children, memory=600_000_000)
    assert end.how == "memory"
    assert end.held > 600_000_000
    assert ended(exits, 0, memory=600_000_000).how == "ended"


def _holds_in_children():
    for _ in range(3):
        if os.fork() == 0:
            eats(300_000_000)
    hangs()


def test_what_a_process_started_is_ended_with_it_and_counted_also_in_another_session(ended, assert_gone):
    end = ended(leaves_daemon)
    assert (end.how, end.status, end.left) == ("ended", 3, 1)
    assert_gone(int(end.output))
    assert ended(exits, 0).left == 0


def test_signals_to_the_supervisor_are_ignored(ended):
    for _ in range(2):
        end = ended(signals_supervisor)
        assert (end.how, end.status) == ("ended", 4)


def test_the_folder_of_a_process_is_removed_whatever_it_left_there(ended):
    folder = Path(ended(litters).output.strip())
    assert folder.is_absolute()
    assert not folder.exists()


def test_a_process_that_closes_its_wire_and_goes_on_is_ended(ended):
    end = ended(closes_files)
    assert (end.how, end.status) == ("closed", -signal.SIGKILL)


@pytest.mark.parametrize("action", [burns, burns_in_child])
def test_cpu_time_has_what_was_burnt_by_a_process_and_its_children(ended, action):
    idle, busy = ended(exits, 0).cpu_seconds, ended(action, 0.4).cpu_seconds
    assert 0 <= idle < busy
    assert busy >= 0.4


def test_peak_memory_is_that_of_one_process_and_not_of_the_one_before(ended):
    before = ended(exits, 0).peak_bytes
    much = ended(_touches, 300_000_000).peak_bytes
    after = ended(exits, 0).peak_bytes
    assert much > before + 250_000_000
    assert abs(after - before) < 50_000_000


def _touches(size):
    kept = bytearray(b"x") * size
    os._exit(0 if kept else 1)


def test_one_supervisor_watches_process_after_process_and_nothing_is_handed_on(told):
    first, second = told(), told()
    assert first["parent"] == second["parent"], "the supervisor is used again"
    assert first["pid"] != second["pid"]
    assert (first["mark"], second["mark"]) == (None, None)
    assert second["files"] == []
    assert "LCBENCH_MARK" not in second["environment"]
    assert first["open"] == second["open"], "no file of the first is open in the second"


def test_a_supervisor_whose_priority_or_limits_were_changed_is_not_used_again(ended, told):
    assert ended(burdens_its_supervisor).spoiled
    assert told()["nice"] == os.getpriority(os.PRIO_PROCESS, 0)
    assert not ended(exits, 0).spoiled
