from __future__ import annotations

import signal

import pytest

from lcbench.records.record import CRASHED, OUT_OF_MEMORY
from lcbench.running.worker_pool import describe_end, last_lines

WHERE = "at task 'b' (2 of 3)"
SEGFAULT = """printed before
Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/site-packages/mine/method.py", line 15 in helper
  File "/site-packages/mine/method.py", line 9 in partial_fit
  File "/site-packages/lcbench/running/harness.py", line 125 in _learn
  File "/site-packages/lcbench/running/worker.py", line 32 in main

Extension modules: numpy.core (total: 1)
"""


@pytest.mark.parametrize(
    ("code", "killed", "status", "said"),
    [
        (7, False, CRASHED, "exit code 7"),
        (-signal.SIGSEGV, False, CRASHED, "SIGSEGV"),
        (-signal.SIGKILL, False, CRASHED, "SIGKILL"),
        (-signal.SIGKILL, True, OUT_OF_MEMORY, "no memory left"),
        (-60, False, CRASHED, "signal 60"),
        (None, False, CRASHED, "closed its pipe"),
    ],
)
def test_every_end_has_a_status_and_a_sentence_that_says_where(code, killed, status, said):
    found, sentence = describe_end(code, memory_limit=None, kernel_killed=killed, where=WHERE)
    assert found == status
    assert said in sentence
    assert WHERE in sentence


def test_of_a_crash_the_frames_of_the_method_are_kept():
    assert last_lines(SEGFAULT) == [
        "Fatal Python error: Segmentation fault",
        "Current thread 0x00007f (most recent call first):",
        '  File "/site-packages/mine/method.py", line 15 in helper',
        '  File "/site-packages/mine/method.py", line 9 in partial_fit',
    ]


def test_otherwise_the_last_lines_are():
    assert last_lines("\n".join(f"line {i}" for i in range(100)) + "\n\n")[-2:] == ["line 98", "line 99"]
    assert last_lines("") == []
