"""Benchmarks run only when asked for: `pytest tests/benchmarks --benchmark-only`."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config, items):
    if config.getoption("benchmark_only"):
        return
    ours = [item for item in items if HERE in item.path.parents]
    items[:] = [item for item in items if HERE not in item.path.parents]
    config.hook.pytest_deselected(items=ours)
