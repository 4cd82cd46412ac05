from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from lcbench.running.process_limits import signal_name, tree_resident_bytes

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are for Linux")


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() + done.stderr.strip()[-200:]


@linux
def test_peak_memory_is_counted_from_the_last_reset():
    code = """
from lcbench.running.process_limits import peak_bytes, reset_peak
kept = bytearray(b"x") * 300_000_000
del kept
before = peak_bytes()
assert reset_peak()
after = peak_bytes()
kept = bytearray(b"x") * 100_000_000
again = peak_bytes()
print(before > 300_000_000, after < 200_000_000, after + 90_000_000 < again < 300_000_000)
"""
    assert python(code) == "True True True"


@linux
def test_memory_beyond_the_limit_is_refused():
    code = """
from lcbench.running.process_limits import limit_memory
limit_memory(200_000_000)
kept = bytearray(100_000_000)
try:
    more = bytearray(150_000_000)
except MemoryError:
    print("refused")
"""
    assert python(code) == "refused"


@linux
def test_the_memory_of_a_process_includes_that_of_its_children():
    code = """
import subprocess, sys, time, os
from lcbench.running.process_limits import signal_name, tree_resident_bytes
child = subprocess.Popen([sys.executable, "-c", "k = bytearray(b'x') * 200_000_000; print(1, flush=True); input()"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(tree_resident_bytes(os.getpid()) > 200_000_000)
child.kill()
"""
    assert python(code) == "True"


@linux
def test_a_child_that_another_thread_started_is_found():
    code = """
import os, subprocess, sys, threading
from lcbench.running.process_limits import tree
started, seen = [], threading.Event()
def start():
    started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
    seen.wait()
thread = threading.Thread(target=start)
thread.start()
while not started: pass
print(list(tree(os.getpid())) == [os.getpid(), started[0].pid])
seen.set()
started[0].kill()
"""
    assert python(code) == "True"


def test_a_process_that_has_ended_holds_no_memory():
    assert tree_resident_bytes(2**22 + 1) == 0


def test_a_signal_without_a_name_is_shown_by_its_number():
    assert signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(123) == "signal 123"
