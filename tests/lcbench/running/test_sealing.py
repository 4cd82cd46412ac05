from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from actions import job
from small_methods import ByTurns

import lcbench
from lcbench.errors import ParameterError
from lcbench.records.record import OK
from lcbench.running import process_limits
from lcbench.running.launching import sealed_server
from lcbench.running.sealing import bubblewrap, check
from lcbench.running.wire import ClosedError


@pytest.fixture
def installed(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/bwrap")
    if not sys.platform.startswith("linux"):
        pytest.skip("runs are sealed on Linux only")


def places(words, option):
    return [words[i + 1] for i, word in enumerate(words) if word == option]


def test_a_sealed_command_has_no_network_no_other_processes_and_a_read_only_file_system(installed):
    words = bubblewrap([], [])
    assert words[0] == "/usr/bin/bwrap"
    assert {"--unshare-all", "--new-session"} <= set(words)
    assert "--die-with-parent" not in words, "the parent would be the thread that starts it"
    assert places(words, "--ro-bind")[0] == "/"
    assert "--bind" not in words
    assert "--share-net" not in words
    assert set(places(words, "--tmpfs")) >= {"/tmp", str(Path("/run").resolve())}


def test_hidden_folders_are_covered_and_what_is_needed_in_them_is_shown_again_read_only(installed, tmp_path):
    hidden, shown, missing = tmp_path / "cache", tmp_path / "cache" / "packages", tmp_path / "missing"
    shown.mkdir(parents=True)
    words = bubblewrap([hidden, missing], [shown, missing, "/usr"])
    assert str(hidden.resolve()) in places(words, "--tmpfs")
    assert str(missing) not in words
    assert str(shown.resolve()) in places(words, "--ro-bind")
    assert "/usr" not in words, "it is there already"
    assert words.index(str(hidden.resolve())) < words.index(str(shown.resolve())), "the later one wins"


def test_a_folder_that_is_hidden_inside_of_one_that_is_shown_stays_hidden(installed, tmp_path):
    inner = tmp_path / "here" / "results"
    inner.mkdir(parents=True)
    words = bubblewrap([inner], [tmp_path / "here"])
    assert words.index(str((tmp_path / "here").resolve())) < words.index(str(inner.resolve()))
    assert bubblewrap([inner], [inner]) == bubblewrap([inner], [])


def test_without_bubblewrap_the_error_says_in_one_sentence_what_to_do(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ParameterError) as caught:
        bubblewrap([], [])
    assert str(caught.value) == (
        "Runs cannot be sealed here, as bubblewrap is not installed: install bubblewrap (bwrap) on Linux and allow "
        "user namespaces, or run without --sealed."
    )


def test_bubblewrap_that_does_not_work_is_an_error_with_its_reason():
    with pytest.raises(ParameterError, match=r"^Runs cannot be sealed here \(no namespaces\): install bubblewrap"):
        check(["sh", "-c", "echo no namespaces >&2; exit 1"])
    with pytest.raises(ParameterError, match="it gave no reason"):
        check(["false"])
    check(["env"])


def test_bubblewrap_that_does_not_answer_is_an_error_and_waited_for_no_longer(monkeypatch):
    monkeypatch.setattr("lcbench.running.sealing.SECONDS_TO_TRY", 0.1)
    with pytest.raises(ParameterError, match=r"^Runs cannot be sealed here \(bubblewrap took longer than 0\.1 s\)"):
        check(["sh", "-c", "sleep 30"])


def test_what_links_in_a_hidden_folder_lead_to_is_hidden_too_but_not_what_lies_beside_it(installed, tmp_path):
    hidden, elsewhere, deeper = (tmp_path / name for name in ("hidden", "elsewhere", "deeper"))
    for folder in (hidden / "inner", elsewhere, deeper):
        folder.mkdir(parents=True)
    for file in (elsewhere / "data", elsewhere / "other", deeper / "data"):
        file.touch()
    (hidden / "inner" / "data").symlink_to(elsewhere / "data")
    (hidden / "folder").symlink_to(deeper)
    (deeper / "up").symlink_to(hidden)
    (hidden / "broken").symlink_to(tmp_path / "missing")
    (hidden / "circle").symlink_to(hidden / "circle")
    words = bubblewrap([hidden], [tmp_path])
    assert {str(hidden.resolve()), str(deeper.resolve())} <= set(places(words, "--tmpfs"))
    covered = [words[i + 2] for i, word in enumerate(words) if words[i : i + 2] == ["--ro-bind", "/dev/null"]]
    assert str((elsewhere / "data").resolve()) in covered
    assert not {str(path.resolve()) for path in (elsewhere / "other", deeper / "data")} & set(words)


def test_a_socket_at_which_a_program_listens_is_hidden(installed, tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "a socket"))
        listening.listen()
        words = bubblewrap([], [tmp_path])
    place = words.index(str((tmp_path / "a socket").resolve()))
    assert words[place - 2 : place] == ["--ro-bind", "/dev/null"]


