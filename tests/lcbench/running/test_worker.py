from __future__ import annotations

import json
import logging
import os
import platform
import subprocess
import sys

import hostile_methods
import pytest

import lcbench
from lcbench.records.record import CRASHED, OK
from lcbench.running.messages import MessageError, Setup, receive, send
from lcbench.running.worker_process import START

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has this")
SECONDS = 60


@pytest.fixture
def worker():
    """A worker process to which nothing was sent yet."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", START, json.dumps(sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield process
        process.kill()


def test_a_worker_says_when_it_is_ready_and_ends_by_itself_when_its_pipe_is_closed(worker):
    send(worker.stdin, Setup(parent=os.getpid(), memory_limit=None, log_level=logging.WARNING))
    kind, facts, before = receive(worker.stdout)
    assert (kind, facts["python"]) == ("ready", platform.python_version())
    assert before is None or before > 1_000_000
    worker.stdin.close()
    assert worker.wait(SECONDS) == 0
    with pytest.raises(MessageError, match="end of messages"):
        receive(worker.stdout)


@linux
def test_a_worker_of_another_parent_ends_at_once(worker):
    """The parent may have been killed before its worker was up."""
    send(worker.stdin, Setup(parent=os.getpid() + 1, memory_limit=None, log_level=logging.WARNING))
    assert worker.wait(SECONDS) == 1


def test_a_warning_of_a_method_is_logged_in_the_parent_under_its_label(module_stream, caplog):
    lcbench.run({"mine": hostile_methods.Warns()}, module_stream, jobs=1)
    assert any(message.startswith("mine: UserWarning: something is odd (") for message in caplog.messages)


def test_a_log_message_that_cannot_be_formatted_or_a_closed_output_fails_no_run(module_stream):
    methods = [hostile_methods.LogsBadly(), hostile_methods.ClosesOutput(), hostile_methods.Good()]
    assert [run.status for run in lcbench.run(methods, module_stream, jobs=1)] == [OK, OK, OK]


def test_only_the_first_1000_log_messages_of_a_run_are_shown(module_stream, caplog):
    runs = lcbench.run(
        {"mine": hostile_methods.LogsMuch(), "next": hostile_methods.LogsMuch(shift=1)}, module_stream, jobs=1
    )
    assert [run.status for run in runs] == [OK, OK]
    for label in ("mine", "next"):
        assert sum(message.startswith(f"{label}: message ") for message in caplog.messages) == 1000
        assert f"{label}: only its first 1,000 messages are shown." in caplog.messages


@linux
def test_the_end_of_a_worker_is_noticed_though_a_process_that_it_forked_lives_on(module_stream):
    (run,) = lcbench.run(hostile_methods.LeavesAForkBehind(), module_stream, jobs=1)
    assert run.status == CRASHED
    assert "exit code 7" in run.error


def test_a_metric_that_workers_cannot_load_stops_the_experiment_and_blames_no_method(module_stream, monkeypatch):
    """The parent knows the name; in a worker there is nothing behind it."""
    from lcbench.contract.specs import MetricKind, MetricSpec
    from lcbench.errors import LcbenchError
    from lcbench.registry.catalogue import Source
    from lcbench.registry.host import plugin_host

    spec = MetricSpec("only-here", "lcbench_indices.silhouette:Silhouette", MetricKind.INTERNAL)
    monkeypatch.setitem(plugin_host().registry.metrics._specs, spec.name, spec)
    monkeypatch.setitem(plugin_host().registry.metrics._sources, spec.name, Source("tests", "tests"))
    with pytest.raises(LcbenchError, match="There is no metric 'only-here'"):
        lcbench.run("one-cluster", module_stream, metrics=["purity", "only-here"], jobs=1)
