"""A cache and a folder of its own for every test; `shared`, `cheats` and `broken_plugin` are imported from by name."""

from __future__ import annotations

import gc
import os
import signal
import sys
from functools import cache
from itertools import count
from pathlib import Path

from lcbench.running.threads import set_thread_variables

set_thread_variables(1)  # as runs have it, and before numpy is imported
# one folder for all: else every process makes the tables of Unicode anew in the folder of a test, for three seconds
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(__file__).parents[1] / ".hypothesis"))
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background, whose children would ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in ("shared", "cheats", "broken_plugin")]
sys.path.append(str(Path(__file__).parents[1]))  # so that other processes can import classes of test modules

import pytest
from making import make_stream
from making import make_task as task_of_blobs

from lcbench.contract.stream import ArrayStream

pytest_plugins = ["compared_runs", "data_site", "one_file_plugins", "published_table", "small_suite"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """With `-n`, a process that has no tests left takes some from the others; benchmarks are made in one process."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers():
    """With `-n auto` one process more than pytest-xdist has: many tests wait, for other processes and for timeouts."""
    return (yield) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays: to look through it for garbage, meanwhile and later, takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """One cache for all tests, away from the user's own; and no network, unless a test asks for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LCBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LCBENCH_OFFLINE", "1")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")  # which would tell its makers of what tests log
        yield


@pytest.fixture(scope="session", autouse=True)
def _disk_not_waited_for():
    """Files are written, but nothing waits until the disk has them: for most tests of stored runs that was the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _digits_read_once():
    """To read the images from scikit-learn's file takes longer than a small run on them."""
    from lcbench_streams import digits

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "_images", cache(digits._images))
        yield


@pytest.fixture(scope="session")
def _new_folders(tmp_path_factory):
    """Empty folders, one after the other; `mktemp` would look through all that are there for each."""
    made = tmp_path_factory.mktemp("here")
    return (made / str(number) for number in count())


@pytest.fixture(autouse=True)
def _own_folder(_new_folders, monkeypatch):
    """Every test starts in an empty folder: `lcbench run` keeps its results where it is called."""
    folder = next(_new_folders)
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)  # parallel test processes set it, and tables would fit themselves


@pytest.fixture
def webkb() -> None:
    """The WebKB archive is at hand, in the folder that LCBENCH_DATA names."""
    folder = os.environ.get("LCBENCH_DATA")
    if folder is None or not Path(folder, "webkb-data.gtar.gz").exists():
        pytest.skip("LCBENCH_DATA names no folder with the WebKB archive")


@pytest.fixture
def make_task():
    return task_of_blobs


@pytest.fixture
def blob_stream() -> ArrayStream:
    return make_stream()
