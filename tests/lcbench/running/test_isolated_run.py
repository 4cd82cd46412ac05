from __future__ import annotations

import contextlib
import itertools
import signal
from pathlib import Path

import numpy as np
import pytest
from plans import plan_runs

import lcbench
from lcbench.audit.label_check import StepError
from lcbench.records.record import CRASHED, FAILED, OK, OUT_OF_MEMORY, TIMEOUT
from lcbench.running.executor import Limits
from lcbench.running.isolated_run import IsolatedRun, describe_end, last_lines
from lcbench.running.parcels import TaskParcels
from lcbench.running.process import End
from lcbench.running.wire import ClosedError

OURS = str(Path(lcbench.__file__).parent)
WHERE = "at task 'b' (2 of 3)"
LIMITS = Limits(timeout=8.0, memory=700_000_000)
LABELS = np.arange(60, dtype="<i8").tobytes()
STEP = {"say": "step", "tasks": [], "learn_seconds": 1.0, "predict_seconds": 0, "pickle_seconds": 0.5, "state_bytes": 9}
MEASURE = {
    "task_bytes": [10, 20], "clusters": [3, 3], "state_bytes_before": 5, "held_bytes": [1, 2], "reachable": [0, 1],
    "first_reachable": {"step": 2, "task": "a"}, "complete": True, "seconds": 0.5,
}  # fmt: skip
SEGFAULT = f"""printed before
Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/site-packages/mine/method.py", line 15 in helper
  File "/site-packages/mine/method.py", line 9 in partial_fit
  File "{Path(OURS, "running", "harness.py")}", line 125 in learn

Extension modules: numpy.core (total: 1)
"""


class Scripted:
    """Takes the place of a server and of a process, which says what it was told to say."""

    is_sealed = False

    def __init__(self, *messages, end=None):
        self.messages = [message if isinstance(message, tuple) else (message, b"") for message in messages]
        self.handed_over, self.killed = [], False
        self._end = end or End("ended", 0, 1.5, 2_000, 3)

    def launch(self, role, job, *, timeout=None, memory=None, private=False):
        return self

    def receive(self, seconds=None, most=0):
        if not self.messages:
            raise ClosedError("end of messages")
        return self.messages.pop(0)

    def send(self, message, content=b"", parcels=()):
        self.handed_over.append(message["name"])

    def paused(self):
        return contextlib.nullcontext()

    def end(self):
        return self._end

    def kill(self):
        self.killed = True
        return self._end

    stop = kill


@pytest.fixture
def scripted(module_stream):
    """A run over two tasks whose process says these messages: its steps, how it ended, and the process."""

    def run(*messages, end=None, most=None, **options):
        (planned,) = plan_runs("one-cluster", module_stream, order=["task-1", "task-2"], baselines=False, **options)
        process = Scripted(*messages, end=end)
        parcels = TaskParcels(planned.stream.tasks(), None, labelled=False)
        isolated = IsolatedRun(planned.assignment(), parcels, process, LIMITS)
        with contextlib.closing(isolated.learned()) as learned:
            steps = list(itertools.islice(learned, most))
        parcels.close()
        return steps, isolated.ending, process

    return run


def want(i):
    return {"say": "want", "task": i}


def test_a_run_that_says_all_is_ok_and_has_what_was_counted_outside_its_process(scripted):
    steps, ending, process = scripted(
        want(0), ({"say": "learned"}, LABELS), STEP, want(1), ({"say": "learned"}, LABELS), want(0),
        ({**STEP, "tasks": [0], "objective_trace": [1, None]}, LABELS), {"say": "finished", "measure": MEASURE},
    )  # fmt: skip
    assert (ending.status, ending.error) == (OK, None)
    assert process.handed_over == ["task-1", "task-2", "task-1"]
    assert [list(step.labels) for step in steps] == [["task-1"], ["task-2", "task-1"]]
    assert steps[1].labels["task-1"].tolist() == list(range(60))
    assert not steps[1].labels["task-1"].flags.writeable
    assert (steps[0].learn_seconds, steps[0].pickle_seconds, steps[1].objective_trace) == (1.0, 0.5, [1.0, None])
    assert (ending.cpu_seconds, ending.peak_bytes, ending.processes_left) == (1.5, 2_000, 3)
    assert ending.audit["measure"] == MEASURE


OWN = ({"say": "learned"}, LABELS)


def test_a_process_is_killed_at_once_if_nobody_asks_for_its_next_step(scripted):
    steps, _, process = scripted(want(0), OWN, STEP, want(1), OWN, most=1)
    assert (len(steps), process.killed) == (1, True)