def test_links_in_the_folder_of_sockets_stay(installed, monkeypatch, tmp_path):
    """Such as those to the programs of some distributions."""
    (tmp_path / "system").symlink_to("/usr")
    (tmp_path / "socket").touch()
    monkeypatch.setattr("lcbench.running.sealing.SOCKETS", (str(tmp_path),))
    words = bubblewrap([], [])
    at = words.index("--symlink")
    assert words[at : at + 3] == ["--symlink", "/usr", str(tmp_path.resolve() / "system")]
    assert str(tmp_path.resolve() / "socket") not in words


def test_an_experiment_that_cannot_be_sealed_is_refused_and_runs_nothing(module_stream, monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ParameterError, match="cannot be sealed"):
        lcbench.run("one-cluster", module_stream, sealed=True, out=tmp_path / "out")
    assert not list(tmp_path.rglob("*.json"))


def test_a_sealed_run_has_the_labels_of_an_ordinary_one_and_its_server_ends_with_the_experiment(
    can_seal, module_stream
):
    """Also for a caller who ignores the ends of children."""
    (plain,) = lcbench.run("kmeans", module_stream, baselines=False)
    servers = set(process_limits.children(os.getpid()))
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        (sealed,) = lcbench.run("kmeans", module_stream, baselines=False, sealed=True, audit=["isolate", "poison"])
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert set(process_limits.children(os.getpid())) == servers
    assert (plain.sealed, sealed.sealed) == (False, True)
    assert (sealed.status, sealed.labels_digest, sealed.scores) == (OK, plain.labels_digest, plain.scores)
    assert sealed.audit["isolate"]["passed"] is True


def test_a_sealed_command_cannot_read_what_is_hidden_nor_write_and_does_read_what_is_shown(can_seal, tmp_path):
    hidden, shown = tmp_path / "hidden", tmp_path / "hidden" / "shown"
    shown.mkdir(parents=True)
    (hidden / "secret").write_text("x")
    (shown / "open").write_text("x")
    code = f"""
import json, pathlib
def can(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return False
    return True
hidden, shown = pathlib.Path({str(hidden)!r}), pathlib.Path({str(shown)!r})
print(json.dumps([
    can((hidden / "secret").read_text), can((shown / "open").read_text), can((hidden / "new").write_text, "x"),
    can((shown / "new").write_text, "x"), can((pathlib.Path.home() / "lcbench-new").write_text, "x"),
]))
"""
    words = [*bubblewrap([hidden], [shown, sys.prefix, sys.base_prefix]), sys.executable, "-c", code]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert json.loads(ended.stdout) == [False, True, False, False, False], ended.stderr
    assert not (Path.home() / "lcbench-new").exists()


class Sees(ByTurns):
    def predict(self, task):
        shown = Path(os.environ["TO_BE_HIDDEN"])
        return super().predict(task) * 0 + sum(1 for _ in shown.iterdir())


def test_a_folder_that_was_removed_and_made_again_is_hidden_in_the_next_experiment(
    can_seal, module_stream, monkeypatch
):
    folder = Path.home() / f"lcbench-test-{os.getpid()}"  # and not in /tmp, which is always another one
    monkeypatch.setenv("TO_BE_HIDDEN", str(folder))
    try:
        for _ in range(2):
            (run,) = lcbench.run(Sees(), module_stream, baselines=False, sealed=True, out=folder)
            assert (run.status, {0}) == (OK, set(run.labels[-1]["task-1"]))
            assert list(folder.iterdir())
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_every_sealed_process_has_a_network_and_a_loopback_of_its_own_and_outlives_the_thread_that_started_it(can_seal):
    server, processes = sealed_server(1, []), []
    try:
        for _ in range(2):
            starter = threading.Thread(target=lambda: processes.append(server.launch("method", job(_tell_and_exit))))
            starter.start()
            starter.join()
        found = [json.loads(process.receive(60)[0]["text"]) for process in processes]
        for process in processes:
            with pytest.raises(ClosedError):
                process.receive(60)
        assert [process.end().status for process in processes] == [7, 7]
    finally:
        server.close()
    assert found[0]["network"] != found[1]["network"]
    assert [each["loopback"] for each in found] == [True, True]
    in_container = Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]
    assert in_container or [each["pid"] for each in found] == [2, 2], "after the supervisor"


def _tell_and_exit():
    import logging

    found = {"network": os.readlink("/proc/self/ns/net"), "pid": os.getpid(), "loopback": False}  # noqa: PTH115
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(listening.getsockname(), 5):
        found["loopback"] = True
    logging.getLogger("lcbench").warning("%s", json.dumps(found))
    time.sleep(0.5)  # the thread that started it has ended by then
    os._exit(7)
