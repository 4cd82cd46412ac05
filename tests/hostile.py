"""Runs every attack of the hostile plugin beside honest methods, which takes about a quarter of an hour."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    scenarios = Path(__file__).parent / "lcbench" / "scenarios"
    sys.exit(pytest.main(["-m", "attacks", "-n", "2", str(scenarios), *sys.argv[1:]]))
