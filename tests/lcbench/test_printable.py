from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.printable import byte_size, counted, printable, printable_line, shortened


def test_control_characters_are_replaced_and_letters_and_line_breaks_stay():
    assert printable("\x1b[31mrot\x07\r\n é 数 [b]\x9b") == "�[31mrot��\n é 数 [b]�"


@settings(deadline=None)
@given(st.text(max_size=20))
def test_no_control_character_is_left_and_no_other_character_is_lost(text):
    shown = printable(text)
    assert len(shown) == len(text)
    assert all(unicodedata.category(c) != "Cc" or c == "\n" for c in shown)
    assert all(a == b for a, b in zip(text, shown, strict=True) if a.isprintable())


def test_a_line_break_in_one_line_is_replaced():
    assert printable_line("a\nError: not ours\x1b[2J") == "a�Error: not ours�[2J"
    assert printable_line(ValueError("plain é")) == "plain é"


@pytest.mark.parametrize(("number", "text"), [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks"), (2000, "2,000 tasks")])
def test_only_one_thing_is_singular(number, text):
    assert counted(number, "task") == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_951, "1.0 MB"),
     (56_700_000, "56.7 MB"), (2_500_000_000, "2.5 GB"), (5_000_000_000_000, "5000.0 GB")],
)  # fmt: skip
def test_bytes_are_shown_in_the_largest_unit_that_fits(count, text):
    assert byte_size(count) == text


def test_a_long_text_is_cut_and_says_how_long_it_was():
    assert shortened("abc", 3) == "abc"
    assert shortened("x" * 1500, 3) == "xxx... (1,500 characters)"
