from __future__ import annotations

import pickle
import random
import sys
from types import ModuleType

import numpy as np
import pytest
from making import make_task

from lcbench.audit.label_check import StepError
from lcbench.audit.verdict import verdict_of
from lcbench.running.harness import replay
from lcbench.running.isolation import Isolated, repeats
from lcbench.running.randomness import GlobalGenerators

FIRST = make_task("task-1").task


def labels_of(method, tasks):
    return [{task: list(labels) for task, labels in step.labels.items()} for step in replay(method, tasks, {})]


def test_an_honest_method_has_the_same_labels_when_isolated(cheats, blob_stream):
    tasks = blob_stream.tasks()
    assert labels_of(Isolated.of(cheats.Lifelong(), 1), tasks) == labels_of(cheats.Lifelong(), tasks)


def test_a_method_that_counts_its_tasks_in_its_class_starts_anew_at_every_task(cheats, blob_stream, monkeypatch):
    def counted(method):
        monkeypatch.setattr(cheats.Counts, "learned", [])
        return [step[f"task-{i + 1}"][0] for i, step in enumerate(labels_of(method, blob_stream.tasks()))]

    assert counted(cheats.Counts()) == [1, 2, 3]
    assert counted(Isolated.of(cheats.Counts(), 1)) == [1, 1, 1]


def test_the_method_itself_is_never_touched(cheats):
    method = cheats.Lifelong()
    isolated = Isolated.of(method, 1).partial_fit(FIRST)
    assert vars(method) == {}
    assert pickle.loads(isolated.state).level_ == pytest.approx(FIRST.X.sum())


def test_draws_from_the_global_generators_go_on_where_a_run_in_this_process_would_be(cheats):
    with GlobalGenerators(7):
        expected = cheats.Draws().partial_fit(FIRST).labels_
        after = random.random(), np.random.random()  # noqa: NPY002
    with GlobalGenerators(7):
        found = Isolated.of(cheats.Draws(), 1).partial_fit(FIRST).labels_
        assert (random.random(), np.random.random()) == after  # noqa: NPY002
    np.testing.assert_array_equal(found, expected)


def test_a_state_that_cannot_be_unpickled_after_a_task_is_an_error_of_the_method(cheats):
    isolated = Isolated.of(cheats.Lifelong(), 1).partial_fit(FIRST)
    isolated.state = b"cnowhere\nMethod\n."
    with pytest.raises(StepError, match="its state could not be unpickled: ModuleNotFoundError"):
        isolated.partial_fit(make_task("task-2").task)


@pytest.mark.parametrize(
    ("name", "again", "expected"),
    [("Lifelong", {}, True), ("NeverTheSame", {}, False), ("Ends", {"how": "raise"}, None)],
)
def test_a_run_is_repeated_in_a_process_of_its_own_to_see_if_its_labels_stay(
    cheats, audited, blob_stream, name, again, expected
):
    record = audited(cheats.Lifelong() if again else getattr(cheats, name)(), blob_stream)
    method = getattr(cheats, name)(**again)
    assert repeats(method, GlobalGenerators(0), blob_stream.tasks(), record) is expected


def passed(record):
    return record.audit["isolate"]["passed"], record.audit["poison"]["passed"]


def test_an_audited_run_has_the_labels_of_an_ordinary_one(cheats, audited, blob_stream):
    for method in ("l2sc", cheats.Draws()):
        plain = audited(method, blob_stream)
        full = audited(method, blob_stream, "isolate", "poison")
        assert plain.labels_digest == full.labels_digest
        assert passed(full) == (True, True)


@pytest.mark.parametrize("options", [{"evaluate": "last"}, {"future": True}, {"evaluate": "every:2"}], ids=str)
def test_an_audit_compares_the_cells_that_were_evaluated(cheats, audited, blob_stream, options):
    record = audited(cheats.Lifelong(), blob_stream, "isolate", "poison", **options)
    assert passed(record) == (True, True)


def test_a_method_that_only_this_process_knows_cannot_be_isolated_and_is_not_accused(
    cheats, audited, blob_stream, monkeypatch
):
    module = ModuleType("only_here")
    module.Local = type("Local", (cheats.Lifelong,), {"__module__": "only_here"})
    monkeypatch.setitem(sys.modules, "only_here", module)
    record = audited(module.Local(), blob_stream, "isolate")
    assert record.audit["isolate"]["passed"] is None
    assert "cannot rebuild the method: ModuleNotFoundError" in record.audit["isolate"]["reason"]
    assert verdict_of(record).within_promise is True
