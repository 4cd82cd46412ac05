from __future__ import annotations

import io
import re
import sys

import pytest

from lcbench.cli.transfer_bars import TransferBars


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Makes standard error a terminal of 120 columns."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")

    def sit_down() -> Terminal:
        monkeypatch.setattr(sys, "stderr", screen := Terminal())
        return screen

    return sit_down


def letters(text: str) -> str:
    """The text without escape sequences."""
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text)


def test_a_message_is_one_harmless_line_on_standard_error(capsys):
    TransferBars().say("tiny: fetching\nhttp://x\x1b[2J")
    written = "lcbench: tiny: fetching\N{REPLACEMENT CHARACTER}http://x\N{REPLACEMENT CHARACTER}[2J\n"
    assert capsys.readouterr() == ("", written)


def test_without_a_terminal_no_bar_is_shown(capsys):
    bars = TransferBars()
    bars.begin("tiny.tar.gz", 4000)
    bars.advance(4000)
    bars.end()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_the_name_and_the_bytes_received_and_to_come(terminal, capsys):
    screen, bars = terminal(), TransferBars()
    bars.begin("[red]tiny\x1b[2J", 4000)
    bars.advance(1500)
    bars.end()
    shown = letters(screen.getvalue())
    assert "[red]tiny\N{REPLACEMENT CHARACTER}[2J" in shown
    assert "1.5/4.0 kB" in shown
    assert capsys.readouterr().out == ""


def test_a_transfer_of_unknown_size_has_no_bar_and_no_bytes(terminal):
    screen, bars = terminal(), TransferBars()
    bars.begin("tiny.tar.gz", None)
    bars.advance(500)
    bars.end()
    shown = letters(screen.getvalue())
    assert "tiny.tar.gz" in shown
    assert re.search(r"\d:\d\d:\d\d", shown)
    assert not re.search(r"\d (bytes|kB)", shown)
    assert "━" not in shown


def test_a_bar_is_taken_away_at_the_end_and_the_next_transfer_has_its_own(terminal):
    screen, bars = terminal(), TransferBars()
    for name in ("first", "second"):
        bars.begin(name, 1000)
        bars.advance(1000)
        bars.end()
        bars.advance(1)
        bars.end()
        assert screen.getvalue().rstrip("\n").endswith("\x1b[2K")
    second = letters(screen.getvalue()).rpartition("second")
    assert "first" not in second[2]
    assert "1.0/1.0 kB" in second[2]
