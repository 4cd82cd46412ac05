"""The command line: a thin layer over the Python interface, and the only place that prints."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command `lcbench`; every known error becomes one sentence and an exit code."""
    from lcbench.cli.logs import show_logs, wants_debug
    from lcbench.errors import LcbenchError

    show_logs(debug=wants_debug(sys.argv))
    try:
        from lcbench.cli.app import build_app

        build_app()()
    except Exception as error:
        if wants_debug(sys.argv):
            raise
        if isinstance(error, LcbenchError):
            print(f"lcbench: {error}", file=sys.stderr)
            sys.exit(error.exit_code)
        text = (
            f"lcbench: this should not happen, please report it: {type(error).__name__}: {error} (--debug shows where)"
        )
        print(text, file=sys.stderr)
        sys.exit(1)
