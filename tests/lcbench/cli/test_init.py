from __future__ import annotations

import errno
import io
import logging
import sys

import pytest

from lcbench import errors
from lcbench.cli import show_logs

ROOM = logging.getLogger("lcbench.some.room")
pytestmark = pytest.mark.usefixtures("library_log")


@pytest.fixture
def failing(command, monkeypatch):
    """Calls the command with an application that raises an error."""

    def call(error: BaseException, *arguments: str):
        def raises(**_):
            raise error

        monkeypatch.setattr("lcbench.cli.app.build_app", lambda: raises)
        return command(*arguments)

    return call


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.LcbenchError("It did not work."), 2),
        (errors.ParameterError("It did not work."), 2),
        (errors.RunFailedError("It did not work."), 1),
        (errors.DataUnavailableError("It did not work."), 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_known_error_is_one_sentence_and_its_own_exit_code(failing, error, code):
    assert failing(error) == (code, "", "lcbench: It did not work.\n")


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left"), 1, "the output could not be written: No space left."),
        (KeyboardInterrupt(), 130, "interrupted."),
        (
            ZeroDivisionError("oh \x1b[31mno"),
            1,
            "this should not happen, please report it: ZeroDivisionError: oh \ufffd[31mno (--debug shows where)",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_other_error_is_one_sentence_too(failing, error, code, sentence):
    assert failing(error) == (code, "", f"lcbench: {sentence}\n")


def test_debug_shows_where_an_unexpected_error_came_from(failing):
    assert "in raises" in failing(ZeroDivisionError("oh no"), "--debug").err


def test_only_faults_of_a_file_and_missing_data_are_messages_of_several_lines(failing):
    missing = errors.DataUnavailableError("first\nsecond")
    broken = "lcbench: first\N{REPLACEMENT CHARACTER}second\n"
    assert failing(missing).err == broken
    assert failing(errors.ParameterError("first\nsecond")).err == broken
    missing.stream = "webkb4"
    assert failing(missing).err == "lcbench: first\nsecond\n"
    assert failing(errors.ExperimentFileError("first\nsecond")).err == "lcbench: first\nsecond\n"


@pytest.mark.parametrize("arguments", [("--debug", "run"), ("run", "--debug"), ("run",)], ids=" ".join)
def test_debug_anywhere_in_the_command_shows_the_traceback_and_keeps_the_exit_code(command, arguments):
    called = command(*arguments, "-m", "l2cs")
    assert (called.code, called.out) == (2, "")
    assert ("Traceback (most recent call last)" in called.err) == ("--debug" in arguments)
    assert "There is no method 'l2cs'. Did you mean 'l2sc'?" in called.err


def test_terminal_escapes_in_a_name_do_not_reach_the_terminal(command):
    assert "\x1b" not in command("run", "-m", "\x1b[31mfoo").err


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


def test_a_file_that_cannot_be_used_is_named_and_not_called_output(failing):
    error = PermissionError(errno.EACCES, "Permission denied", "some/file")
    assert failing(error) == (2, "", "lcbench: 'some/file' cannot be used: Permission denied.\n")


@pytest.mark.parametrize(
    "arguments",
    [("run", "-m", "x" * 10_000), ("--" + "x" * 10_000,), ("x" * 10_000,), ("run", "--seed", "x" * 10_000)],
    ids=["name", "option", "command", "value"],
)
def test_very_long_words_are_not_repeated_whole(command, arguments):
    called = command(*arguments)
    assert (called.code, called.out) == (2, "")
    assert len(called.err) < 1_200


def test_what_a_command_returns_is_no_exit_code(command, monkeypatch):
    monkeypatch.setattr("lcbench.cli.listing.list_installed", lambda: 5)
    assert command("list").code == 0


class FullDisk(io.StringIO):
    def flush(self):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_output_that_fails_at_the_very_end_is_told(command, monkeypatch):
    monkeypatch.setattr(sys, "stdout", FullDisk())
    assert command("--version") == (1, "", "lcbench: the output could not be written: No space left on device.\n")
