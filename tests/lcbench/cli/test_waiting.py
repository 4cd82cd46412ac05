from __future__ import annotations

import io
import sys
import time

import pytest

from lcbench.cli import waiting
from lcbench.cli.waiting import ERASE, WaitingLine


class Terminal(io.TextIOWrapper):
    """A terminal that shows what is left on it, line by line."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def written(self) -> str:
        return self.buffer.getvalue().decode()

    @property
    def lines(self) -> list[str]:
        return [line.rpartition(ERASE)[2].rpartition("\r")[2] for line in self.written.split("\n")]


@pytest.fixture
def sit_down(monkeypatch):
    """Makes a terminal of output and errors, on which the line is drawn without delay."""
    for name in ("SECONDS_UNTIL_SHOWN", "SECONDS_BETWEEN_FRAMES"):
        monkeypatch.setattr(waiting, name, 0.001)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")

    def begin() -> Terminal:
        terminal = Terminal()
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, terminal)
        return terminal

    return begin


@pytest.fixture
def line():
    made = WaitingLine()
    yield made
    made.end()


def wait_for(text: str, screen: Terminal) -> None:
    deadline = time.monotonic() + 20
    while text not in screen.lines[-1]:
        assert time.monotonic() < deadline, screen.written
        time.sleep(0.002)


def test_the_line_says_what_is_going_on_and_leaves_nothing_behind(sit_down, line):
    screen = sit_down()
    line.show("starting")
    wait_for("starting ...", screen)
    line.show("loading webkb4")
    wait_for("loading webkb4 ...", screen)
    line.end()
    assert screen.lines == [""]
    assert sys.stderr is screen


def test_a_message_comes_in_its_place_and_the_line_comes_back(sit_down, line):
    screen = sit_down()
    line.show("loading")
    wait_for("loading", screen)
    print("a message", file=sys.stderr)
    wait_for("loading", screen)
    assert screen.lines[0] == "a message"


def test_what_is_printed_on_standard_output_ends_it(sit_down, line):
    screen = sit_down()
    line.show("loading")
    wait_for("loading", screen)
    print("a table")
    assert sys.stdout is sys.stderr is screen
    print("its second row")
    assert screen.lines == ["a table", "its second row", ""]


def test_a_line_that_is_begun_is_not_drawn_over(sit_down, line):
    screen = sit_down()
    line.show("loading")
    wait_for("loading", screen)
    print("Go on? ", end="", file=sys.stderr)
    time.sleep(0.02)
    assert screen.lines[-1] == "Go on? "


def test_bytes_that_are_written_past_the_text_layer_end_it(sit_down, line):
    screen = sit_down()
    line.show("loading")
    wait_for("loading", screen)
    sys.stdout.buffer.write(b"PAR1\n")
    assert screen.lines == ["PAR1", ""]


def test_a_text_longer_than_the_terminal_stays_on_one_line(sit_down, line):
    screen = sit_down()
    line.show("loading " + "x" * 200)
    wait_for("xxx", screen)
    assert len(screen.lines[-1]) < 60


@pytest.mark.parametrize("dumb", [True, False])
def test_there_is_none_without_a_terminal_that_can_erase(sit_down, line, monkeypatch, dumb):
    screen = sit_down()
    if dumb:
        monkeypatch.setenv("TERM", "dumb")
    else:
        monkeypatch.setattr(Terminal, "isatty", lambda _: False)
    line.show("loading")
    assert sys.stderr is screen


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run"], True),
        (["compare", "--metric", "nmi"], True),
        (["run", "-q"], False),
        (["run", "-vq"], False),
        (["run", "--quiet"], False),
        (["run", "--help"], False),
        ([], False),
    ],
)
def test_a_command_that_is_to_be_quiet_or_shows_help_has_none(arguments, told):
    from lcbench.cli import _takes_time

    assert _takes_time(arguments) is told
