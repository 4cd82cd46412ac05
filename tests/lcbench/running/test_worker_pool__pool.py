"""Workers survive whatever a method does: it costs its own run only."""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import lcbench
from lcbench import hookimpl
from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import LabelledTask
from lcbench.errors import ParameterError
from lcbench.experiment.limits import make_limits
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.records.store import RunStore

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are for Linux")
SECOND = "at task 'task-2' (2 of 3)"


@pytest.fixture(scope="module")
def methods():
    """The module of hostile methods, under a name that workers can import."""
    folder = str(Path(__file__).parent)
    sys.path.insert(0, folder)
    yield importlib.import_module("hostile_methods")
    sys.path.remove(folder)


@pytest.fixture(scope="module")
def module_stream(request):
    generator = np.random.default_rng(0)
    tasks = [LabelledTask.from_arrays(f"task-{t + 1}", generator.random((60, 12)), np.arange(60) % 3) for t in range(3)]
    return ArrayStream("blobs", tasks)


@pytest.fixture(scope="module")
def outcomes(methods, module_stream):
    """Every hostile method once, good ones between them, two workers, all limits on."""
    hostile = [
        "Segfaults", "LeavesByOsExit", "Raises", "FloodsOutput", "ReadsInput", "HangsInLapack", "EatsMemory",
        "EatsMemoryInChildren", "ClosesEverything", "KillsItself", "Interrupts", "LeavesAChildBehind", "TriesToWrite",
        "HoldsMuch",
    ]  # fmt: skip
    asked = {name: getattr(methods, name)() for name in hostile}
    asked |= {f"good-{i}": methods.Good(number=i) for i in range(4)}
    results = lcbench.run(asked, module_stream, jobs=2, timeout="8s", memory_limit="700MB")
    return {run.label: run for run in results}


@linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("Segfaults", CRASHED, f"its process was ended by SIGSEGV {SECOND}"),
        ("LeavesByOsExit", CRASHED, f"its process ended itself with exit code 7 {SECOND}"),
        ("Raises", FAILED, "raised ValueError: not with this data"),
        ("FloodsOutput", OK, None),
        ("ReadsInput", OK, None),
        ("HangsInLapack", TIMEOUT, f"it took longer than 8 s: stopped {SECOND}"),
        ("EatsMemory", OUT_OF_MEMORY, "raised MemoryError"),
        ("EatsMemoryInChildren", OUT_OF_MEMORY, "the limit is 700.0 MB: stopped"),
        ("ClosesEverything", CRASHED, f"it closed its pipe to lcbench {SECOND}"),
        ("KillsItself", CRASHED, f"its process was killed (SIGKILL) {SECOND}"),
        ("Interrupts", CRASHED, "SIGINT"),
        ("LeavesAChildBehind", FAILED, "raised ValueError: child"),
        ("TriesToWrite", FAILED, "raised ValueError: assignment destination is read-only"),
        ("HoldsMuch", OK, None),
        *((f"good-{i}", OK, None) for i in range(4)),
    ],
)
def test_a_method_costs_its_own_run_and_the_record_says_how_it_ended(outcomes, name, status, said):
    run = outcomes[name]
    assert run.status == status
    assert (run.error is None) if said is None else (said in run.error)
    assert len(run.learn_seconds) == (3 if status == OK else 1)
    assert len(run.scores["purity"]) == len(run.learn_seconds)
    assert run.finished is not None


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", ["Segfaults", "Raises", "HangsInLapack", "Interrupts", "EatsMemory"])
def test_the_record_has_the_last_lines_that_say_where_it_happened(outcomes, name):
    assert any("hostile_methods.py" in line and "misbehave" in line for line in outcomes[name].traceback)
    assert not any("workers" in line and "child.py" in line for line in outcomes[name].traceback)


@linux
@pytest.mark.slow
def test_what_a_failed_method_started_does_not_live_on(outcomes):
    assert_gone(int(outcomes["LeavesAChildBehind"].error.partition("child ")[2].split()[0]))


def assert_gone(pid: int) -> None:
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


@linux
@pytest.mark.slow
def test_the_peak_is_the_runs_own(outcomes):
    much = outcomes["HoldsMuch"].peak_bytes
    after = [outcomes[f"good-{i}"].peak_bytes for i in range(4)]
    assert all(peak is not None and much - 290_000_000 < peak + 20_000_000 for peak in after)
    assert all(much > peak + 250_000_000 for peak in after), "a worker that held much was used again"


class Watch:
    def __init__(self) -> None:
        self.seen: list[tuple] = []

    @hookimpl
    def lcbench_run_started(self, run):
        self.seen.append(("started", run.label, os.getpid()))

    @hookimpl
    def lcbench_task_learned(self, run, step):
        self.seen.append(("learned", run.label, step.task, len(run.learn_seconds)))

    @hookimpl
    def lcbench_run_finished(self, run):
        self.seen.append(("finished", run.label, run.status))


def test_labels_are_those_of_this_process_whatever_the_number_of_workers(module_stream):
    def found(jobs):
        methods = ["l2sc", "kmeans", "random"]
        runs = lcbench.run(methods, module_stream, order="random", repeats=2, jobs=jobs)
        return [(run.run_id, run.labels_digest, run.scores) for run in runs]

    assert found(None) == found(2)


def test_hooks_fire_in_the_parent_and_in_order(module_stream):
    watch = Watch()
    lcbench.run("one-cluster", module_stream, jobs=1, listeners=[watch])
    assert watch.seen == [
        ("started", "one-cluster", os.getpid()),
        *(("learned", "one-cluster", f"task-{i}", i) for i in (1, 2, 3)),
        ("finished", "one-cluster", OK),
    ]


