from __future__ import annotations

import errno

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


@pytest.mark.parametrize("arguments", [("--debug", "run"), ("run", "--debug")], ids=" ".join)
def test_debug_shows_the_traceback_and_keeps_the_exit_code(command, arguments):
    called = command(*arguments, "-m", "l2cs")
    assert (called.code, called.out) == (2, "")
    assert "Traceback (most recent call last)" in called.err
    assert "There is no method 'l2cs'. Did you mean 'l2sc'?" in called.err


def test_terminal_escapes_in_a_name_do_not_reach_the_terminal(command):
    assert "\x1b" not in command("run", "-m", "\x1b[31mfoo").err
