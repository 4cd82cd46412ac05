from __future__ import annotations

import io
import logging
import sys

import pytest

from lcbench.cli.logs import show_logs, wants_debug


@pytest.fixture
def logger():
    """A logger of the library; the state of the library's log is put back."""
    library = logging.getLogger("lcbench")
    handlers, propagate, level = library.handlers, library.propagate, library.level
    yield logging.getLogger("lcbench.some.room")
    library.handlers, library.propagate = handlers, propagate
    library.setLevel(level)


def test_warnings_are_lines_on_standard_error_and_lesser_messages_are_not_shown(logger, capsys):
    show_logs(debug=False)
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        logger.log(level, "the %s", "text")
    assert capsys.readouterr() == ("", "lcbench: warning: the text\nlcbench: error: the text\n")


def test_debug_shows_every_message(logger, capsys):
    show_logs(debug=True)
    logger.debug("quietly")
    assert capsys.readouterr().err == "lcbench: debug: quietly\n"


def test_a_message_is_shown_once_and_not_to_other_handlers(logger, capsys, caplog):
    show_logs(debug=False)
    show_logs(debug=False)
    logger.warning("once")
    assert capsys.readouterr().err.count("once") == 1
    assert caplog.messages == []


def test_messages_follow_standard_error_when_it_is_replaced(logger, capsys, monkeypatch):
    show_logs(debug=False)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    logger.warning("there")
    assert sys.stderr.getvalue() == "lcbench: warning: there\n"
    assert capsys.readouterr().err == ""


def test_a_message_from_outside_stays_one_harmless_line(logger, capsys):
    show_logs(debug=False)
    logger.warning("a\nlcbench: forged\x1b[2J")
    written = capsys.readouterr().err
    assert written == "lcbench: warning: a\N{REPLACEMENT CHARACTER}lcbench: forged\N{REPLACEMENT CHARACTER}[2J\n"


def test_a_message_about_an_exception_has_its_traceback(logger, capsys):
    show_logs(debug=False)
    try:
        raise ValueError("oh no")
    except ValueError:
        logger.exception("it broke")
    first, second, *_, last = capsys.readouterr().err.splitlines()
    assert (first, second) == ("lcbench: error: it broke", "Traceback (most recent call last):")
    assert last == "ValueError: oh no"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("lcbench --debug run", True),
        ("lcbench run --debug -q", True),
        ("lcbench run", False),
        ("lcbench --debugger", False),
    ],
)
def test_debug_may_stand_anywhere_in_the_command(line, wanted):
    assert wants_debug(line.split()) is wanted
