from __future__ import annotations

import errno
import subprocess
import sys

import pytest

from lcbench import errors


@pytest.fixture
def failing(command, monkeypatch):
    """Calls the command with an application that raises an error."""

    def call(error: BaseException, *arguments: str):
        def raises():
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


def test_an_unexpected_error_asks_for_a_report_and_shows_where_only_with_debug(failing):
    called = failing(ZeroDivisionError("oh \x1b[31mno"))
    assert (called.code, called.out) == (1, "")
    assert called.err == (
        "lcbench: this should not happen, please report it: ZeroDivisionError: oh \N{REPLACEMENT CHARACTER}[31mno "
        "(--debug shows where)\n"
    )
    assert "in raises" in failing(ZeroDivisionError("oh no"), "--debug").err


def test_a_full_disk_is_reported_as_output_that_could_not_be_written(failing):
    called = failing(OSError(errno.ENOSPC, "No space left on device"))
    assert called == (1, "", "lcbench: the output could not be written: No space left on device.\n")


def test_ctrl_c_outside_a_run_is_one_line_and_exit_code_130(failing):
    assert failing(KeyboardInterrupt()) == (130, "", "lcbench: interrupted.\n")


def test_only_faults_of_a_file_and_missing_data_are_messages_of_several_lines(failing):
    missing = errors.DataUnavailableError("first\nsecond")
    broken = "lcbench: first\N{REPLACEMENT CHARACTER}second\n"
    assert failing(missing).err == broken
    assert failing(errors.ParameterError("first\nsecond")).err == broken
    missing.stream = "webkb4"
    assert failing(missing).err == "lcbench: first\nsecond\n"
    assert failing(errors.ExperimentFileError("first\nsecond")).err == "lcbench: first\nsecond\n"


@pytest.mark.parametrize("arguments", [("--debug", "run"), ("run", "--debug")])
def test_debug_shows_the_traceback(arguments):
    line = [sys.executable, "-m", "lcbench", *arguments, "-m", "l2cs"]
    ended = subprocess.run(line, capture_output=True, text=True)
    assert ended.returncode != 0
    assert ended.stdout == ""
    assert "Traceback (most recent call last)" in ended.stderr
    assert "There is no method 'l2cs'. Did you mean 'l2sc'?" in ended.stderr


def test_debug_keeps_the_exit_code(command):
    called = command("run", "--debug", "-m", "l2cs")
    assert called.code == 2
    assert "Traceback" in called.err


def test_terminal_escapes_in_a_name_do_not_reach_the_terminal(command):
    assert "\x1b" not in command("run", "-m", "\x1b[31mfoo").err