def test_what_a_method_warns_of_is_logged_here_under_its_name(methods, module_stream, caplog):
    lcbench.run({"mine": methods.Warns()}, module_stream, jobs=1)
    assert any(message.startswith("mine: UserWarning: something is odd (") for message in caplog.messages)


def test_a_message_that_cannot_be_formatted_does_not_fail_the_run(methods, module_stream):
    (run,) = lcbench.run(methods.LogsBadly(), module_stream, jobs=1)
    assert run.status == OK


def test_a_flood_of_messages_is_cut_off(methods, module_stream, caplog):
    runs = lcbench.run({"mine": methods.LogsMuch(), "next": methods.LogsMuch(number=1)}, module_stream, jobs=1)
    assert [run.status for run in runs] == [OK, OK]
    for label in ("mine", "next"):
        assert sum(message.startswith(f"{label}: message ") for message in caplog.messages) == 1000
        assert f"{label}: only its first 1,000 messages are shown." in caplog.messages


def test_a_method_that_closes_its_output_costs_nobody_else_a_run(methods, module_stream):
    runs = lcbench.run([methods.ClosesOutput(), methods.Good()], module_stream, jobs=1)
    assert [run.status for run in runs] == [OK, OK]


@linux
def test_a_worker_is_missed_though_a_process_that_it_forked_lives_on(methods, module_stream):
    (run,) = lcbench.run(methods.LeavesAForkBehind(), module_stream, jobs=1)
    assert run.status == CRASHED
    assert "exit code 7" in run.error


@linux
@pytest.mark.slow
def test_memory_is_looked_at_however_much_a_worker_has_to_say(methods):
    tasks = [LabelledTask.from_arrays(f"task-{t + 1}", np.eye(6), np.arange(6) % 3) for t in range(200)]
    stream = ArrayStream("long", tasks)
    method = methods.HoldsMuchInChildrenAndGoesOn()
    (run,) = lcbench.run(method, stream, jobs=1, memory_limit="700MB", evaluate="last")
    assert run.status == OUT_OF_MEMORY
    assert 2 <= len(run.learn_seconds) < 150  # not only in the pause before the last one is scored


@linux
@pytest.mark.slow
def test_what_left_the_session_of_its_worker_is_stopped_too(methods, module_stream):
    runs = lcbench.run([methods.ForksADaemon(), methods.Good()], module_stream, jobs=1)
    assert [run.status for run in runs] == [FAILED, OK]
    assert_gone(int(runs[0].error.partition("child ")[2].split()[0]))


@pytest.mark.slow
def test_two_workers_order_sets_alike(methods, module_stream, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)

    def digest():
        (run,) = lcbench.run(methods.GoesByHash(), module_stream, jobs=1)
        return run.labels_digest

    assert digest() == digest()


def test_a_run_is_finished_before_the_next_of_its_worker_starts(module_stream):
    watch = Watch()
    lcbench.run(["one-cluster", "random"], module_stream, jobs=1, listeners=[watch])
    told = [event[:2] for event in watch.seen if event[0] != "learned"]
    assert told == [(kind, name) for name in ("one-cluster", "random") for kind in ("started", "finished")]


class StopsAtTheSecond:
    def __init__(self) -> None:
        self.started = 0

    @hookimpl
    def lcbench_run_started(self):
        self.started += 1
        if self.started == 2:
            raise RuntimeError("enough")


def test_a_listener_that_raises_at_the_start_of_a_run_does_not_cost_the_one_before(module_stream, tmp_path):
    with pytest.raises(RuntimeError, match="enough"):
        lcbench.run(["one-cluster", "random"], module_stream, jobs=1, out=tmp_path, listeners=[StopsAtTheSecond()])
    assert [entry.label for entry in RunStore(tmp_path).index().values()] == ["one-cluster"]


class HereOnly(lcbench.Clusterer):
    """A class that no other process can import."""

    setting = lcbench.Setting.SINGLE_TASK

    def partial_fit(self, task):
        self.labels_ = np.full(task.n_samples, os.getpid() % 7)
        return self

    def predict(self, task):
        return self.partial_fit(task).labels_


def test_a_class_of_this_process_alone_is_run_in_this_process(module_stream, monkeypatch):
    monkeypatch.setattr(HereOnly, "__module__", "__main__")  # as in a notebook
    monkeypatch.setattr(sys.modules["__main__"], "HereOnly", HereOnly, raising=False)
    (run,) = lcbench.run(HereOnly(), module_stream, jobs=1)
    assert run.status == OK
    assert set(run.labels[0]["task-1"]) == {os.getpid() % 7}


@linux
def test_a_limit_that_leaves_no_room_for_the_worker_itself_is_refused(module_stream):
    with pytest.raises(ParameterError, match="too small"):
        lcbench.run("one-cluster", module_stream, memory_limit="1MB")


@pytest.mark.parametrize("arguments", [{"jobs": 0}, {"jobs": True}, {"jobs": "2"}])
def test_a_number_of_jobs_that_is_none_is_refused(module_stream, arguments):
    with pytest.raises(ParameterError, match="jobs takes a whole number"):
        lcbench.run("one-cluster", module_stream, **arguments)


def test_more_jobs_than_cores_get_a_warning(caplog, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    make_limits(2, 1, None, None)
    assert any("more than the 1 core" in message for message in caplog.messages)


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
