from __future__ import annotations

import io
import logging
import sys

import pytest

from lcbench.cli.logs import show_logs, wants_debug

ROOM = logging.getLogger("lcbench.some.room")
pytestmark = pytest.mark.usefixtures("library_log")


@pytest.mark.parametrize("debug", [False, True])
def test_warnings_are_lines_on_standard_error_and_lesser_messages_only_with_debug(capsys, caplog, debug):
    show_logs(debug=True)
    show_logs(debug=debug)
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        ROOM.log(level, "the %s", "text")
    lesser = "lcbench: debug: the text\nlcbench: info: the text\n" if debug else ""
    assert capsys.readouterr() == ("", f"{lesser}lcbench: warning: the text\nlcbench: error: the text\n")
    assert caplog.messages == []


def test_messages_follow_standard_error_when_it_is_replaced(capsys, monkeypatch):
    show_logs(debug=False)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    ROOM.warning("there")
    assert sys.stderr.getvalue() == "lcbench: warning: there\n"
    assert capsys.readouterr().err == ""


def test_a_message_from_outside_stays_one_harmless_line(capsys):
    show_logs(debug=False)
    ROOM.warning("a\nlcbench: forged\x1b[2J")
    assert capsys.readouterr().err == "lcbench: warning: a?lcbench: forged?[2J\n".replace("?", "\ufffd")


def test_a_message_about_an_exception_has_its_traceback(capsys):
    show_logs(debug=False)
    try:
        raise ValueError("oh no")
    except ValueError:
        ROOM.exception("it broke")
    first, second, *_, last = capsys.readouterr().err.splitlines()
    assert (first, second) == ("lcbench: error: it broke", "Traceback (most recent call last):")
    assert last == "ValueError: oh no"


@pytest.mark.parametrize(
    ("line", "wanted"),
    {"lcbench --debug run": True, "lcbench run --debug -q": True, "lcbench --debugger": False}.items(),
)
def test_debug_may_stand_anywhere_in_the_command(line, wanted):
    assert wants_debug(line.split()) is wanted
