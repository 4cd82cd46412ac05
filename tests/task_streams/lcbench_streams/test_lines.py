from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from lcbench.data.sources.archives import Member
from lcbench.errors import DataRefusedError
from lcbench_streams.lines import matched_lines

RAW = SimpleNamespace(files=("a.csv",))
ROW = re.compile(r"(\d),(\d)")


def read(**files: bytes) -> list[tuple[str, ...]]:
    members = [Member(("folder", f"{name}.csv"), lambda content=content: content) for name, content in files.items()]
    found = matched_lines(members, RAW, lambda content, where: content.decode(), ROW, "two digits")
    return [row.groups() for row in found]


def test_lines_of_the_files_that_are_named_are_matched_and_empty_ones_left_out():
    assert read(a=b"1,2\r\n\n3,4\n", b=b"5,6") == [("1", "2"), ("3", "4")]


def test_another_line_is_refused_with_its_number():
    with pytest.raises(DataRefusedError, match=r"'folder/a.csv' was refused: line 2 is not two digits\."):
        read(a=b"1,2\n1;2\n")