FORGED = {
    "a task that is not due": [want(1)],
    "a task before the last is labelled": [want(0), OWN, STEP, want(2)],
    "a negative task": [want(-1)],
    "a task by True": [want(0), OWN, STEP, want(True)],
    "a task by its name": [want("task-1")],
    "no task": [{"say": "want"}],
    "too few labels": [({"say": "learned"}, LABELS[:-8])],
    "too many labels": [({"say": "learned"}, LABELS + bytes(8))],
    "half a label": [({"say": "learned"}, LABELS[:-1])],
    "labels twice": [OWN, OWN],
    "a step before labels": [STEP],
    "labels of other tasks": [OWN, ({**STEP, "tasks": [1]}, LABELS)],
    "labels of no tasks": [OWN, {**STEP, "tasks": None}],
    "labels by False": [OWN, STEP, OWN, ({**STEP, "tasks": [False]}, LABELS)],
    "finished early": [OWN, STEP, {"say": "finished", "measure": MEASURE}],
    "no measure": [OWN, STEP, OWN, ({**STEP, "tasks": [0]}, LABELS), {"say": "finished"}],
    "scores": [{"say": "scores", "scores": {}}],
    "nothing": [{}],
    "an unknown word": [{"say": ["finished"]}],
    **{
        f"{name} {value!r:.20}": [OWN, {**STEP, name: value}]
        for name in ("learn_seconds", "predict_seconds", "pickle_seconds")
        for value in (-1, float("nan"), float("inf"), 10**400, "1", None, True)
    },
    **{f"state_bytes {value!r:.20}": [OWN, {**STEP, "state_bytes": value}] for value in (-1, 1.5, 1 << 70, None, True)},
    **{
        f"objectives {value!r:.20}": [OWN, {**STEP, "objective_trace": value}]
        for value in ("x", [float("nan")], [10**400], ["1"], [True], {"a": 1}, [0] * 100_001)
    },
}


@pytest.mark.parametrize("messages", FORGED.values(), ids=FORGED)
def test_a_forged_message_ends_the_run_as_crashed_and_is_named(scripted, messages):
    _, ending, process = scripted(*messages)
    assert ending.status == CRASHED
    assert ending.error.startswith("its process sent no message of lcbench (")
    assert process.killed
    assert "task-3" not in process.handed_over


def test_tasks_that_are_not_due_are_not_handed_over_with_future_only_after_the_first_labels(scripted):
    assert scripted(want(0), want(1), future=True)[2].handed_over == ["task-1"]
    assert scripted(want(0), OWN, want(1), future=True)[2].handed_over == ["task-1", "task-2"]


def test_a_failure_is_told_in_our_words_and_blames_the_method(scripted):
    _, ending, _ = scripted(want(0), {"say": "failed", "kind": "ValueError", "text": "no", "traceback": ["a", "b"]})
    assert (ending.status, ending.traceback) == (FAILED, ["a", "b"])
    assert "raised ValueError: no" in ending.error
    assert ending.error.endswith("at task 'task-1')")


def test_a_process_that_ends_early_crashes_its_run_with_what_it_printed(scripted):
    steps, ending, _ = scripted(want(0), OWN, STEP, end=End("ended", 7, output="last words\n"))
    assert len(steps) == 1
    assert ending.status == CRASHED
    assert ending.error == "its process ended itself with exit code 7 at task 'task-2' (2 of 2)."
    assert ending.traceback == ["last words"]


@pytest.mark.parametrize(
    ("end", "killed", "status", "said"),
    [
        (End("ended", 7), False, CRASHED, "exit code 7"),
        (End("ended", -signal.SIGSEGV), False, CRASHED, f"SIGSEGV {WHERE}. The memory limit was 700.0 MB."),
        (End("ended", -signal.SIGINT), False, CRASHED, f"its process was ended by SIGINT {WHERE}."),
        (End("ended", -signal.SIGKILL), False, CRASHED, "SIGKILL"),
        (End("ended", -signal.SIGKILL), True, OUT_OF_MEMORY, "no memory left"),
        (End("ended", -60), False, CRASHED, "signal 60"),
        (End("closed", -signal.SIGKILL), False, CRASHED, "closed its wire"),
        (End("lost"), False, CRASHED, "supervisor"),
        (End("timeout", -6), False, TIMEOUT, "it took longer than 8 s: stopped"),
        (End("memory", -6, held=800_000_000), False, OUT_OF_MEMORY, "it held 800.0 MB, the limit is 700.0 MB"),
    ],
    ids=str,
)
def test_every_end_has_a_status_and_a_sentence_that_says_where(end, killed, status, said):
    found, sentence = describe_end(end, LIMITS, kernel_killed=killed, where=WHERE)
    assert found == status
    assert said in sentence
    assert WHERE in sentence
    assert ("memory limit" in sentence) is ("memory limit" in said)


def test_the_frames_of_the_method_are_kept_of_a_crash_and_the_last_lines_of_other_output():
    assert last_lines(SEGFAULT) == [
        "Fatal Python error: Segmentation fault",
        "Current thread 0x00007f (most recent call first):",
        '  File "/site-packages/mine/method.py", line 15 in helper',
        '  File "/site-packages/mine/method.py", line 9 in partial_fit',
    ]
    assert last_lines("\n".join(f"line {i}" for i in range(100)) + "\n\n")[-2:] == ["line 98", "line 99"]
    assert last_lines("") == []


def test_one_step_of_an_audit_that_is_forged_or_fails_is_a_step_error(module_stream):
    (planned,) = plan_runs("one-cluster", module_stream, baselines=False)
    parcels = TaskParcels(planned.stream.tasks(), None, labelled=False)

    def step(*messages, end=None):
        return IsolatedRun(planned.assignment(), parcels, Scripted(*messages, end=end), LIMITS).one_step(
            "learn", 1, None
        )

    labels, state, unseen = step(want(1), ({"say": "labels", "unseen": True}, LABELS), ({"say": "state"}, b"state"))
    assert (labels.tolist(), state, unseen) == (list(range(60)), b"state", True)
    for message in (want(0), want(2), {"say": "labels"}, {"say": "state"}, {"say": "finished"}):
        with pytest.raises(StepError, match="no message of lcbench"):
            step(message)
    with pytest.raises(StepError, match="exit code 7"):
        step(end=End("ended", 7))
    parcels.close()
