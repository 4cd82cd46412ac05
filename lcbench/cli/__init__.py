"""The command line, one file per verb: the only place that prints."""

from __future__ import annotations

import logging
import sys

from lcbench.printable import printable, printable_line


def main() -> None:
    """Run the command `lcbench`; every known error becomes one sentence and an exit code."""
    debug = "--debug" in sys.argv  # which is not parsed yet, so that loading plugins is covered
    show_logs(debug=debug)
    try:
        from lcbench.cli.app import build_app

        build_app()()
    except KeyboardInterrupt:
        print("lcbench: interrupted.", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        sys.exit(_explain(error, debug=debug))


def _explain(error: Exception, *, debug: bool) -> int:
    """Prints what went wrong in one sentence, and returns the exit code."""
    from lcbench.errors import DataUnavailableError, ExperimentFileError, LcbenchError

    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, LcbenchError):
        several = isinstance(error, ExperimentFileError) or (  # lines of our own
            isinstance(error, DataUnavailableError) and error.stream is not None
        )
        print(f"lcbench: {printable(error) if several else printable_line(error)}", file=sys.stderr)
        return error.exit_code
    if isinstance(error, OSError):
        print(f"lcbench: the output could not be written: {printable(error.strerror or error)}.", file=sys.stderr)
        return 1
    what = printable(f"{type(error).__name__}: {error}")
    print(f"lcbench: this should not happen, please report it: {what} (--debug shows where)", file=sys.stderr)
    return 1


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
