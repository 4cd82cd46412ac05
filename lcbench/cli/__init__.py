"""The command line, one file per verb: the only place that prints."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from lcbench.cli import waiting
from lcbench.cli.messages import say, wrapped
from lcbench.cli.standard_streams import make_usable
from lcbench.printable import printable, printable_line, shortened


def main() -> None:
    """Run the command `lcbench`; every known error becomes one sentence and an exit code."""
    make_usable()
    debug = "--debug" in sys.argv  # which is not parsed yet, so that loading plugins is covered
    show_logs(debug=debug)
    if "_LCBENCH_COMPLETE" in os.environ:  # a shell asks, at Tab
        from lcbench.cli.completion import complete

        complete()
    if _takes_time(sys.argv[1:]):
        waiting.LINE.show("starting")
    try:
        from lcbench.cli.app import build_app

        ended = build_app()(standalone_mode=False)
        sys.stdout.flush()  # now, as an error at the very end could not be told
    except KeyboardInterrupt:
        say("lcbench: interrupted.")
        sys.exit(130)
    except Exception as error:
        sys.exit(_explain(error, debug=debug))
    finally:
        waiting.LINE.end()
    sys.exit(ended if isinstance(ended, int) else 0)


def _takes_time(arguments: Sequence[str]) -> bool:
    """True for a command whose user may be told that it is at work: not for help and --quiet."""
    silent = re.compile(r"--(quiet|help|version|.+-completion)|-[a-zA-Z]*[qh][a-zA-Z]*")
    return bool(arguments) and not any(map(silent.fullmatch, arguments))


def _explain(error: Any, *, debug: bool) -> int:
    """Prints what went wrong in one sentence, and returns the exit code."""
    from lcbench.errors import DataUnavailableError, ExperimentFileError, LcbenchError

    if type(error).__name__ == "Abort":  # of typer, when the input ends
        _say("stopped.")
        return 1
    if hasattr(error, "format_message") and hasattr(error, "show"):  # a usage error of the parser
        message = error.format_message().replace("\n\t", " ")  # as choices have it
        error.format_message = lambda: wrapped(shortened(printable(message)))
        error.show()
        return int(error.exit_code)
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, LcbenchError):
        several = isinstance(error, ExperimentFileError) or (  # lines of our own
            isinstance(error, DataUnavailableError) and error.stream is not None
        )
        _say(printable(error) if several else printable_line(error))
        return error.exit_code
    if isinstance(error, OSError) and error.filename is not None:
        _say(f"'{printable(error.filename)}' cannot be used: {printable(error.strerror or error)}.")
        return 2
    if isinstance(error, OSError):
        _say(f"the output could not be written: {printable(error.strerror or error)}.")
        _give_up_output()
        return 1
    what = printable(f"{type(error).__name__}: {error}")
    _say(f"this should not happen, please report it: {what} (--debug shows where)")
    return 1


def _say(text: str) -> None:
    say(f"lcbench: {shortened(text)}")


def _give_up_output() -> None:
    """Lets what is left in the buffer of standard output go nowhere: at the end Python would try to write it again."""
    if sys.stdout is sys.__stdout__ or sys.__stdout__ is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class StderrHandler(logging.Handler):
    """Writes to whatever standard error is at the time: a live display replaces it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints one line per log record, with its traceback if there is one."""
        text = f"lcbench: {record.levelname.lower()}: {shortened(printable_line(record.getMessage()))}"
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        say(text)


def show_logs(*, debug: bool) -> None:
    """Show warnings, or everything with `debug`."""
    logger = logging.getLogger("lcbench")
    logger.handlers = [StderrHandler()]
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    logger.propagate = False
