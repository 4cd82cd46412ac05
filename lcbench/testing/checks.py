"""A check: a function that fails with a sentence, with a hint that says what to do."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from lcbench.errors import ContractError, LcbenchError
from lcbench.registry.plugin_code import fault_of

PASSED, FAILED, SKIPPED, EXPECTED = "passed", "failed", "skipped", "expected"


class SkippedError(Exception):
    """Raised by a check that has nothing to look at, with the reason."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check by the name of its function. Calling it with a subject raises AssertionError if the check fails.

    Its hint is for what the check itself finds and, if it is one `of_errors`, for errors that plugin code raises.
    """

    function: Callable[[Any], None]
    hint: str
    of_errors: bool = False

    @property
    def name(self) -> str:
        """The name, as it is printed and as it is expected to fail by."""
        return self.function.__name__

    @property
    def summary(self) -> str:
        """The sentence about what must hold."""
        return (self.function.__doc__ or "").split("\n", 1)[0]

    def __call__(self, subject: Any) -> None:
        """Raises AssertionError with sentence and hint if the check fails, SkippedError if it cannot be made."""
        result = self.result(subject)
        if result.status == SKIPPED:
            raise SkippedError(result.reason)
        if result.status == FAILED:
            raise AssertionError(f"{result.reason} {result.hint}".strip())

    def result(self, subject: Any) -> CheckResult:
        """Makes the check, with one thread as runs have it; errors that plugin code raises are failures."""
        from lcbench.running.threads import ThreadLimit

        try:
            with ThreadLimit(1):
                self.function(subject)
        except SkippedError as skipped:
            return CheckResult(self.name, SKIPPED, str(skipped))
        except (AssertionError, ContractError) as error:
            return CheckResult(self.name, FAILED, str(error), self.hint)
        except LcbenchError as error:  # a sentence for users already
            return CheckResult(self.name, FAILED, str(error), self.hint if self.of_errors else "")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too, which would end the command as if all were well
            fault = fault_of(error)
            hint = fault.hint and f"{fault.hint}."
            raised = f"It raised {replace(fault, hint='')}."
            return CheckResult(self.name, FAILED, raised, hint or (self.hint if self.of_errors else ""))
        return CheckResult(self.name, PASSED)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: `passed`, `failed`, `skipped`, or `expected`, a failure that its author knows of."""

    check: str
    status: str
    reason: str = ""
    hint: str = ""


class CheckList(list[Check]):
    """The checks of one kind of plugin, in the order in which they are made."""

    def add(self, hint: str, *, of_errors: bool = False) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        """Marks a function as a check; `hint` is shown where it fails, `of_errors` also where plugin code raises."""

        def mark(function: Callable[[Any], None]) -> Callable[[Any], None]:
            self.append(Check(function, hint, of_errors))
            return function

        return mark


@contextmanager
def captured_output(name: str = "stdout") -> Iterator[list[str]]:
    """Collects all that is written to standard output or error, by Python, by compiled code or by child processes."""
    written: list[str] = []
    number, stream = {"stdout": 1, "stderr": 2}[name], getattr(sys, name)
    stream.flush()
    kept = os.dup(number)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), number)
        setattr(sys, name, file)
        try:
            yield written
        finally:
            setattr(sys, name, stream)
            os.dup2(kept, number)
            os.close(kept)
            file.flush()
            file.seek(0)
            written.extend(filter(None, [file.read()]))
