"""Shows the log messages of the library on standard error; `--debug` shows all of them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from lcbench.printable import printable_line


class StderrHandler(logging.Handler):
    """Writes to whatever standard error is at the time: a live display replaces it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints one line per log record, with its traceback if there is one."""
        text = f"lcbench: {record.levelname.lower()}: {printable_line(record.getMessage())}"
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        print(text, file=sys.stderr)


def show_logs(*, debug: bool) -> None:
    """Show warnings, or everything with `debug`."""
    logger = logging.getLogger("lcbench")
    logger.handlers = [StderrHandler()]
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    logger.propagate = False


def wants_debug(arguments: Sequence[str]) -> bool:
    """True if `--debug` is among the arguments; they are not parsed yet, so that loading plugins is covered."""
    return "--debug" in arguments
