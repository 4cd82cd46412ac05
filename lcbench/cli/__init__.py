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
    except LcbenchError as error:
        if wants_debug(sys.argv):
            raise
        print(f"lcbench: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
