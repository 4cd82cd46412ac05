from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from actions import end_of, exits, hangs, job, tells
from small_methods import ByTurns

import lcbench
from lcbench.errors import ParameterError, RunFailedError
from lcbench.running import process_limits, sealing
from lcbench.running.launching import FORKS, Server, absolute_path, sealed_server, shared_server
from lcbench.running.threads import VARIABLES
from lcbench.running.wire import ClosedError

pytestmark = pytest.mark.skipif(not FORKS, reason="processes are not forked here")


@pytest.fixture(scope="module")
def own():
    """A server of this file, which its tests may kill."""
    server = Server(2)
    yield server
    server.close()


def facts_of(server):
    return json.loads(end_of(server, tells).output.splitlines()[-1])  # after what Python itself may print


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_server_that_was_killed_is_replaced(own, assert_gone):
    first = facts_of(own)["parent"]
    server = parent_of(first)
    assert parent_of(server) == os.getpid()
    os.kill(server, signal.SIGKILL)
    os.kill(first, signal.SIGKILL)  # its idle supervisor, which would serve the next one
    assert_gone(first)
    second = facts_of(own)["parent"]
    assert parent_of(second) not in (server, 1)
    assert end_of(own, exits, 7).status == 7


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_an_idle_supervisor_that_was_killed_or_stopped_is_replaced(own, assert_gone, number):
    first = facts_of(own)["parent"]
    os.kill(first, number)
    if number == signal.SIGKILL:
        assert_gone(first)
    while process_limits.state(first) not in "TZ":  # a signal is sent at once, and acted on when its process runs
        time.sleep(0.01)
    second = facts_of(own)["parent"]
    assert second != first
    assert parent_of(second) == next(pid for pid in process_limits.children(os.getpid()) if pid == parent_of(second))


def test_what_a_killed_supervisor_was_watching_is_ended_too(own, assert_gone):
    process = own.launch("method", job(_says_and_hangs))
    message, _ = process.receive(60)
    pid = int(message["text"])
    os.kill(parent_of(pid), signal.SIGKILL)
    with pytest.raises(ClosedError):
        process.receive(60)
    assert process.end().how == "lost"
    assert_gone(pid)


def _says_and_hangs():
    import logging

    logging.getLogger("lcbench").warning("%d", os.getpid())
    hangs()


def test_processes_have_the_environment_of_now_and_the_threads_of_their_server(own, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("SET_AFTER_THE_SERVER_WAS_STARTED", "yes")
    environment = facts_of(own)["environment"]
    assert {environment[name] for name in VARIABLES} == {"2"}
    assert environment["SET_AFTER_THE_SERVER_WAS_STARTED"] == "yes"
    assert environment["PYTHONHASHSEED"] == os.environ.get("PYTHONHASHSEED", "0")


def test_processes_import_from_where_this_one_does_by_absolute_paths(own, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend("")
    found = facts_of(own)["path"]
    assert found == absolute_path()
    assert found[:2] == [str(Path.cwd()), str(tmp_path)]
    assert all(Path(entry).is_absolute() and Path(entry).exists() for entry in found)


def test_a_folder_in_a_zip_file_is_on_the_import_path_too(monkeypatch, tmp_path):
    archive = tmp_path / "library.zip"
    archive.touch()
    monkeypatch.setattr(sys, "path", [f"{archive}/inner", f"{tmp_path}/nowhere", *sys.path])
    assert absolute_path()[0] == f"{archive}/inner"
    assert f"{tmp_path}/nowhere" not in absolute_path()


def test_processes_start_from_a_server_that_has_loaded_no_plugin(own):
    assert facts_of(own)["plugins"] == []


def test_the_facts_are_libraries_and_the_memory_that_a_process_needs(own):
    assert {library["user_api"] for library in own.facts["libraries"]} == {"blas", "openmp"}
    assert {library["num_threads"] for library in own.facts["libraries"]} == {2}
    assert own.facts["private_bytes"] > 1_000_000


class TellsSupervisor(ByTurns):
    def predict(self, task):
        import numpy as np

        return np.full(task.n_samples, parent_of(os.getppid()))


def test_experiments_share_one_server_and_sealed_ones_and_other_threads_have_others(module_stream):
    first, second = (lcbench.run(TellsSupervisor(shift=i), module_stream, baselines=False)[0] for i in (0, 1))
    assert first.labels[0]["task-1"][0] == second.labels[0]["task-1"][0]
    assert shared_server(1) is shared_server(1)
    assert shared_server(1) is not shared_server(2)


def test_threads_that_ask_at_the_same_time_get_the_same_server(monkeypatch):
    monkeypatch.setattr("lcbench.running.launching._servers", {})
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(shared_server, [1] * 200))
    assert len(found) == 1


def test_signals_that_the_caller_blocks_or_ignores_are_not_blocked_or_ignored_in_the_server(own, monkeypatch):
    """It can be closed twice and used again; one that writes much is not held up."""
    _ = own.facts
    own.close()
    own.close()
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    try:
        status = Path(f"/proc/{parent_of(facts_of(own)['parent'])}/status").read_text()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGCHLD, before)
    sets = {name: int(value, 16) for name, value in re.findall(r"^(Sig\w+):\s+([0-9a-f]+)$", status, re.MULTILINE)}
    child = 1 << signal.SIGCHLD - 1
    assert (sets["SigBlk"] & child, sets["SigIgn"] & child, sets["SigCgt"] & child) == (0, 0, child)


