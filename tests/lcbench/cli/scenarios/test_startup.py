from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "joblib", "threadpoolctl")
TWO = ("run", "-m", "kmeans", "-m", "one-cluster", "-s", "digits:tasks=2")
TUNED = (*TWO, "--grid", "kmeans.n_init=1,2", "--tune", "oracle")
FILE = """
methods = ["kmeans", "one-cluster"]
streams = ["digits:tasks=2"]

[grid.kmeans]
n_init = [1, 2]
"""
REPORT = f"\nimport sys; print('heavy:', *(m for m in {HEAVY} if m in sys.modules), file=sys.stderr)"
COMMAND = """
import sys
from lcbench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def heavy_modules(script: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", script + REPORT, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return ended.stderr.split("heavy:")[1].split()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("run", "--help"),
        ("list", "methods"),
        ("list",),
        ("info", "l2sc"),
        ("info", "digits"),
        ("info", "nmi"),
    ],
    ids=" ".join,
)
def test_a_command_that_computes_nothing_imports_nothing_heavy(arguments):
    assert heavy_modules(COMMAND, *arguments) == []


def test_a_command_that_computes_is_seen_to_import_numpy():
    assert "numpy" in heavy_modules(COMMAND, "doctor")


@pytest.mark.parametrize("arguments", [TWO, (*TWO, "--json"), TUNED, ("run", "paper.toml")], ids=" ".join)
def test_when_nothing_is_left_to_do_nothing_heavy_is_imported(command, arguments):
    Path("paper.toml").write_text(FILE)
    command(*arguments)
    for when in ((), ("--dry-run",)):
        assert heavy_modules(COMMAND, *arguments, *when) == []
