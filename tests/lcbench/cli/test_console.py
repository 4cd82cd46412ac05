from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from lcbench.cli.console import can_ask, error_output, output, plain, print_sheets, says_yes
from lcbench.report.sheets.sheet import Cell, Sheet

SHEET = Sheet(
    "ti\x1btle",
    ("name", "a", "b"),
    (
        (Cell("x"), Cell("1.0", bold=True), Cell("-2.0", tone="bad")),
        (Cell("y"), Cell("0.5"), Cell("+3.0", tone="good")),
    ),
    rules=(1,),
    notes=("a note [bold]of[/bold] several words",),
)


def printed(part: object, **console: object) -> str:
    file = io.StringIO()
    target = Console(file=file, width=40, **console)
    print_sheets([part, part], target) if isinstance(part, Sheet) else target.print(part)
    return file.getvalue()


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
def test_plain_text_is_shown_letter_by_letter_without_control_characters(text):
    assert printed(plain(f"{text}\x1b[2J\tb\nc")) == f"{text}\ufffd[2J\ufffdb\nc\n"


def test_without_a_terminal_the_best_has_a_star_and_tables_are_apart():
    first, second = printed(SHEET, color_system=None).split("\n\nti")
    assert [line.rstrip() for line in first.splitlines()] == [
        "ti\ufffdtle (*: the best)", " name     a     b", " ────────────────", " x     *1.0  -2.0", "",
        " y      0.5  +3.0", "a note [bold]of[/bold] several words",
    ]  # fmt: skip
    assert second.rstrip().endswith("several words")


def test_on_a_terminal_the_best_is_bold_and_tones_are_colours_unless_it_can_show_none(monkeypatch):
    text = printed(SHEET, force_terminal=True, color_system="standard")
    for styled in ("\x1b[1m1.0\x1b[0m", "\x1b[31m-2.0\x1b[0m", "\x1b[32m+3.0\x1b[0m"):
        assert styled in text
    assert "*" not in text
    assert "ti\x1btle" not in text
    monkeypatch.setenv("TERM", "dumb")
    text = printed(SHEET, force_terminal=True)
    assert "*1.0" in text
    assert "\x1b" not in text


def test_questions_are_on_standard_error_and_one_who_is_not_there_cannot_be_asked(terminal, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert not can_ask()
    terminal("Yes\nn\n")
    assert can_ask()
    assert [says_yes("Sure\x1b?") for _ in range(3)] == [True, False, False]
    assert capsys.readouterr() == ("", "Sure\ufffd? [y/N]: " * 3)
