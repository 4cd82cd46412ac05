"""How long the command line takes to answer, beside a bare typer application with two commands."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import pytest

BARE = """
import typer
app = typer.Typer()
@app.command()
def one(number: int = 1): "One."
@app.command()
def two(number: int = 2): "Two."
app()
"""
ROUNDS = 15


def seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - start


@pytest.mark.benchmark(group="start-up")
@pytest.mark.parametrize(
    ("arguments", "alike"), [(("--help",), "--help"), (("list", "methods"), "one")], ids=["--help", "list methods"]
)
def test_start_up_over_a_bare_typer_application(benchmark, tmp_path, arguments, alike, hold):
    """Help beside help, and a command beside a command: to read its options typer imports pydantic."""
    bare = tmp_path / "bare.py"
    bare.write_text(BARE, encoding="utf-8")
    ours, theirs = [], []

    def pair():
        theirs.append(seconds(str(bare), alike))
        ours.append(seconds("-m", "lcbench", *arguments))

    benchmark.pedantic(pair, rounds=ROUNDS, warmup_rounds=2)
    ratio = statistics.median(ours) / statistics.median(theirs)
    benchmark.extra_info["over a bare typer application"] = ratio
    print(
        f"\nlcbench {' '.join(arguments)}: {statistics.median(ours):.3f} s, {ratio:.2f} times a bare typer application"
    )
    hold(ratio, 1.6)
