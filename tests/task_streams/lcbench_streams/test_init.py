from __future__ import annotations

import pytest

from lcbench.data.sources.locations import cache_folder
from lcbench.errors import OutputError
from lcbench_streams import lcbench_register_streams


def names() -> list[str]:
    specs = []
    lcbench_register_streams(register=specs.append)
    return [spec.name for spec in specs]


def test_real_streams_come_first():
    assert names()[:6] == ["webkb4", "reuters", "20newsgroups", "digits", "topics", "webkb4-sim"]


def test_without_a_place_for_a_cache_all_streams_are_there(monkeypatch):
    def homeless(*_, **__):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("LCBENCH_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", homeless)
    assert "digits" in names()
    with pytest.raises(OutputError, match="set LCBENCH_CACHE to a folder of your own"):
        cache_folder()


def test_a_cache_that_is_a_file_takes_no_stream_away(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "file" / "below"))
    assert "digits" in names()
