from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from lcbench.cli.console import error_output, fact_table, heading_table, output, plain


def rendered(part: object, width: int = 40) -> list[str]:
    """The lines that a console of this width prints, without spaces at their ends."""
    file = io.StringIO()
    Console(file=file, width=width).print(part)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_output_to_a_pipe_is_120_columns_wide_unless_columns_says_otherwise(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert output().width == 120
    monkeypatch.setenv("COLUMNS", "47")
    assert output().width == 47


def test_output_and_errors_go_to_their_own_streams_without_colours_in_a_pipe(capsys):
    output().print("12 runs", style="bold red")
    error_output().print("a warning", style="bold red")
    assert capsys.readouterr() == ("12 runs\n", "a warning\n")


@pytest.mark.parametrize("text", ["[red]x[/red]", "[/]", "[link=http://x]y", ":smile:"])
def test_plain_text_is_shown_letter_by_letter(text):
    assert rendered(plain(text)) == [text]


def test_plain_text_has_no_control_characters_but_line_breaks():
    assert plain("a\x1b[2J\tb\nc").plain == "a\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}b\nc"


def test_a_heading_table_has_a_line_under_its_heading_and_shows_names_as_text():
    heading, line, *rows = [
        row for row in rendered(heading_table(["name", "[b]"], [["x", "[red]1"], ["y", "2"]])) if row
    ]
    assert heading.split() == ["name", "[b]"]
    assert set(line.strip()) == {"─"}
    assert [row.split() for row in rows] == [["x", "[red]1"], ["y", "2"]]


def test_the_first_column_of_a_heading_table_is_not_wrapped_in_a_narrow_window():
    lines = rendered(heading_table(["name", "text"], [["two words", "several words in a column"]]), width=18)
    assert any("two words" in line for line in lines)
    assert max(map(len, lines)) <= 18


def test_a_fact_without_a_value_is_left_out_and_zero_is_a_value():
    facts = [("a", 1), ("b", None), ("c", ""), ("d", 0), ("e", False), ("f", "[red]x")]
    assert [line.split() for line in rendered(fact_table(facts))] == [
        ["a", "1"],
        ["d", "0"],
        ["e", "False"],
        ["f", "[red]x"],
    ]
