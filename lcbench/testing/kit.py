"""Runs all checks on a method, stream or metric, or makes tests for pytest of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lcbench.contract.task import Task
from lcbench.errors import ParameterError, did_you_mean
from lcbench.testing.checks import EXPECTED, FAILED, PASSED, Check, CheckResult, SkippedError
from lcbench.testing.contract_checks import CONTRACT_CHECKS
from lcbench.testing.data_checks import DATA_CHECKS
from lcbench.testing.metric_checks import METRIC_CHECKS
from lcbench.testing.process_checks import PROCESS_CHECKS
from lcbench.testing.stream_checks import STREAM_CHECKS
from lcbench.testing.subjects import Subject, subjects_of

CHECKS: dict[str, list[Check]] = {
    "method": [*CONTRACT_CHECKS, *DATA_CHECKS, *PROCESS_CHECKS],
    "stream": [*STREAM_CHECKS],
    "metric": [*METRIC_CHECKS],
}
Expected = Mapping[str, str]


def check_clusterer(
    method: Any, *, tasks: Sequence[Task] | None = None, expected_failed_checks: Expected | None = None
) -> list[CheckResult]:
    """Run every check on a method, given by name, as an instance or as a class; AssertionError names all that fail.

    `tasks` are used in place of small dense and sparse ones, for a method that takes only its own kind.
    `expected_failed_checks` are the names of checks that it is known to fail, each with the reason.

    Examples
    --------
    >>> results = check_clusterer("kmeans")
    >>> {result.status for result in results}
    {'passed'}
    """
    subject = _only(method, "method")
    subject.tasks = tasks
    return _checked(subject, expected_failed_checks)


def check_stream(stream: Any, *, expected_failed_checks: Expected | None = None) -> list[CheckResult]:
    """Run every check on a stream, given by name, by its folder, or as an instance of TaskStream."""
    return _checked(_only(stream, "stream"), expected_failed_checks)


def check_metric(
    metric: Any, *, known: Sequence[tuple[Any, Any, float]] = (), expected_failed_checks: Expected | None = None
) -> list[CheckResult]:
    """Run every check on a metric, given by name, as an instance or as a class.

    `known` are classes (for an internal metric the samples), clusters, and the score that they must have.

    Examples
    --------
    >>> results = check_metric("purity", known=[([0, 0, 1, 1], [0, 0, 0, 1], 0.75)])
    >>> {result.status for result in results}
    {'passed'}
    """
    subject = _only(metric, "metric")
    subject.known = known
    return _checked(subject, expected_failed_checks)


def checks_of(subject: Subject) -> list[Check]:
    """The checks for a subject, in the order in which they are made."""
    return CHECKS[subject.kind]


def results_of(subject: Subject, expected_failed_checks: Expected | None = None) -> Iterator[CheckResult]:
    """Makes the checks one after the other. One that is expected to fail and passes is a failure."""
    expected = _known(expected_failed_checks or {})
    for check in checks_of(subject):
        result = check.result(subject)
        if check.name in expected:
            if result.status == FAILED:
                result = replace(result, status=EXPECTED, reason=expected[check.name])
            elif result.status == PASSED:
                reason = f"It passes, though it is expected to fail ({expected[check.name]})."
                result = CheckResult(check.name, FAILED, reason, "Take it from expected_failed_checks.")
        yield result


def parametrize_with_checks(
    subjects: Sequence[Any], *, expected_failed_checks: Expected | None = None
) -> Callable[[Any], Any]:
    """Makes one test for pytest of each check on each method, stream or metric, by name, instance or class.

    The test function takes `subject` and `check`, and calls `check(subject)`. Checks that are expected to fail are
    marked so, with their reasons.
    """
    import pytest

    expected = _known(expected_failed_checks or {})
    rows = []
    for subject in (found for given in subjects for found in subjects_of(given)):
        for check in checks_of(subject):
            known = check.name in expected
            marks = [pytest.mark.xfail(reason=expected[check.name], strict=True)] if known else []
            test = partial(_check_or_skip, check)
            rows.append(pytest.param(subject, test, id=f"{subject}-{check.name}", marks=marks))
    return pytest.mark.parametrize(("subject", "check"), rows)


def _check_or_skip(check: Check, subject: Subject) -> None:
    """Makes a check in a test, which is skipped if there is nothing to look at."""
    import pytest

    try:
        check(subject)
    except SkippedError as skipped:
        pytest.skip(str(skipped))


def _only(given: Any, kind: str) -> Any:
    """The subject of that kind that `given` stands for."""
    found = next((subject for subject in subjects_of(given) if subject.kind == kind), None)
    if found is None:
        raise ParameterError(f"{given!r} is no {kind}.")
    return found


def _checked(subject: Subject, expected: Expected | None) -> list[CheckResult]:
    results = list(results_of(subject, expected))
    failed = [f"{result.check}: {result.reason} {result.hint}" for result in results if result.status == FAILED]
    if failed:
        raise AssertionError("\n".join([f"{subject} fails {len(failed)} of {len(results)} checks.", *failed]))
    return results


def _known(expected: Expected) -> Expected:
    """The checks that are expected to fail; ParameterError if one of these names is that of no check."""
    names = [check.name for checks in CHECKS.values() for check in checks]
    for name in expected:
        if name not in names:
            raise ParameterError(f"There is no check '{name}'.{did_you_mean(name, names)}")
    return expected
