"""The conformance kit for authors of plugins: checks of methods, streams and metrics.

`check_clusterer`, `check_stream` and `check_metric` run every check on one of them; `parametrize_with_checks` makes
tests for pytest of them, and `lcbench check NAME` prints them line by line.
"""

from __future__ import annotations

from lcbench.testing.checks import CheckResult
from lcbench.testing.kit import check_clusterer, check_metric, check_stream, checks_of, parametrize_with_checks

__all__ = [
    "CheckResult",
    "check_clusterer",
    "check_metric",
    "check_stream",
    "checks_of",
    "parametrize_with_checks",
]
