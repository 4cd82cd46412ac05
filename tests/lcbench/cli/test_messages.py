from __future__ import annotations

import io
import sys

import pytest

from lcbench.cli.messages import say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


SENTENCE = (
    "The data of 'webkb4' are not available: there is no network, and LCBENCH_DATA is not set to a folder with it."
)


@pytest.fixture
def shown(monkeypatch):
    """Returns the text that a call writes to standard error, if that is a terminal of 40 columns."""
    monkeypatch.setenv("COLUMNS", "40")

    def call(function, *arguments) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", screen := Terminal())
            function(*arguments)
        return screen.getvalue()

    return call


def test_a_message_wraps_at_words_on_a_terminal(shown):
    lines = shown(say, SENTENCE).splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == SENTENCE


def test_a_message_elsewhere_is_one_line_that_can_be_searched(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    say(SENTENCE)
    assert capsys.readouterr().err == f"{SENTENCE}\n"


def test_long_words_such_as_paths_stay_whole_and_lines_keep_their_indent(shown):
    path = "/" + "folder/" * 12
    assert path in shown(say, f"It lies in {path} now.").splitlines()
    first, *rest = shown(say, f"First.\n  {SENTENCE}").splitlines()
    assert first == "First."
    assert all(line.startswith("  ") for line in rest)


def test_a_message_cannot_steer_the_terminal(shown):
    assert "\x1b" not in shown(say, "a\x1b[2Jb")


def test_a_usage_error_wraps_at_words_too(shown, command):
    text = shown(command, "run", "--no-such-option-as-this-one-here", "--jobs", "1")
    assert "--no-such-option-as-this-one-here" in text
    assert max(map(len, text.splitlines())) <= 40
