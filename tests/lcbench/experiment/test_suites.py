from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from small_suite import FILE, METHODS, write_suite

from lcbench.errors import SuiteError, UnknownNameError
from lcbench.experiment.pipeline import prepare
from lcbench.experiment.suites import Suite, read_suite, suite_of
from lcbench.registry.host import plugin_host


def planned(suite, *methods):
    """Stream, order, repeat and parameters of every run, and if it learns one task alone."""
    return {
        (run.like.stream_label, run.order, run.repeat, run.like.label, run.solo)
        for run in prepare(*suite.experiments(list(methods or METHODS))).plan
    }


def test_a_suite_is_found_by_its_name(small_suite):
    assert read_suite("small-1").file == small_suite.file
    with pytest.raises(UnknownNameError, match=r"There is no suite 'small-2'\. Did you mean 'small-1'"):
        read_suite("small-2")


def test_a_suite_becomes_runs_of_every_method_on_each_stream_in_its_orders(small_suite):
    runs = planned(small_suite)
    whole = [run for run in runs if not run[4]]
    assert sorted((stream, repeat, label) for stream, _, repeat, label, _ in whole) == sorted(
        (stream, repeat, label) for label in METHODS for stream, repeat in (("digits", 0), ("digits", 1), ("words", 0))
    )
    orders = {order for stream, order, *_ in whole if stream == "digits"}
    assert len(orders) == 2, "random, and the same for all methods"
    assert {order for stream, order, *_ in whole if stream == "words"} == {("task-1", "task-2")}
    alone = [(stream, order[0], repeat, label) for stream, order, repeat, label, solo in runs if solo]
    assert sorted(alone) == sorted(
        (stream, task, repeat, "mini-batch-kmeans")
        for stream, tasks, repeats in (("digits", 3, 2), ("words", 2, 1))
        for task in (f"task-{t + 1}" for t in range(tasks))
        for repeat in range(repeats)
    )


def test_the_quick_version_is_a_part_of_the_whole_suite(small_suite):
    quick, whole = planned(Suite(small_suite.file, quick=True)), planned(small_suite)
    assert quick < whole
    assert {(stream, repeat) for stream, _, repeat, *_ in quick} == {("digits", 0)}
    assert Suite(small_suite.file, quick=True).digest == small_suite.digest


def test_experiments_have_all_that_the_suite_freezes_and_no_baseline(small_suite):
    for experiment in small_suite.experiments(["l2sc"], jobs=2):
        assert (experiment.seed, experiment.metrics) == (3, ("ari", "nmi"))
        assert (experiment.solo, experiment.sealed) == (True, False)
        assert (experiment.timeout, experiment.memory_limit, experiment.threads) == (300, 2 * 10**9, 1)
        assert (experiment.evaluate, experiment.baselines, experiment.jobs) == ("all", False, 2)
        assert experiment.name == small_suite.tag == f"small-1@{small_suite.digest[:12]}"


def test_a_user_may_seal_runs_of_a_suite_that_does_not_ask_for_it_but_not_the_other_way_round(small_suite):
    assert all(experiment.sealed for experiment in small_suite.experiments("l2sc", sealed=True))
    sealed = Suite(small_suite.file.model_copy(update={"sealed": True}))
    assert all(experiment.sealed for experiment in sealed.experiments("l2sc", sealed=False))


def test_the_digest_depends_on_all_that_is_said_and_not_on_how_it_is_written(tmp_path, small_suite):
    again = write_suite(tmp_path, "# a comment\n" + FILE.replace("seed = 3", "seed  =  3"))
    assert suite_of(again).digest == small_suite.digest
    content = tomllib.loads(FILE)
    assert small_suite.file.model_dump(exclude_unset=True) == content
    for old, new in (("seed = 3", "seed = 4"), ('"5min"', '"6min"'), ("per_class = 8", "per_class = 9")):
        assert suite_of(write_suite(tmp_path, FILE.replace(old, new))).digest != small_suite.digest


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('digest = "digits-1"', 'digest = "digits-2"', "has the digest 'digits-1', and the suite 'digits-2'"),
        ("classes = [3, 5, 8], ", "", "stream 'digits' of plugin 'streams' of distribution 'lcbench' .* takes classes"),
        ('digest = "digits-1"\ntasks = 3', 'digest = "digits-1"\ntasks = 4', "has 3 tasks, and the suite 4"),
        ('stream = "digits"', 'stream = "digitz"\nlabel = "digits"', "There is no stream 'digitz'. Did you mean"),
        ("per_class = 8", "per_class = 0", "per_class takes a whole number from 1"),
    ],
)
def test_a_stream_that_is_not_that_of_the_suite_is_refused(tmp_path, old, new, said):
    assert old in FILE
    suite = suite_of(write_suite(tmp_path, FILE.replace(old, new)))
    with pytest.raises(SuiteError, match=f"^Suite 'small-1' cannot be run here: .*{said}"):
        suite.experiments(["l2sc"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed = 3\n", "", "'seed' is missing"),
        ("seed = 3", "seed = -1", "seed must be a whole number of at least 0, not -1"),
        ('name = "small-1"', 'name = "other"', "name is 'other', and the suite is registered as 'small-1'"),
        ('"5min"', '"long"', "budget.time must be a duration above 0"),
        ('order = "fixed"', 'order = "sorted"', "streams.2.order must be one of fixed, random, all, leave-one-out"),
        ('label = "words"', 'label = "digits"', "two streams are called 'digits': give one of them a label"),
        ('streams = ["digits"]', 'streams = ["digit"]', "there is no stream 'digit'. Did you mean 'digits'"),
        ("repeats = 1\nminutes = 1", "repeats = 3\nminutes = 1", "quick.repeats is 3, and 'digits' has 2"),
        ('"ari", "nmi"', '"ari", "nim"', "metrics: There is no metric 'nim'"),
        ('"ari", "nmi"', '"ari", "ari"', "metrics names one of them twice"),
        ("solo = true", "solo = true\nfancy = 1", "there is no setting 'fancy'"),
        ('evaluate = "all"', 'evaluate = "now"', "evaluate must be all, last or every:N"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_place(tmp_path, old, new, said):
    assert old in FILE
    with pytest.raises(SuiteError) as refused:
        suite_of(write_suite(tmp_path, FILE.replace(old, new)))
    assert str(refused.value).startswith("The file 'small-1.toml' of suite 'small-1': ")
    assert said in str(refused.value)


def test_a_suite_is_registered_beside_methods_and_streams_by_a_plugin():
    registry = plugin_host().registry
    assert registry.suites.source("lifelong-1").distribution == "lcbench"
    with pytest.raises(UnknownNameError, match="'lifelong-1' is a suite: 'lcbench suite info lifelong-1' shows it"):
        registry.holding("lifelong-1")
    assert "lifelong-1" not in registry.without(registry.suites.source("lifelong-1")).suites


def test_a_file_that_is_not_there_is_said(tmp_path):
    spec = replace(write_suite(tmp_path), file=tmp_path / "gone.toml")
    with pytest.raises(SuiteError, match=r"The file 'gone\.toml' of suite 'small-1': there is no such file"):
        suite_of(spec)
