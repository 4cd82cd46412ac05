"""Checks for authors of methods: `check_method` tests that a method keeps its contract."""

from lcbench.testing.method_checks import check_method

__all__ = ["check_method"]
