"""Benchmarks run only when asked for: `pytest tests/benchmarks --benchmark-only`.

Each prints a ratio within one run and the bound it should keep. A busy machine moves ratios too, so a bound that is
missed is shown at the end, and fails the benchmark only with `--hold`. `--once` makes one round of each: it shows that
they work, and figures to be taken roughly.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
MISSED = pytest.StashKey[list[str]]()


def pytest_addoption(parser):
    parser.addoption("--hold", action="store_true", help="fail a benchmark whose ratio is above its bound")
    parser.addoption("--once", action="store_true", help="make one round of each benchmark")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """With `--once` no round is repeated where pytest-benchmark itself says how many are enough."""
    if config.getoption("--once", default=False):
        config.option.benchmark_min_rounds = 1
        config.option.benchmark_max_time = "0"


def pytest_collection_modifyitems(config, items):
    if config.getoption("benchmark_only"):
        return
    ours = [item for item in items if HERE in item.path.parents]
    items[:] = [item for item in items if HERE not in item.path.parents]
    config.hook.pytest_deselected(items=ours)


@pytest.fixture
def benchmark(benchmark, request):
    """That of pytest-benchmark; with `--once` no round of `pedantic` is repeated, and at most one warms up."""
    if not request.config.getoption("--once", default=False):
        return benchmark
    repeated = benchmark.pedantic

    def once(*arguments, rounds=1, warmup_rounds=0, **options):
        return repeated(*arguments, rounds=1, warmup_rounds=min(warmup_rounds, 1), **options)

    benchmark.pedantic = once
    return benchmark


@pytest.fixture
def hold(request):
    """hold(ratio, bound): the ratio is at most the bound, or the benchmark says so."""

    def check(ratio: float, bound: float) -> None:
        if ratio <= bound:
            return
        missed = f"{request.node.nodeid}: {ratio:.3g} is above the bound of {bound:g}"
        if request.config.getoption("--hold", default=False):
            pytest.fail(missed, pytrace=False)
        request.config.stash.setdefault(MISSED, []).append(missed)

    return check


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(MISSED, []):
        terminalreporter.write_line(f"bound missed: {line}")
