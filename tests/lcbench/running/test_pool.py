"""A method fails its own run only, whatever it does; events fire here, in order."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hostile_methods
import pytest
from making import make_stream

import lcbench
from lcbench import hookimpl
from lcbench.errors import ParameterError
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.records.store import RunStore

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are for Linux")
SECOND = "at task 'task-2' (2 of 3)"
OURS = str(Path(lcbench.__file__).parent)


@pytest.fixture(scope="module")
def outcomes(module_stream):
    """Every hostile method once, good ones between them, two at a time, all limits on."""
    names = [
        "Segfaults", "LeavesByOsExit", "Raises", "FloodsOutput", "ReadsInput", "HangsInLapack", "EatsMemory",
        "EatsMemoryInChildren", "ClosesEverything", "KillsItself", "Interrupts", "LeavesAChildBehind", "TriesToWrite",
        "HoldsMuch", "LeavesAForkBehind", "ForksADaemon",
    ]  # fmt: skip
    asked = {name: getattr(hostile_methods, name)() for name in names}
    asked |= {f"good-{i}": hostile_methods.Good(shift=i) for i in range(4)}
    results = lcbench.run(asked, module_stream, jobs=2, timeout="15s", memory_limit="700MB")
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
        ("HangsInLapack", TIMEOUT, f"it took longer than 15 s: stopped {SECOND}"),
        ("EatsMemory", OUT_OF_MEMORY, "raised MemoryError"),
        ("EatsMemoryInChildren", OUT_OF_MEMORY, "the limit is 700.0 MB: stopped"),
        ("ClosesEverything", CRASHED, f"it closed its wire to lcbench {SECOND}"),
        ("KillsItself", CRASHED, f"its process was killed (SIGKILL) {SECOND}"),
        ("Interrupts", FAILED, "raised KeyboardInterrupt"),
        ("LeavesAChildBehind", FAILED, "raised ValueError: child"),
        ("LeavesAForkBehind", CRASHED, "exit code 7"),
        ("ForksADaemon", FAILED, "raised ValueError: child"),
        ("TriesToWrite", FAILED, "raised ValueError: assignment destination is read-only"),
        ("HoldsMuch", OK, None),
        *((f"good-{i}", OK, None) for i in range(4)),
    ],
)
def test_a_method_fails_its_own_run_only_and_the_record_says_how_it_ended(outcomes, name, status, said):
    run = outcomes[name]
    assert run.status == status
    assert (run.error is None) if said is None else (said in run.error)
    assert len(run.learn_seconds) == (3 if status == OK else 1)
    assert len(run.scores["purity"]) == len(run.learn_seconds)
    assert run.finished is not None


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", ["Segfaults", "Raises", "HangsInLapack", "Interrupts", "EatsMemory"])
def test_the_traceback_in_the_record_shows_the_method_and_not_our_own_code(outcomes, name):
    assert any("hostile_methods.py" in line and "misbehave" in line for line in outcomes[name].traceback)
    assert not any(OURS in line for line in outcomes[name].traceback)


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", ["LeavesAChildBehind", "ForksADaemon"])
def test_a_process_that_a_failed_method_started_is_ended_and_counted(outcomes, assert_gone, name):
    assert_gone(int(outcomes[name].error.partition("child ")[2].split()[0]))
    assert outcomes[name].processes_left == 1
    assert outcomes["good-0"].processes_left == 0


@linux
@pytest.mark.slow
def test_the_peak_memory_of_a_run_does_not_include_other_runs(outcomes):
    much = outcomes["HoldsMuch"].peak_bytes
    assert all(much > outcomes[f"good-{i}"].peak_bytes + 250_000_000 for i in range(4))


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


def test_one_job_and_two_give_the_same_records(module_stream):
    def found(jobs):
        methods = ["l2sc", "kmeans:n_init=1", "random"]
        runs = lcbench.run(methods, module_stream, order="random", repeats=2, jobs=jobs, solo=False)
        return [(run.run_id, run.labels_digest, run.scores, run.agreement, run.isolated) for run in runs]

    assert found(1) == found(2)


def test_hooks_fire_here_and_in_order_run_by_run(module_stream):
    watch = Watch()
    lcbench.run(["one-cluster", "random"], module_stream, jobs=1, listeners=[watch])
    assert watch.seen == [
        event
        for name in ("one-cluster", "random")
        for event in (
            ("started", name, os.getpid()),
            *(("learned", name, f"task-{i}", i) for i in (1, 2, 3)),
            ("finished", name, OK),
        )
    ]


def test_with_two_jobs_the_events_of_each_run_are_in_order(module_stream):
    watch = Watch()
    lcbench.run(["one-cluster", "random", "kmeans"], module_stream, jobs=2, listeners=[watch])
    for name in ("one-cluster", "random", "kmeans"):
        seen = [event[0] for event in watch.seen if event[1] == name]
        assert seen == ["started", "learned", "learned", "learned", "finished"]


class StopsAtTheSecond:
    def __init__(self) -> None:
        self.started = 0

    @hookimpl
    def lcbench_run_started(self):
        self.started += 1
        if self.started == 2:
            raise RuntimeError("enough")


def test_a_listener_that_raises_at_the_start_of_a_run_does_not_lose_the_run_before(module_stream, tmp_path):
    with pytest.raises(RuntimeError, match="enough"):
        lcbench.run(["one-cluster", "random"], module_stream, jobs=1, out=tmp_path, listeners=[StopsAtTheSecond()])
    assert [entry.label for entry in RunStore(tmp_path).index().values()] == ["one-cluster"]
    (run,) = lcbench.run("random", module_stream)
    assert run.status == OK, "the server serves the next experiment"


@linux
def test_a_memory_limit_that_is_too_small_for_any_process_is_refused(module_stream):
    with pytest.raises(ParameterError, match="too small"):
        lcbench.run("one-cluster", module_stream, memory_limit="1MB")


@linux
@pytest.mark.slow
def test_memory_is_checked_while_a_process_keeps_sending_messages():
    stream = make_stream("long", tasks=200, n=6, d=6)
    method = hostile_methods.HoldsMuchInChildrenAndGoesOn()
    (run,) = lcbench.run(method, stream, memory_limit="700MB", evaluate="last")
    assert run.status == OUT_OF_MEMORY
    assert 2 <= len(run.learn_seconds) < 150  # not only in the pause before the last one is scored


def test_sets_of_texts_have_the_same_order_in_all_processes(module_stream, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    digests = {lcbench.run(hostile_methods.GoesByHash(), module_stream)[0].labels_digest for _ in range(2)}
    assert len(digests) == 1