def test_processes_of_a_sealed_server_know_no_sockets_of_other_programs(monkeypatch):
    monkeypatch.setenv("SSH_AUTH_SOCK", "/nowhere")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere")
    monkeypatch.setenv("OTHER", "yes")
    assert "SSH_AUTH_SOCK" in Server(1).environment
    environment = Server(1, sealed=["bwrap"]).environment
    assert environment["OTHER"] == "yes"
    assert not {"SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"} & set(environment)


def test_a_server_is_not_sealed_by_what_does_not_work(monkeypatch):
    monkeypatch.setattr(sealing, "bubblewrap", lambda hidden, seen: ["false"])
    with pytest.raises(ParameterError, match="Runs cannot be sealed here"):
        sealed_server(1, [])


def test_a_fork_of_this_process_neither_uses_nor_disturbs_the_server(own):
    before = parent_of(facts_of(own)["parent"])
    child = os.fork()
    if child == 0:
        own.close()  # as at the end of a process
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert parent_of(facts_of(own)["parent"]) == before


SCRIPT = """
import json, os, sys
sys.path[:] = json.loads(sys.argv[1])
from actions import hangs, job
from lcbench.running import process_limits, sealing
from lcbench.running.launching import shared_server

if __name__ == "__main__":
    server = shared_server(1)
    process = server.launch("method", job(hangs))
    print(json.dumps([str(server.corners.folder), *list(process_limits.tree(os.getpid()))[1:]]), flush=True)
    if sys.argv[2] == "waits":
        process.receive()
"""


@pytest.mark.parametrize("how", ["by itself", "killed", "interrupted"])
def test_no_process_is_left_when_this_one_ends(how, assert_gone, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    Path("script.py").write_text(SCRIPT)
    words = [sys.executable, "script.py", json.dumps(sys.path), "ends" if how == "by itself" else "waits"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        folder, *others = json.loads(parent.stdout.readline())
        assert len(others) >= 2, "the server and a supervisor"
        if how != "by itself":
            time.sleep(0.2)
            parent.send_signal(signal.SIGKILL if how == "killed" else signal.SIGINT)
        parent.wait(60)
    for pid in others:
        assert_gone(pid)
    assert Path(folder).exists() is (how == "killed"), "the next process removes what a killed one left"


def test_a_server_that_cannot_be_started_is_an_error_of_one_sentence(monkeypatch):
    monkeypatch.setattr("lcbench.running.launching.START", "raise SystemExit('no numpy here')")
    server = Server(1)
    with pytest.raises(RunFailedError, match=r"could not be started: no numpy here\.$"):
        _ = server.facts
    server.close()
