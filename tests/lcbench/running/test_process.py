from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path

import pytest
from actions import exits, hangs, job, kills_supervisor, prints, raises, signals_itself, stops_its_supervisor_and_floods

from lcbench.running.process import OUTPUT_KEPT, End
from lcbench.running.wire import ClosedError

REPORT = {"how": "ended", "status": 0, "cpu_seconds": 0.5, "peak_bytes": 7, "left": 0}


@pytest.mark.parametrize("code", [0, 7, 255])
def test_the_exit_code_of_a_process_is_told(ended, code):
    end = ended(exits, code)
    assert (end.how, end.status) == ("ended", code)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGALRM], ids=str)
def test_the_signal_that_ended_a_process_is_told(ended, number):
    end = ended(signals_itself, int(number))
    assert (end.how, end.status) == ("ended", -number)


def test_a_process_sends_messages_and_what_it_waits_for_can_be_sent(server):
    process = server.launch("method", job(raises, "no thanks"))
    message, content = process.receive(60)
    assert (message["say"], message["kind"], message["text"], content) == ("failed", "ValueError", "no thanks", b"")
    with pytest.raises(ClosedError):
        process.receive(60)
    assert process.end().status == 0


def test_waiting_for_a_message_ends_after_the_seconds_given_and_the_process_goes_on(server):
    process = server.launch("method", job(hangs))
    for _ in range(2):
        with pytest.raises(TimeoutError):
            process.receive(0.1)
    end = process.kill()
    assert end.how == "ended"
    assert end.status == -signal.SIGKILL


def test_a_process_can_be_stopped_from_another_thread(server):
    process = server.launch("method", job(hangs))
    timer = threading.Timer(0.2, process.stop)
    timer.start()
    with pytest.raises(ClosedError):
        process.receive(60)
    assert process.end().status == -signal.SIGKILL
    timer.join()


def test_what_a_process_printed_is_kept_and_of_much_the_last_part(ended):
    assert ended(prints, "here I am\nand here\n").output == "here I am\nand here\n"
    much = ended(prints, "x" * 99_999 + "\n", 20).output
    assert len(much) == OUTPUT_KEPT
    assert much.endswith("xxx\n")
    assert ended(prints, "").output == ""


def test_printed_bytes_that_are_no_text_are_replaced(ended):
    assert ended(_writes_bytes).output == "a�b"


def _writes_bytes():
    import os

    os.write(2, b"a\xffb")
    os._exit(0)


def test_the_end_is_the_same_however_often_it_is_asked_for(server):
    process = server.launch("method", job(exits, 7))
    with pytest.raises(ClosedError):
        process.receive(60)
    assert process.end() is process.end() is process.kill()
    with pytest.raises(ClosedError):
        process.send({"say": "anybody there?"})


def test_a_killed_supervisor_is_noticed_its_process_ends_and_the_next_one_is_served(ended, assert_gone):
    end = ended(kills_supervisor)
    assert (end.how, end.status) == ("lost", None)
    assert ended(exits, 5).status == 5


def test_a_report_has_the_facts_of_the_end():
    said = json.dumps({**REPORT, "how": "memory", "status": -9, "held": 3}).encode()
    assert End.parsed(said) == End("memory", -9, 0.5, 7, 0, 3)


@pytest.mark.parametrize(
    "said",
    [
        b"", b"h", b"[]", b"{}", b"{" * 100_000, b"\xff",
        *(json.dumps({**REPORT, **change}).encode() for change in (
            {"how": "well"}, {"how": None}, {"status": "0"}, {"status": True}, {"status": 1 << 70},
            {"cpu_seconds": None}, {"peak_bytes": "much"}, {"left": []},
        )),
    ],
    ids=lambda said: said[:30].decode(errors="replace"),
)  # fmt: skip
def test_what_is_no_report_counts_as_a_lost_process(said):
    assert End.parsed(said) == End("lost")


def test_a_process_runs_in_a_folder_and_a_session_of_its_own_and_reads_nothing(told):
    facts = told()
    assert facts["session"] == facts["pid"]
    assert facts["files"] == []
    assert not Path(facts["folder"]).exists(), "it is gone with the process"
    assert facts["environment"]["TMPDIR"] == facts["temporary"] == facts["folder"]
    assert (facts["input"], facts["blocked"]) == ("", 0)


def test_a_process_that_stops_its_supervisor_is_ended_however_much_it_prints(ended, monkeypatch):
    monkeypatch.setattr("lcbench.running.process.SECONDS_BETWEEN_LOOKS", 0.1)
    assert ended(stops_its_supervisor_and_floods).how == "lost"
    assert ended(exits, 3).status == 3


def test_the_time_in_which_lcbench_is_busy_does_not_count_for_the_timeout(server):
    process = server.launch("method", job(hangs), timeout=2)
    with process.paused():
        time.sleep(2.5)
    with pytest.raises(TimeoutError):
        process.receive(0.1)
    with pytest.raises(ClosedError):
        process.receive(60)
    assert process.end().how == "timeout"
