"""Plugins with faults, as their author meets them on the command line: what is said, what it costs, the exit code."""

from __future__ import annotations

import pytest
from one_file_plugins import METHOD

STREAM = "digits:tasks=2,per_class=4"
TALKATIVE = """
print("imported")

import numpy as np

from lcbench import LabelledTask, MetricKind, MetricSpec, StreamSpec, Task, TaskShape, TaskStream, hookimpl


class Talks(TaskStream):
    name = "talks"

    def tasks(self):
        print("made")
        return [LabelledTask(Task("a", np.arange(12.0).reshape(6, 2), 2), [0, 1] * 3)]


class Broken(Talks):
    name = "broken"

    def tasks(self):
        np.linalg.inv(np.zeros((2, 3)))


@hookimpl
def lcbench_register_streams(register):
    print("registered")
    for name in ("talks", "broken"):
        tasks = [TaskShape("a")]  # a list does no harm
        register(StreamSpec(name, f"talkative:{name.title()}", tasks=tasks, digest="1"))


@hookimpl
def lcbench_register_metrics(register):
    register(MetricSpec("misspelt", "talkative:Talkss", MetricKind.EXTERNAL))


@hookimpl
def lcbench_run_started(run):
    print("started")
    run.scores.clear()
"""
KEEPS = METHOD.replace(
    "self.labels_ =", "self.kept = [*getattr(self, 'kept', []), task.X.copy()]\n        self.labels_ ="
)


@pytest.fixture
def talkative(plugin_file):
    return plugin_file("talkative", TALKATIVE)


def test_what_a_plugin_prints_is_not_in_the_json_and_its_faults_are_told_with_their_lines(command, talkative):
    called = command("run", "--plugin", talkative, "-m", "one-cluster", "-s", "talks", "-s", "broken", "--json", "-q")
    assert called.code == 1
    assert [(run["stream"], run["status"]) for run in called.runs] == [("talks", "ok"), ("broken", "failed")]
    assert called.runs[0]["scores"]["purity"] == [[0.5]]
    assert "misspelt" not in called.runs[0]["scores"] or called.runs[0]["scores"]["misspelt"] == [[None]]
    for printed in ("imported", "made", "registered", "started"):
        assert printed in called.err.splitlines()
    line = 1 + TALKATIVE.splitlines().index("        np.linalg.inv(np.zeros((2, 3)))")
    said = "could not make its tasks: LinAlgError: Last 2 dimensions of the array must be square"
    assert f"stream 'broken' of plugin file '{talkative}' {said} (talkative.py:{line})." in called.err
    line = 1 + TALKATIVE.splitlines().index("    run.scores.clear()")
    said = "failed in lcbench_run_started: TypeError: what events tell of is read-only: work on a copy"
    assert said in called.err
    assert f"(talkative.py:{line})" in called.err
    metric = "could not build 'talkative:Talkss': AttributeError: module 'talkative' has no attribute 'Talkss'"
    assert f"Metric 'misspelt' is left out: plugin file '{talkative}' {metric}. Did you mean 'Talks'?" in called.err


def test_a_stream_alone_that_cannot_make_its_tasks_is_one_sentence(command, talkative):
    called = command("run", "--plugin", talkative, "-m", "one-cluster", "-s", "broken")
    assert (called.code, called.out) == (1, "")
    assert called.err.splitlines()[-1].startswith(f"lcbench: stream 'broken' of plugin file '{talkative}' could not ")


def test_a_metric_that_is_asked_for_and_cannot_be_built_is_an_error(command, talkative):
    called = command("run", "--plugin", talkative, "-m", "one-cluster", "-s", "talks", "--metric", "misspelt")
    assert called.code == 2
    assert "Did you mean 'Talks'?" in called.err.splitlines()[-1]


@pytest.mark.parametrize("json", [False, True], ids=["tables", "json"])
def test_a_broken_promise_ends_with_1_and_is_named(command, plugin_file, json):
    called = command(
        "run", "--plugin", plugin_file("keeps", KEEPS), "-m", "keeps", "-s", STREAM, "-q", *(["--json"] if json else [])
    )
    assert called.code == 1
    assert "Promise broken: keeps on digits" in " ".join((called.err if json else called.out).split())


def test_a_method_that_keeps_its_promise_ends_with_0(command, plugin_file):
    assert command("run", "--plugin", plugin_file("honest"), "-m", "honest", "-s", STREAM, "-q").code == 0
