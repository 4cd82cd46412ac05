from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from lcbench.running import process_limits
from lcbench.running.process_limits import signal_name, state, tree_resident_bytes

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are for Linux")


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() + done.stderr.strip()[-200:]


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


@linux
@pytest.mark.parametrize("error", [FileNotFoundError, ProcessLookupError])
def test_a_process_that_ends_while_it_is_looked_at_has_no_children(monkeypatch, error):
    """A glob finds the folder first and fails when it lists it: a run whose supervisor had just ended was an error."""

    def gone(folder="."):
        raise error(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", gone)
        patch.setattr(os, "scandir", gone)
        assert list(process_limits.tree(os.getpid())) == [os.getpid()]


def test_a_chain_of_thousands_of_processes_is_listed(monkeypatch):
    monkeypatch.setattr(process_limits, "children", lambda pid: [pid + 1] if pid < 5000 else [])
    assert list(process_limits.tree(1)) == list(range(1, 5001))
    monkeypatch.setattr(process_limits, "children", lambda pid: [2 * pid, 2 * pid + 1] if pid < 4 else [])
    assert list(process_limits.tree(1)) == [1, 2, 4, 5, 3, 6, 7]


def test_a_process_adopts_the_orphans_of_its_children_also_those_in_another_session():
    code = """
import os, sys, time
from lcbench.running.process_limits import adopt_orphans, children, state
adopt_orphans()
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        while os.getppid() != int(os.environ["PARENT"]): time.sleep(0.01)
        os.write(writing, b"x")
        time.sleep(60)
    os._exit(0)
os.wait()
os.read(reading, 1)
(orphan,) = children(os.getpid())
print(state(orphan) in "RS")
os.kill(orphan, 9)
os.waitpid(orphan, 0)
print(state(orphan))
"""
    assert python(f"import os; os.environ['PARENT'] = str(os.getpid())\n{code}").split() == ["True", "Z"]


@linux
def test_the_state_of_a_process_shows_that_it_is_stopped_or_has_ended():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED)
        assert state(child.pid) == "T"
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert state(child.pid) == "Z"
    finally:
        child.kill()
        child.communicate()
    assert state(child.pid) == "Z", "it is not there any more"


@linux
def test_a_process_ends_with_its_parent_and_at_once_if_that_has_ended_before():
    code = """
import os, signal, time
from lcbench.running.process_limits import adopt_orphans, die_with_parent
adopt_orphans()
read, write = os.pipe()
parent = os.fork()
if parent == 0:
    own = os.getpid()
    if os.fork() == 0:
        die_with_parent(own)
        os.write(write, str(os.getpid()).encode())
        time.sleep(60)
    time.sleep(60)
child = int(os.read(read, 20))
os.kill(parent, signal.SIGKILL)
os.waitpid(parent, 0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
late = os.fork()
if late == 0:
    die_with_parent(parent)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(late, 0)[1]))
"""
    assert python(code).split() == ["-9", "1"]


def test_a_process_that_has_ended_holds_no_memory():
    assert tree_resident_bytes(2**22 + 1) == 0


def test_a_signal_without_a_name_is_shown_by_its_number():
    assert signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(123) == "signal 123"


@linux
def test_children_are_found_where_the_kernel_does_not_list_them():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in process_limits._children_by_parent(os.getpid())
        assert set(process_limits.children(os.getpid())) <= set(process_limits._children_by_parent(os.getpid()))
