from __future__ import annotations

import os
import re
import sys

import numpy as np
import pytest
from plans import plan_runs
from small_methods import ByTurns

from lcbench.audit.label_check import StepError
from lcbench.running.executor import Limits
from lcbench.running.isolated_run import IsolatedRun
from lcbench.running.parcels import TaskParcels
from lcbench.running.replays import audited as replayed
from lcbench.running.replays import learned_and_audited


@pytest.fixture
def isolated(server):
    """A run in processes, not yet begun."""
    made = []

    def make(method, stream, **options):
        (planned,) = plan_runs(method, stream, baselines=False, **options)
        made.append(TaskParcels(planned.stream.tasks(), None, labelled=False))
        return IsolatedRun(planned.assignment(), made[-1], server, Limits())

    yield make
    for each in made:
        each.close()


def labels_of(run):
    return [step.labels for step in run.learned()]


def audit_of(run, mode, ordinary):
    """The audit of a run whose steps were these."""
    labels, sizes = [step.labels for step in ordinary], [step.state_bytes for step in ordinary]
    return replayed(mode, run, labels, sizes, reachable=False)


def passed(run, *modes):
    ordinary = list(run.learned())
    return [audit_of(run, mode, ordinary)["passed"] for mode in modes]


def test_draws_from_the_global_generators_go_on_where_the_ordinary_run_was(cheats, isolated, blob_stream):
    run = isolated(cheats.Draws(), blob_stream)
    steps, state = list(run.learned()), None
    ordinary = [step.labels for step in steps]
    for i in range(3):
        labels, state, _ = run.one_step("learn", i, state)
        np.testing.assert_array_equal(labels, ordinary[i][f"task-{i + 1}"])
    assert audit_of(run, "isolate", steps)["passed"]


@pytest.mark.parametrize("options", [{"evaluate": "last"}, {"future": True}, {"evaluate": "every:2"}], ids=str)
def test_an_honest_method_passes_both_audits_which_compare_what_was_evaluated(cheats, isolated, blob_stream, options):
    assert passed(isolated(cheats.Lifelong(), blob_stream, **options), "isolate", "poison") == [True, True]


def test_a_method_that_counts_its_tasks_in_its_class_starts_anew_at_every_task(cheats, isolated, blob_stream):
    run = isolated(cheats.Counts(), blob_stream)
    steps = list(run.learned())
    ordinary = [step.labels for step in steps]
    assert [step[f"task-{i + 1}"][0] for i, step in enumerate(ordinary)] == [1, 2, 3], "a run has one process"
    state = None
    for i in range(3):
        labels, state, _ = run.one_step("learn", i, state)
        assert set(labels) == {1}
    result = audit_of(run, "isolate", steps)
    assert (result["passed"], result["step"], result["task"], result["repeats"]) == (False, 2, "task-2", True)


class KnowsWhoAsks(ByTurns):
    """Adds what it hid to its state where that is handed to the next process, and not where it is measured."""

    def __getstate__(self):
        frame, callers = sys._getframe(), set()
        while frame is not None:
            callers.add(frame.f_code.co_name)
            frame = frame.f_back
        return {**vars(self), "hidden": bytes(50_000)} if "_one_step" in callers else vars(self)


def test_a_state_that_is_larger_where_it_is_needed_than_where_it_is_measured_is_seen(isolated, blob_stream):
    run = isolated(KnowsWhoAsks(), blob_stream)
    result = audit_of(run, "isolate", list(run.learned()))
    assert (result["passed"], result["step"], result["task"]) == (False, 1, "task-1")
    assert re.fullmatch(r"it hands over a state of 50\.\d kB here, and of \d+ B in the run itself", result["error"])


class ByProcess(ByTurns):
    """Its labels are the process that makes them, and the tasks that it has seen."""

    seen = 0

    def predict(self, task):
        type(self).seen += 1
        return np.array([os.getpid(), type(self).seen] * 30)


def test_every_step_and_every_prediction_has_a_process_of_its_own(isolated, blob_stream):
    run = isolated(ByProcess(), blob_stream)
    first, state, _ = run.one_step("learn", 0, None)
    found = [first, *(run.one_step(what, i, state)[0] for what in ("learn", "predict") for i in (0, 1))]
    assert len({labels[0] for labels in found}) == 5
    assert {labels[1] for labels in found} == {1}
    assert os.getpid() not in {labels[0] for labels in found}


def test_a_state_that_cannot_be_unpickled_is_an_error_of_the_method(cheats, isolated, blob_stream):
    with pytest.raises(StepError, match="its state could not be unpickled: ModuleNotFoundError"):
        isolated(cheats.Lifelong(), blob_stream).one_step("learn", 1, b"cnowhere\nMethod\n.")


@pytest.mark.parametrize(
    ("how", "said"),
    [pytest.param("signal", "ended by SIGSEGV", marks=pytest.mark.slow), ("exit", "exit code 7"), ("raise", "no more")],
)
def test_a_step_that_fails_says_how_and_the_next_one_is_served(cheats, isolated, blob_stream, how, said):
    with pytest.raises(StepError, match=said):
        isolated(cheats.Ends(how=how), blob_stream).one_step("learn", 0, None)
    assert len(isolated(cheats.Lifelong(), blob_stream).one_step("learn", 0, None)[0]) == 60


def test_a_method_that_keeps_the_arrays_it_was_lent_fails_under_poison(cheats, isolated, blob_stream):
    run = isolated(cheats.Keeps(what="task"), blob_stream)
    result = replayed("poison", run, labels_of(run), [], reachable=True)
    assert (result["passed"], result["step"]) == (False, 2)
    assert "repeats" not in result, "it is known to keep its tasks: no need to ask"


def test_printing_and_reading_by_a_method_disturbs_nothing(cheats, isolated, blob_stream, capfd):
    assert passed(isolated(cheats.Talks(), blob_stream), "isolate") == [True]
    assert capfd.readouterr() == ("", "")


def test_a_run_with_its_audits_ends_as_the_run_did_not_as_its_replays(isolated, module_stream):
    run = isolated("kmeans", module_stream)
    steps = list(learned_and_audited(run, ["measure", "isolate", "poison"]))
    assert [step.learned for step in steps] == [1, 2, 3]
    assert {mode: found.get("passed") for mode, found in run.ending.audit.items()} == {
        "measure": None, "isolate": True, "poison": True,
    }  # fmt: skip
    assert run.ending.cpu_seconds > 0
