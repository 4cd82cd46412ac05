from __future__ import annotations

import pytest

from lcbench.data.sources.locations import cache_folder
from lcbench.errors import OutputError
from lcbench_streams import lcbench_register_streams


def names() -> list[str]:
    specs = []
    lcbench_register_streams(register=specs.append)
    return [spec.name for spec in specs]


def test_streams_of_real_data_are_listed_first():
    assert names()[:6] == ["webkb4", "reuters", "20newsgroups", "digits", "topics", "webkb4-sim"]


def test_without_a_folder_for_the_cache_all_streams_are_still_registered(monkeypatch):
    def homeless(*_, **__):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("LCBENCH_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", homeless)
    assert "digits" in names()
    with pytest.raises(OutputError, match="set LCBENCH_CACHE to a folder of your own"):
        cache_folder()


def test_with_a_file_in_place_of_the_cache_all_streams_are_still_registered(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "file" / "below"))
    assert "digits" in names()
