from __future__ import annotations

from lcbench.cli.messages import say

SENTENCE = (
    "The data of 'webkb4' are not available: there is no network, and LCBENCH_DATA is not set to a folder with it."
)


def test_a_message_wraps_at_words_on_a_terminal(on_screen):
    lines = on_screen(40, say, SENTENCE).splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == SENTENCE


def test_a_message_elsewhere_is_one_line_that_can_be_searched(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    say(SENTENCE)
    assert capsys.readouterr().err == f"{SENTENCE}\n"


def test_long_words_such_as_paths_stay_whole_and_lines_keep_their_indent(on_screen):
    path = "/" + "folder/" * 12
    assert path in on_screen(40, say, f"It lies in {path} now.").splitlines()
    first, *rest = on_screen(40, say, f"First.\n  {SENTENCE}").splitlines()
    assert first == "First."
    assert all(line.startswith("  ") for line in rest)


def test_a_message_cannot_steer_the_terminal(on_screen):
    assert "\x1b" not in on_screen(40, say, "a\x1b[2Jb")


def test_a_usage_error_wraps_at_words_too(on_screen, command):
    text = on_screen(40, command, "run", "--no-such-option-as-this-one-here", "--jobs", "1")
    assert "--no-such-option-as-this-one-here" in text
    assert max(map(len, text.splitlines())) <= 40
