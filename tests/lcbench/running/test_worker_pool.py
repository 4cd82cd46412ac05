"""Workers survive whatever a method does: it fails its own run only."""

from __future__ import annotations

import os
import signal
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
from lcbench.running.worker_pool import describe_end, last_lines

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are for Linux")
SECOND = "at task 'task-2' (2 of 3)"
OURS = str(Path(lcbench.__file__).parent)
WORKER = str(Path(OURS, "running", "worker.py"))
WHERE = "at task 'b' (2 of 3)"
SEGFAULT = f"""printed before
Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/site-packages/mine/method.py", line 15 in helper
  File "/site-packages/mine/method.py", line 9 in partial_fit
  File "{Path(OURS, "running", "harness.py")}", line 125 in _learn
  File "{WORKER}", line 32 in main

Extension modules: numpy.core (total: 1)
"""


@pytest.mark.parametrize(
    ("code", "killed", "status", "said"),
    [
        (7, False, CRASHED, "exit code 7"),
        (-signal.SIGSEGV, False, CRASHED, "SIGSEGV"),
        (-signal.SIGKILL, False, CRASHED, "SIGKILL"),
        (-signal.SIGKILL, True, OUT_OF_MEMORY, "no memory left"),
        (-60, False, CRASHED, "signal 60"),
        (None, False, CRASHED, "closed its pipe"),
    ],
)
def test_every_end_has_a_status_and_a_sentence_that_says_where(code, killed, status, said):
    found, sentence = describe_end(code, memory_limit=None, kernel_killed=killed, where=WHERE)
    assert found == status
    assert said in sentence
    assert WHERE in sentence


def test_the_frames_of_the_method_are_kept_of_a_crash():
    assert last_lines(SEGFAULT) == [
        "Fatal Python error: Segmentation fault",
        "Current thread 0x00007f (most recent call first):",
        '  File "/site-packages/mine/method.py", line 15 in helper',
        '  File "/site-packages/mine/method.py", line 9 in partial_fit',
    ]


def test_the_last_lines_are_kept_of_other_output():
    assert last_lines("\n".join(f"line {i}" for i in range(100)) + "\n\n")[-2:] == ["line 98", "line 99"]
    assert last_lines("") == []


@pytest.fixture(scope="module")
def outcomes(module_stream):
    """Every hostile method once, good ones between them, two workers, all limits on."""
    names = [
        "Segfaults", "LeavesByOsExit", "Raises", "FloodsOutput", "ReadsInput", "HangsInLapack", "EatsMemory",
        "EatsMemoryInChildren", "ClosesEverything", "KillsItself", "Interrupts", "LeavesAChildBehind", "TriesToWrite",
        "HoldsMuch",
    ]  # fmt: skip
    asked = {name: getattr(hostile_methods, name)() for name in names}
    asked |= {f"good-{i}": hostile_methods.Good(shift=i) for i in range(4)}
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
def test_the_traceback_in_the_record_shows_the_method_and_not_the_worker(outcomes, name):
    assert any("hostile_methods.py" in line and "misbehave" in line for line in outcomes[name].traceback)
    unwanted = WORKER if name == "Interrupts" else OURS  # Python itself prints the end of an interrupted program
    assert not any(unwanted in line for line in outcomes[name].traceback)


@linux
@pytest.mark.slow
def test_a_process_that_a_failed_method_started_is_killed(outcomes, assert_gone):
    assert_gone(int(outcomes["LeavesAChildBehind"].error.partition("child ")[2].split()[0]))


@linux
@pytest.mark.slow
def test_the_peak_memory_of_a_run_does_not_include_earlier_runs_of_its_worker(outcomes):
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


def test_runs_by_workers_have_the_same_ids_labels_and_scores_as_runs_in_this_process(module_stream):
    def found(jobs):
        methods = ["l2sc", "kmeans", "random"]
        runs = lcbench.run(methods, module_stream, order="random", repeats=2, jobs=jobs)
        return [(run.run_id, run.labels_digest, run.scores) for run in runs]

    assert found(None) == found(2)


def test_hooks_fire_in_the_parent_and_in_order_run_by_run(module_stream):
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


@linux
@pytest.mark.slow
def test_memory_is_checked_while_a_worker_keeps_sending_messages():
    stream = make_stream("long", tasks=200, n=6, d=6)
    method = hostile_methods.HoldsMuchInChildrenAndGoesOn()
    (run,) = lcbench.run(method, stream, jobs=1, memory_limit="700MB", evaluate="last")
    assert run.status == OUT_OF_MEMORY
    assert 2 <= len(run.learn_seconds) < 150  # not only in the pause before the last one is scored


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


@linux
def test_a_memory_limit_that_is_too_small_for_the_worker_itself_is_refused(module_stream):
    with pytest.raises(ParameterError, match="too small"):
        lcbench.run("one-cluster", module_stream, memory_limit="1MB")
