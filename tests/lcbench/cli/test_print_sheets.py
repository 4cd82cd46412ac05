from __future__ import annotations

import io

from rich.console import Console

from lcbench.cli.print_sheets import print_sheets
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


def printed(monkeypatch, width: int, *, terminal: bool) -> str:
    monkeypatch.setenv("TERM", "xterm-256color")
    file = io.StringIO()
    print_sheets([SHEET, SHEET], Console(file=file, width=width, force_terminal=terminal, color_system="auto"))
    return file.getvalue()


def test_without_a_terminal_the_best_has_a_star_and_rows_line_up(monkeypatch):
    first, second = printed(monkeypatch, 40, terminal=False).split("\n\nti")
    assert first.splitlines() == [
        "ti\N{REPLACEMENT CHARACTER}tle",
        "name     a     b",
        "────────────────",
        "x     *1.0  -2.0",
        "",
        "y      0.5  +3.0",
        "*: the best.",
        "a note [bold]of[/bold] several words",
    ]
    assert second.rstrip().endswith("several words")


def test_on_a_terminal_the_best_is_bold_and_tones_are_colours(monkeypatch):
    text = printed(monkeypatch, 40, terminal=True)
    assert "\x1b[1m  1.0\x1b[0m" in text
    assert "\x1b[31m  -2.0\x1b[0m" in text
    assert "\x1b[32m  +3.0\x1b[0m" in text
    assert "*" not in text
    assert "ti\x1btle" not in text


def test_notes_are_wrapped_and_tables_are_cut_between_columns(monkeypatch):
    lines = printed(monkeypatch, 12, terminal=False).splitlines()
    assert max(map(len, lines)) <= 12
    assert [line for line in lines[:12] if line.startswith("name")] == ["name     a", "name     b"]


def test_a_terminal_that_can_show_nothing_bold_gets_the_star(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    file = io.StringIO()
    print_sheets([SHEET], Console(file=file, width=40, force_terminal=True))
    assert "*1.0" in file.getvalue()
    assert "\x1b" not in file.getvalue()
