from __future__ import annotations

from lcbench_streams import lcbench_register_streams


def test_streams_of_real_data_are_listed_first():
    specs = []
    lcbench_register_streams(register=specs.append)
    assert [spec.name for spec in specs] == ["webkb4", "reuters", "20newsgroups", "digits", "topics", "webkb4-sim"]
