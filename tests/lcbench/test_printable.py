from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.printable import (
    LONGEST_LINE,
    LONGEST_VALUE,
    byte_size,
    counted,
    cut,
    duration,
    printable,
    printable_line,
    shortened,
    word_lines,
)


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


@pytest.mark.parametrize("quote", ["'", '"', ""])
def test_a_long_value_loses_its_middle_and_the_sentence_around_it_stays(quote):
    value = "a" * 5_000 + "b" * 5_000
    end = f"{quote}: it's not a name, don't you see?"
    text = shortened(f"There is no method {quote}{value}{end}")
    assert text.startswith(f"There is no method {quote}aaa")
    assert text.endswith(f"bbb{end}")
    assert " ... " in text
    assert len(text) < LONGEST_VALUE + 80


def test_a_quoted_value_with_spaces_and_a_line_of_many_words_are_shortened_too():
    assert len(shortened(f"'{'x ' * 5_000}' is no name")) < LONGEST_VALUE + 20
    lines = shortened(f"first {'word ' * 5_000}last\nsecond").split("\n")
    assert (lines[0][:5], lines[0][-4:], lines[1]) == ("first", "last", "second")
    assert len(lines[0]) <= LONGEST_LINE


@given(st.text(max_size=LONGEST_VALUE))
def test_a_text_that_is_not_long_stays_as_it_is(text):
    assert shortened(text) == text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (99, "99 s"), (150, "2 min"), (5000, "83 min"), (6000, "1.7 h"), (9e5, "250.0 h")],
)
def test_a_duration_has_a_unit_that_fits(seconds, words):
    assert duration(seconds) == words


def test_a_text_that_is_cut_keeps_its_start_and_its_end():
    assert cut("abcd", 4) == "abcd"
    assert cut("abcdefghi", 8) == "abcd ... hi"


def test_lines_end_between_words_and_a_word_that_is_too_long_stays_whole():
    path = "/" + "x" * 30
    assert word_lines(f"it is in {path} and not well-known", 12, "  ") == [
        "it is in",
        f"  {path}",
        "  and not",
        "  well-known",
    ]
    assert word_lines("", 12) == [""]
