from __future__ import annotations

import os

import pytest

from lcbench.errors import ContractError, DataUnavailableError
from lcbench.registry.plugin_code import READ_ONLY
from lcbench.testing.checks import Check, CheckList, SkippedError, captured_output


def check_of(error: Exception | None) -> Check:
    def check_something(subject):
        """It holds.

        More about it.
        """
        if error is not None:
            raise error

    checks = CheckList()
    checks.add("Do this.")(check_something)
    return checks[0]


@pytest.mark.parametrize(
    ("error", "status", "reason", "hint"),
    [
        (None, "passed", "", ""),
        (SkippedError("no spec"), "skipped", "no spec", ""),
        (AssertionError("It does not."), "failed", "It does not.", "Do this."),
        (ContractError("It broke its contract."), "failed", "It broke its contract.", "Do this."),
        (DataUnavailableError("No data."), "failed", "No data.", ""),
        (KeyError("x"), "failed", "It raised KeyError: 'x' (test_checks.py:19).", ""),
        (
            ValueError("buffer source array is read-only"), "failed",
            "It raised ValueError: buffer source array is read-only (test_checks.py:19).", f"{READ_ONLY}.",
        ),
    ],
)  # fmt: skip
def test_a_check_turns_every_error_into_a_result(error, status, reason, hint):
    result = check_of(error).result("subject")
    assert (result.check, result.status, result.reason, result.hint) == ("check_something", status, reason, hint)


class Leaves(BaseException):
    """Is no Exception."""


@pytest.mark.parametrize(("error", "said"), [(SystemExit(0), "SystemExit"), (Leaves("now"), "Leaves: now")])
def test_code_that_would_end_the_command_fails_its_check(error, said):
    result = check_of(error).result("subject")
    assert result.status == "failed"
    assert result.reason.startswith(f"It raised {said}")
    with pytest.raises(KeyboardInterrupt):
        check_of(KeyboardInterrupt()).result("subject")


def test_a_check_that_is_called_raises_with_the_hint_or_skips():
    assert check_of(None)("subject") is None
    with pytest.raises(AssertionError, match=r"^It does not\. Do this\.$"):
        check_of(AssertionError("It does not."))("subject")
    with pytest.raises(SkippedError, match="no spec"):
        check_of(SkippedError("no spec"))("subject")


def test_a_check_has_the_first_sentence_of_its_function():
    assert check_of(None).summary == "It holds."


def test_ctrl_c_ends_the_checks():
    with pytest.raises(KeyboardInterrupt):
        check_of(KeyboardInterrupt()).result("subject")


def test_output_of_python_and_of_compiled_code_is_captured_and_given_back(capfd):
    with captured_output() as written:
        print("from Python")
        os.write(1, b"from below\n")
    assert sorted("".join(written).split("\n")) == ["", "from Python", "from below"]
    print("afterwards")
    assert capfd.readouterr().out == "afterwards\n"
    with captured_output() as written:
        pass
    assert written == []
