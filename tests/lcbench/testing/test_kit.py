"""All checks on broken plugins: each fails those that are listed beside it, and no others."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from lcbench_broken import methods, metrics, sound, streams

import lcbench
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.registry.building import build_metric, build_stream
from lcbench.registry.catalogue import Source
from lcbench.testing import check_clusterer, check_metric, check_stream, parametrize_with_checks
from lcbench.testing.kit import CHECKS, results_of
from lcbench.testing.subjects import MetricSubject, StreamSubject, subjects_of

SOURCE = Source("broken", "lcbench-broken")
OF_THESE_TESTS = (
    "cacheprovider",
    "xdist",
    "cov",
    "slipcover",
    "benchmark",
)  # plugins for tests about tests to leave out


def failures(subject) -> set[str]:
    return {result.check for result in results_of(subject) if result.status == "failed"}


def stream_subject(spec) -> StreamSubject:
    params = {"tasks": 3}
    return StreamSubject("broken-stream", partial(build_stream, spec, params, SOURCE), spec, params)


def metric_subject(spec) -> MetricSubject:
    build = partial(build_metric, spec.factory, {}, SOURCE)
    return MetricSubject("broken-metric", build, spec, metrics.KNOWN if build().kind.value == "external" else ())


@pytest.fixture
def _nothing_left(monkeypatch):
    monkeypatch.setattr("lcbench.testing.process_checks.SECONDS_TO_END", 0.2)  # what is left here stays however long
    methods.ENOUGH.clear()
    yield
    methods.ENOUGH.set()
    while methods.CHILDREN:
        child = methods.CHILDREN.pop()
        child.kill()
        child.wait()


@pytest.mark.usefixtures("_nothing_left")
@pytest.mark.parametrize("broken", methods.FAILS, ids=lambda broken: broken.__name__)
def test_a_broken_method_fails_the_checks_listed_beside_it_and_no_others(broken):
    (subject,) = subjects_of(broken())
    assert failures(subject) == methods.FAILS[broken]


@pytest.mark.parametrize("spec", streams.FAILS, ids=lambda spec: spec.factory.partition(":")[2])
def test_a_broken_stream_fails_the_checks_listed_beside_it_and_no_others(spec):
    assert failures(stream_subject(spec)) == streams.FAILS[spec]


@pytest.mark.parametrize("spec", metrics.FAILS, ids=lambda spec: spec.factory.partition(":")[2])
def test_a_broken_metric_fails_the_checks_listed_beside_it_and_no_others(spec):
    assert failures(metric_subject(spec)) == metrics.FAILS[spec]


def test_every_check_has_a_plugin_that_fails_it():
    broken = [*methods.FAILS.values(), *streams.FAILS.values(), *metrics.FAILS.values(), {"check_spec"}]
    assert {check.name for checks in CHECKS.values() for check in checks} == set.union(*broken)


def test_every_check_says_what_must_hold_and_what_to_do():
    for check in (check for checks in CHECKS.values() for check in checks):
        assert check.summary.endswith(".")
        assert check.hint.endswith(".")


def test_a_sound_method_passes_and_is_left_as_it_was():
    method = sound.Sound(share=0.2)
    before = dict(vars(method))
    results = check_clusterer(method)
    assert {result.check for result in results if result.status != "passed"} == {"check_spec"}
    assert vars(method) == before


def test_all_failures_are_named_together_with_their_hints():
    with pytest.raises(AssertionError) as caught:
        check_clusterer(methods.KeepsEverything())
    first, *lines = str(caught.value).splitlines()
    assert first == "KeepsEverything() fails 2 of 25 checks."
    assert lines[0].startswith("check_promise: KeepsEverything is lifelong, but keeps its data: ")
    assert lines[0].endswith("or say MULTI_TASK.")
    assert lines[1].startswith("check_bounded_state: The state of KeepsEverything grows by ")


def test_a_check_that_is_expected_to_fail_does_not_count_until_it_passes():
    known = {"known": metrics.KNOWN, "expected_failed_checks": {"check_known_values": "it counts in percent"}}
    results = check_metric(metrics.CountsInPercent(), **known)
    (expected,) = [result for result in results if result.status == "expected"]
    assert (expected.check, expected.reason) == ("check_known_values", "it counts in percent")
    with pytest.raises(AssertionError, match=r"It passes, though it is expected to fail \(it counts in percent\)"):
        check_metric(metrics.Sound(), **known)
    with pytest.raises(ParameterError, match=r"no check 'check_know_values'\. Did you mean 'check_known_values'"):
        check_metric(metrics.Sound(), expected_failed_checks={"check_know_values": ""})


def test_a_method_that_refuses_every_task_is_not_said_to_be_good():
    with pytest.raises(AssertionError, match="check_labels: Refuses refused every task, so that nothing was checked"):
        check_clusterer(sound.Refuses())


def test_a_method_can_be_checked_on_tasks_of_its_authors_own(make_task):
    tasks = [make_task(f"mine-{i}", n=20, d=30).task for i in range(2)]
    results = check_clusterer(sound.TakesThirtyFeatures(), tasks=tasks)
    assert {result.check for result in results if result.status == "skipped"} == {
        "check_spec", "check_dense_and_sparse", "check_permuted_rows",
    }  # fmt: skip


def test_streams_and_metrics_are_checked_by_name_too():
    assert {result.status for result in check_stream("topics:documents=12,words=30")} == {"passed", "skipped"}
    assert {result.status for result in check_metric("ari", known=[([0, 0, 1, 1], [0, 1, 0, 1], -0.5)])} == {"passed"}
    with pytest.raises(ParameterError, match="'ari' is no stream"):
        check_stream("ari")
    with pytest.raises(UnknownNameError, match=r"no method, stream or metric 'arii'\. Did you mean 'ari'"):
        check_metric("arii")


@parametrize_with_checks(["ri", lcbench.TaskStream.from_arrays("mine", {"one": ([[1.0], [2.0]], [0, 1])})])
def test_the_tests_that_are_made_for_pytest_pass_on_sound_plugins(subject, check):
    check(subject)


TESTS = """
from lcbench_broken.metrics import CountsInPercent
from lcbench.testing import parametrize_with_checks

known = {"check_known_values": "never skipped", "check_score": "passes all the same"}

@parametrize_with_checks([CountsInPercent()], expected_failed_checks=known)
def test_conformance(subject, check):
    check(subject)

class Raises(CountsInPercent):
    def score(self, table):
        raise ZeroDivisionError

@parametrize_with_checks([Raises], expected_failed_checks={"check_score": "known", "check_best": "known"})
def test_known(subject, check):
    check(subject)
"""


def test_tests_for_pytest_fail_are_skipped_or_are_expected_to_fail(capsys, monkeypatch):
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)  # options of plugins that are left out here
    Path("test_mine.py").write_text(TESTS)
    without = (word for plugin in OF_THESE_TESTS for word in ("-p", f"no:{plugin}"))
    pytest.main(["-q", "-rA", *without, "--import-mode=importlib", "test_mine.py"])
    out = capsys.readouterr().out
    assert "3 failed, 3 passed, 6 skipped, 2 xfailed" in out
    assert "FAILED test_mine.py::test_conformance[CountsInPercent-check_score]" in out  # it passes
    assert "XFAIL test_mine.py::test_known[Raises-check_best] - known" in out
    assert "It raised ZeroDivisionError (test_mine.py:13)." in out
