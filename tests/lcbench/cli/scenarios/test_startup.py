from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from making import make_record, make_results

HEAVY = (
    "numpy", "scipy", "sklearn", "pandas", "joblib", "threadpoolctl", "requests", "matplotlib",
    "lcbench.cli.completion",
)  # fmt: skip
TWO = "run -m kmeans -m one-cluster -s digits:tasks=2,per_class=4"
FILE = """
methods = ["kmeans", "one-cluster"]
streams = ["digits:tasks=2,per_class=4"]

[grid.kmeans]
n_init = [1, 2]
"""
COMMANDS = f"""
import sys
from lcbench.cli import main
for line in list(sys.argv[1:]):
    sys.argv[1:] = line.split()
    try:
        main()
    except SystemExit as end:
        assert not end.code, (line, end.code)
    print('heavy:', line, '|', *(m for m in {HEAVY} if m in sys.modules), file=sys.stderr)
"""


def heavy_modules(*lines: str) -> dict[str, list[str]]:
    """What a process has imported after each of these commands, called one after the other."""
    ended = subprocess.run([sys.executable, "-c", COMMANDS, *lines], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found = (line.removeprefix("heavy: ").split(" |") for line in ended.stderr.splitlines() if line.startswith("heavy"))
    return {line: modules.split() for line, modules in found}


def test_a_command_that_computes_nothing_imports_nothing_heavy_and_is_no_completion(monkeypatch, tmp_path):
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    make_results(run := make_record())
    lines = (
        "--help", "--version", "run --help", "list", "info l2sc", "info nmi", "info webkb4",
        "info 20newsgroups", "data list", "data path", "results list --all --method m", "results list --json",
        f"results show {run.run_id}", "results export x.csv", "compare", "plot --help", "results remove --all --yes",
    )  # fmt: skip
    found = heavy_modules(*lines, "info digits")
    assert "numpy" in found.pop("info digits")  # which computes what random labels score
    assert found == {line: [] for line in lines}


def test_when_nothing_is_left_to_do_nothing_heavy_is_imported(command):
    Path("paper.toml").write_text(FILE)
    for line in (once := (f"{TWO} --json", f"{TWO} --grid kmeans.n_init=1,2 --tune oracle", "run paper.toml")):
        command(*line.split())
    lines = [line + when for line in once for when in ("", " --dry-run")]
    assert heavy_modules(*lines) == {line: [] for line in lines}
