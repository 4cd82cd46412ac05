from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from making import make_record, make_results

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "joblib", "threadpoolctl", "requests", "matplotlib")
TWO = "run -m kmeans -m one-cluster -s digits:tasks=2"
FILE = """
methods = ["kmeans", "one-cluster"]
streams = ["digits:tasks=2"]

[grid.kmeans]
n_init = [1, 2]
"""
COMMAND = f"""
import sys
from lcbench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print('heavy:', *(m for m in {HEAVY} if m in sys.modules), file=sys.stderr)
"""


def heavy_modules(line: str) -> list[str]:
    command = [sys.executable, "-c", COMMAND, *line.split()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return ended.stderr.split("heavy:")[1].split()


@pytest.mark.parametrize(
    "line",
    [
        "--help", "--version", "run --help", "list", "info l2sc", "info nmi", "info webkb4",
        "info 20newsgroups", "data list", "data path", "results list --all --method m", "results list --json",
        "results show ID", "results export x.csv", "results remove --all --yes", "compare", "plot --help",
    ],
)  # fmt: skip
def test_a_command_that_computes_nothing_imports_nothing_heavy(monkeypatch, tmp_path, line):
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    make_results(run := make_record())
    assert heavy_modules(line.replace("ID", run.run_id)) == []


@pytest.mark.parametrize("line", ["doctor", "info digits"])  # the second computes what random labels score
def test_a_command_that_computes_is_seen_to_import_numpy(line):
    assert "numpy" in heavy_modules(line)


@pytest.mark.parametrize("line", [f"{TWO} --json", f"{TWO} --grid kmeans.n_init=1,2 --tune oracle", "run paper.toml"])
def test_when_nothing_is_left_to_do_nothing_heavy_is_imported(command, line):
    Path("paper.toml").write_text(FILE)
    command(*line.split())
    for when in ("", " --dry-run"):
        assert heavy_modules(line + when) == []
