"""`lcbench check`: runs the conformance kit on methods, streams, metrics, a line per check."""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.cli.help import argument, examples
from lcbench.cli.run_options import Debug, Plugins
from lcbench.errors import DataUnavailableError, ParameterError
from lcbench.printable import printable_line, word_lines

if TYPE_CHECKING:
    from rich.console import Console

    from lcbench.testing.checks import CheckResult

STYLES = {"passed": "green", "failed": "red", "skipped": "yellow"}
INDENT = 10
LEAST_WIDTH = 20  # of a line, however narrow the terminal
LEAST_BESIDE = 30  # columns that a description needs beside the name of its check


@examples(
    ("lcbench check l2sc digits nmi", "A method, a stream and a metric."),
    ("lcbench check l2sc:lam=10", "A method with a parameter set."),
    ("lcbench check --plugin ./mine.py", "All that a file of yours registers."),
)
def check(
    names: Annotated[
        list[str] | None,
        argument(
            "Methods, streams or metrics, with parameters as in l2sc:lam=10, or the folder of a stream; without one, "
            "all that the files of --plugin register.",
            "NAME",
            completed="anything",
        ),
    ] = None,
    plugin: Plugins = None,
    debug: Debug = False,
) -> None:
    """Check that methods, streams and metrics keep their contract.

    One line per check, and a hint for each that fails. The exit code is 1 if one fails. Authors of plugins run the same
    checks in their tests by lcbench.testing.
    """
    from lcbench.cli.console import output, plain
    from lcbench.running.launching import shared_server
    from lcbench.running.threads import set_thread_variables

    set_thread_variables(1)  # before numpy is imported
    from lcbench.testing.checks import FAILED
    from lcbench.testing.kit import checks_of
    from lcbench.testing.subjects import subjects_of

    console, failed = output(), 0
    subjects = [subject for name in names or _of_files() for subject in subjects_of(name)]
    if any(subject.kind == "method" for subject in subjects):
        shared_server(1).start()  # its last checks need it: it gets ready while others go on
    for i, subject in enumerate(subjects):
        if i:
            console.print()
        if subject.kind == "stream":
            _need_data(subject)
        console.print(plain(f"{subject.kind} {subject}", "bold"))
        counts: Counter[str] = Counter()
        reasons: dict[str, str] = {}
        for each in checks_of(subject):
            with _hidden_output():
                result = each.result(subject)
            counts[result.status] += 1
            if result.status == FAILED:  # one fault may fail many checks
                first = reasons.setdefault(result.reason, each.name)
                result = result if first == each.name else replace(result, reason=f"as {first}", hint="")
            _print(result, each.summary, console)
        console.print(plain(", ".join(f"{count} {status}" for status, count in counts.items())))
        failed += counts["failed"]
    if failed:
        raise typer.Exit(1)


def _of_files() -> list[str]:
    """The names that plugin files registered; ParameterError if there are none."""
    from lcbench.registry.host import plugin_host

    found = [name for plugin in plugin_host().plugins if plugin.source.file for name in plugin.names]
    if not found:
        raise ParameterError("Nothing to check: name a method, stream or metric, or a file by --plugin.")
    return list(dict.fromkeys(found))


def _need_data(stream: Any) -> None:
    """Raises DataUnavailableError if the data of a stream are not available, which is no fault that a check finds."""
    with _hidden_output():
        try:
            stream.tasks  # noqa: B018  builds them
        except (DataUnavailableError, KeyboardInterrupt):
            raise
        except BaseException:  # the checks tell what is wrong
            return


@contextmanager
def _hidden_output() -> Iterator[None]:
    """Hides what plugins print and warn of, on hard tasks above all, unless debug messages are asked for."""
    from lcbench.testing.checks import captured_output

    if logging.getLogger("lcbench").isEnabledFor(logging.DEBUG):
        yield
        return
    with warnings.catch_warnings(action="ignore"), captured_output(), captured_output("stderr"):
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def _print(result: CheckResult, summary: str, console: Console) -> None:
    """The result and what must hold, beside it or, if the terminal is narrow, below; then why not and what to do."""
    from rich.text import Text

    line = Text(" ").append(f"{result.status:<8} ", STYLES[result.status]).append(f"{result.check:<30} ")
    indent = len(line) if console.width - len(line) >= LEAST_BESIDE else INDENT
    first, *more = word_lines(summary, max(console.width - indent, LEAST_WIDTH))
    if indent == INDENT:
        first, more = "", [first, *more]
    lines = [line.append(first, "dim"), *(Text(" " * indent).append(part, "dim") for part in more)]
    for text in filter(None, (result.reason, result.hint)):
        parts = word_lines(printable_line(text), max(console.width - INDENT, LEAST_WIDTH))
        lines += [Text(" " * INDENT + part) for part in parts]
    for each in lines:
        console.print(each, no_wrap=True, crop=False, overflow="ignore")
