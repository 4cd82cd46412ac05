"""The command line, one file per verb: the only place that prints."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command `lcbench`; every known error becomes one sentence and an exit code."""
    from lcbench.cli.logs import show_logs, wants_debug

    show_logs(debug=wants_debug(sys.argv))
    try:
        from lcbench.cli.app import build_app

        build_app()()
    except KeyboardInterrupt:
        print("lcbench: interrupted.", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        sys.exit(_explain(error, debug=wants_debug(sys.argv)))


def _explain(error: Exception, *, debug: bool) -> int:
    """Prints what went wrong in one sentence, and returns the exit code."""
    from lcbench.errors import DataUnavailableError, ExperimentFileError, LcbenchError
    from lcbench.printable import printable, printable_line

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
