"""A sealed method sees no cache, data, results or other process, reaches no network, and writes to its corner only."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import tempfile
import threading
from pathlib import Path

import pytest
from hostile_runs import carry_out, write_stream, write_wanted

pytestmark = pytest.mark.slow


@pytest.fixture
def away():
    """An empty folder outside of /tmp, which is another one for every sealed run in any case."""
    with tempfile.TemporaryDirectory(prefix="lcbench-test-", dir=Path.home()) as folder:
        yield Path(folder)


@pytest.fixture
def sealed(away, can_seal):
    """Runs methods sealed, beside copies of the stream with its classes in all folders that are to be hidden."""
    folders = [write_stream(away / name) for name in ("stream", "cache", "data", "results")]
    write_wanted(folders[0], away / "wanted")

    def run(*methods: str, words: tuple[str, ...] = ("--sealed",), port: int = 1, here: str = "here", **more: str):
        named = [word for name in methods for word in ("-m", name)]
        return carry_out(
            away, *named, "-s", str(folders[0]), "--no-baseline", *words, HOSTILE_STREAM=str(folders[0]),
            LCBENCH_CACHE=str(folders[1]), LCBENCH_DATA=str(folders[2]), HOSTILE_RESULTS=str(folders[3]),
            HOSTILE_WANTED=str(away / "wanted"), HOSTILE_FOLDERS=json.dumps([str(each) for each in folders]),
            HOSTILE_PLACES=json.dumps(["/", "/etc", "/usr", str(Path.home())]), HOSTILE_PORT=str(port), here=here,
            **more,
        )  # fmt: skip

    return run


THIEVES = ("reads-cache", "reads-data", "reads-results", "loads-stream")


def test_thieves_find_no_classes_in_hidden_folders_and_score_as_chance_does(sealed):
    """Without the seal they do, so the test could fail."""
    found = sealed(*THIEVES)
    assert [found.records[name]["status"] for name in THIEVES] == ["ok"] * 4
    assert "STOLEN" not in found.errors
    assert all(found.records[name]["scores"]["purity"][1][1] < 0.6 for name in THIEVES)
    unsealed = sealed(*THIEVES, words=("--fresh",))
    assert all(unsealed.records[name]["scores"]["purity"][1][1] == 1.0 for name in THIEVES)


def test_a_sealed_method_sees_nothing_hidden_reaches_no_network_and_writes_in_its_corner_only(sealed):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        first, _ = sealed("looks-around", port=port).found()
        unsealed = sealed("looks-around", words=("--fresh",), port=port).found()
    assert (first["seen"], first["corner"], first["reached"]) == ([], True, False)
    assert not {"/", "/etc", "/usr", str(Path.home())} & set(first["written"])
    assert unsealed[0]["reached"]
    assert unsealed[0]["seen"]


def test_a_sealed_method_cannot_write_to_what_hides_a_folder(sealed):
    assert [each["written"] for each in sealed("looks-around").found()] == [[], []]


def test_what_lies_in_the_folder_that_lcbench_is_called_from_is_hidden_too(sealed):
    assert "STOLEN" not in sealed(*THIEVES, here=".").errors


def test_a_sealed_method_finds_no_classes_in_other_processes(sealed):
    assert sealed("searches-all").found() == [{"others": []}]


def test_a_sealed_method_can_leave_no_message_for_the_next(sealed):
    assert sealed("leaves-message", "reads-message").found() == [{"messages": []}] * 2


def test_a_sealed_method_that_unmounts_its_folders_can_leave_no_message_for_the_next(sealed):
    assert sealed("leaves-message-below", "reads-message-below").found() == [{"messages": []}] * 2


FILLS_CACHE = """
import os, shutil
from lcbench.experiment import pipeline
loaded = pipeline.load_data
def load_and_cache(backlog):
    records = loaded(backlog)
    shutil.copytree(os.environ["HOSTILE_STREAM"], os.environ["LCBENCH_CACHE"], dirs_exist_ok=True)
    return records
pipeline.load_data = load_and_cache
"""


def test_a_cache_that_is_filled_for_the_first_time_is_hidden_too(sealed, away):
    """As that of a stream which is unpacked when it is first used. Without the seal the thief finds it."""
    shutil.rmtree(away / "cache")
    found = sealed("reads-cache", before=FILLS_CACHE)
    assert (away / "cache" / "task-1.npz").exists()
    assert "STOLEN" not in found.errors
    assert found.records["reads-cache"]["scores"]["purity"][1][1] < 0.6
    shutil.rmtree(away / "cache")
    assert "STOLEN" in sealed("reads-cache", words=("--fresh",), before=FILLS_CACHE).errors


def test_the_file_that_a_task_comes_in_carries_no_message_to_a_sealed_run(sealed):
    assert sealed("leaves-in-parcel", "reads-parcel").found() == [{"messages": []}] * 2


def test_a_key_of_the_kernel_carries_no_message_to_a_sealed_run(sealed):
    """lcbench has a ring of keys for its session, as every login gives one. Without the seal the key is found."""
    joins = "import sys; from lcbench_hostile.messengers import _JOIN, _KEYCTL, kernel; kernel(_KEYCTL, _JOIN, b'test')"
    found = sealed("leaves-key", "reads-key", before=joins).found()
    assert found == [{"messages": []}] * 2
    unsealed = sealed("leaves-key", "reads-key", words=("--fresh",), before=joins).found()
    if not any(each["messages"] for each in unsealed):
        pytest.skip("there are no keys of the kernel here")


def test_sealed_runs_at_the_same_time_cannot_speak_to_each_other(sealed):
    """Without the seal they do."""
    both = ("waits-for-word", "says-word")
    assert sealed(*both, words=("--sealed", "--jobs", "2")).found() == [{"messages": []}]
    assert sealed(*both, words=("--fresh", "--jobs", "2")).found() == [{"messages": ["read me"]}]


def test_a_sealed_method_reaches_no_process_outside_by_a_socket_in_the_file_system(sealed):
    """Without the seal it does. The socket lies where nothing else is hidden."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder, socket.socket(socket.AF_UNIX) as outside:
        outside.bind(f"{folder}/socket")
        outside.listen()
        threading.Thread(target=_answer, args=(outside,), daemon=True).start()
        named = {"HOSTILE_SOCKET": f"{folder}/socket", "SSH_AUTH_SOCK": "/nowhere", "XDG_RUNTIME_DIR": folder}
        found = sealed("asks-outside", **named).found()
        unhidden = {**named, "XDG_RUNTIME_DIR": "/nowhere"}
        found += sealed("asks-outside", words=("--sealed", "--fresh"), **unhidden).found()
        unsealed = sealed("asks-outside", words=("--fresh",), **named).found()
    assert found == [{"messages": [], "variables": []}] * 4
    assert unsealed == [{"messages": ["read me"], "variables": ["SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"]}] * 2


def _answer(outside: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            with outside.accept()[0] as asking:
                asking.sendall(b"read me")


def test_a_sealed_method_can_change_no_setting_of_the_kernel_and_no_device_also_as_root(sealed):
    assert sealed("changes-machine").found() == [{"written": []}] * 2
