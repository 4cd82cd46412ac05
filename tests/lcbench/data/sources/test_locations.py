from __future__ import annotations

import threading
from pathlib import Path

import platformdirs
import pytest

from lcbench.data.sources.locations import (
    cache_folder,
    data_folder,
    expanded,
    is_offline,
    make_folder,
    without_network,
)
from lcbench.errors import OutputError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """A home folder of its own, and none of the variables of lcbench."""
    for name in ("LCBENCH_CACHE", "LCBENCH_DATA", "LCBENCH_OFFLINE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_cache_is_where_the_platform_has_its_caches(home):
    assert cache_folder() == Path(platformdirs.user_cache_dir("lcbench", appauthor=False))
    assert home in cache_folder().parents


def test_without_a_place_for_a_cache_the_variable_that_names_one_is_said(monkeypatch):
    def homeless(*_, **__):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("platformdirs.user_cache_path", homeless)
    with pytest.raises(OutputError, match="set LCBENCH_CACHE to a folder of your own"):
        cache_folder()


@pytest.mark.parametrize(("variable", "folder"), [("LCBENCH_CACHE", cache_folder), ("LCBENCH_DATA", data_folder)])
def test_a_variable_names_the_folder_with_the_home_folder_resolved(variable, folder, home, monkeypatch):
    monkeypatch.setenv(variable, "~/mine")
    assert folder() == home / "mine"
    monkeypatch.setenv(variable, "mine")
    assert folder() == Path.cwd() / "mine"


def test_an_empty_variable_counts_as_not_set(monkeypatch):
    default = cache_folder()
    monkeypatch.setenv("LCBENCH_CACHE", "")
    monkeypatch.setenv("LCBENCH_DATA", "")
    assert (cache_folder(), data_folder()) == (default, None)


def test_the_home_of_an_unknown_user_stays_as_it_was_written():
    assert expanded("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")


@pytest.mark.parametrize(("value", "offline"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)])
def test_offline_is_what_the_variable_says(value, offline, monkeypatch):
    if value is not None:
        monkeypatch.setenv("LCBENCH_OFFLINE", value)
    assert is_offline() is offline


def test_the_network_is_forbidden_inside_the_block_only_even_after_an_error():
    with without_network():
        with without_network():
            assert is_offline()
        assert is_offline()
    assert not is_offline()
    with pytest.raises(ZeroDivisionError), without_network():
        raise ZeroDivisionError
    assert not is_offline()


def test_the_block_does_not_forbid_the_network_to_other_threads():
    seen = []
    with without_network():
        thread = threading.Thread(target=lambda: seen.append(is_offline()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_a_folder_that_cannot_be_made_names_the_variable_that_moves_the_cache(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"file/below' cannot be written \(.*\): set LCBENCH_CACHE to a folder"):
        make_folder(tmp_path / "file" / "below")
