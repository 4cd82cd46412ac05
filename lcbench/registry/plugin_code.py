"""Calls the code of plugins: what it raises is told with plugin, line and hint.

What the code prints meanwhile goes to standard error, so that it cannot get into the output of a command.
"""

from __future__ import annotations

import inspect
import logging
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lcbench.errors import LcbenchError, PluginError, did_you_mean, error_text
from lcbench.printable import cut

logger = logging.getLogger(__name__)
LONGEST_TEXT = 500
# an error in one of these is told by the line of the plugin that called it
LIBRARIES = {"numpy", "scipy", "sklearn", "pandas", "pyarrow", "joblib", "threadpoolctl", "pluggy", "river"}
NOT_PLUGINS = {"lcbench"} | LIBRARIES | sys.stdlib_module_names
READ_ONLY = (
    "Task.X is shared and read-only: work on a copy, X = task.X.copy(), where a library wants to write to its input"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of a plugin's code: its kind and text, the deepest line of the plugin, a hint if the cause is known."""

    kind: str
    text: str
    place: str = ""
    hint: str = ""

    def __str__(self) -> str:
        return self.told()

    def told(self, *where: str) -> str:
        """The fault in words, with its line and with more words on where it happened."""
        places = ", ".join(each for each in (self.place, *where) if each)
        said = f"{self.kind}: {self.text}" if self.text else self.kind
        hint = f". {self.hint}" if self.hint else ""
        return f"{said}{f' ({places})' if places else ''}{hint}"


told_at_import: set[str] = set()  # warnings of plugins, which other processes that import them need not tell again


@contextmanager
def calling(
    who: object,
    fails: str,
    raises: type[PluginError] = PluginError,
    *,
    passing: type[LcbenchError] = LcbenchError,
) -> Iterator[None]:
    """Around code of a plugin: what it raises becomes a PluginError that says that `who` failed, how, and where.

    Errors of lcbench of the type `passing`, whose text is a sentence already, pass, as an interrupt of the user does.
    """
    with redirect_stdout(sys.stderr):
        try:
            yield
        except (KeyboardInterrupt, passing):
            raise
        except BaseException as error:  # also a SystemExit
            said = f"{who} {fails}: {fault_of(error)}"
            raise raises(said if said.endswith("?") else f"{said}.") from error


@contextmanager
def importing(who: object) -> Iterator[None]:
    """Around the import of a plugin: as `calling`, and its warnings are told once, here, with its name."""
    with calling(who, "could not be loaded", passing=PluginError), warnings.catch_warnings(record=True) as found:
        try:
            yield
        finally:
            for each in found:
                text = warning_text(each.category, each.message, each.filename, each.lineno)
                told_at_import.add(text)
                logger.warning("%s: %s", who, text)


def warning_text(category: type[Warning], message: Warning | str, filename: str, line: int) -> str:
    """A warning in words, with its place."""
    said = message if isinstance(message, str) else error_text(message)
    return f"{category.__name__}: {cut(' '.join(said.split()), LONGEST_TEXT)} ({Path(filename).name}:{line})"


def fault_of(error: BaseException) -> Fault:
    """An error of a plugin's code, with the deepest line of the plugin and a hint if the cause is known."""
    said = error.msg if isinstance(error, SyntaxError) and isinstance(error.msg, str) else error_text(error)
    text = cut(" ".join(said.split()), LONGEST_TEXT)
    if isinstance(error, LcbenchError):
        return Fault(type(error).__name__, text, _place(error))
    return Fault(type(error).__name__, text.rstrip("."), _place(error), _hint(error, said))


def _place(error: BaseException) -> str:
    """File and line of the innermost frame in the package that lcbench called; empty if no plugin was called."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}:{error.lineno}"
    frames = [
        (_package(frame), f"{Path(frame.f_code.co_filename).name}:{line}")
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = next((package for package, _ in frames if package not in NOT_PLUGINS), None)
    return next((place for package, place in reversed(frames) if package == own), "")


def _package(frame: Any) -> str:
    """The top-level package of a frame; that of the standard library for what Python itself runs."""
    if frame.f_code.co_filename.startswith("<frozen"):
        return "sys"
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _hint(error: BaseException, text: str) -> str:
    if "read-only" in text and isinstance(error, ValueError):
        return READ_ONLY
    if isinstance(error, AttributeError) and isinstance(error.name, str):
        return _attribute_hint(error.obj, error.name)
    if isinstance(error, KeyboardInterrupt):
        return "It was not your Ctrl-C, which ends all runs, but a SIGINT from elsewhere, or the plugin itself"
    return ""


def _attribute_hint(owner: object, name: str) -> str:
    """The attribute of a module that was meant, or that of an object which its constructor must store."""
    if isinstance(owner, ModuleType):
        found = did_you_mean(name, [known for known in dir(owner) if not known.startswith("_")]).strip()
        return found if found.startswith("Did you mean") else ""
    try:
        stored = name in inspect.signature(type(owner).__init__).parameters
    except (TypeError, ValueError):
        return ""
    return f"The constructor must store its argument: self.{name} = {name}" if stored else ""
