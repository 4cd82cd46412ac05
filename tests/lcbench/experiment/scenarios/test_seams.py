"""Another executor and another store are a class each, of ten lines: nothing else of lcbench is told of them."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from making import make_stream
from memory_store import Memory
from small_methods import Seeded

import lcbench
from lcbench.experiment.orders import ORDERS, order_kind
from lcbench.experiment.tuning import RULES, TuningRule


class Backwards:
    """Carries out the runs in this process, the last one first."""

    def started(self, runs):
        return nullcontext()

    def execute(self, runs, metrics, audits, events):
        self.done = [planned.run_id for planned in reversed(runs)]
        for planned in reversed(runs):
            yield from lcbench.InProcess().execute([planned], metrics, audits, events)


EXPERIMENT = {"methods": ["random", "kmeans:n_init=1"], "streams": ["digits:tasks=3"], "order": "random", "repeats": 2}


def test_a_toy_executor_makes_the_same_runs_and_labels_as_this_process_and_as_workers():
    toy = Backwards()
    usual, away = lcbench.run(**EXPERIMENT), lcbench.run(**EXPERIMENT, jobs=2)
    made = lcbench.run(**EXPERIMENT, executor=toy)
    assert [run.run_id for run in made] == [run.run_id for run in usual]
    turns = sorted(made, key=lambda run: run.repeat)  # of each repeat all methods, and the last run first
    assert toy.done == [run.run_id for run in reversed(turns)]
    labels = [[run.labels_digest for run in results] for results in (made, usual, away)]
    assert labels[0] == labels[1] == labels[2]


def test_a_store_in_memory_is_resumed_completed_and_tuned_from():
    memory, toy = Memory(), Backwards()
    grid = {"grid": {"kmeans": {"n_init": [1, 2]}}, "tune": "oracle"}
    first = lcbench.run("kmeans", "digits:tasks=2", out=memory, executor=toy, **grid)
    assert set(toy.done) == {run.run_id for run in first.searched}
    assert set(memory) == {run.run_id for run in (*first, *first.searched)}
    again = lcbench.run("kmeans", "digits:tasks=2", out=memory, executor=toy, metrics="silhouette", **grid)
    assert toy.done == []
    assert again[0].choice == first[0].choice
    assert all("silhouette" in memory[run.run_id].scores for run in first.searched)


def test_a_toy_store_is_left_alone_by_what_it_has_already(tmp_path):
    memory = Memory()
    kept = lcbench.run("random", "digits:tasks=2", out=memory)
    stored = lcbench.run("random", "digits:tasks=2", out=tmp_path)
    assert [run.run_id for run in kept] == [run.run_id for run in stored] == list(memory)


@pytest.fixture
def backwards():
    """An order that exists in this test alone."""

    @order_kind("backwards", "the last task first")
    def backwards(names, seed, stream):
        while True:
            yield [names[::-1]]

    yield
    del ORDERS["backwards"]


@pytest.mark.usefixtures("backwards")
def test_a_further_order_is_one_function():
    (run,) = lcbench.run(Seeded(), make_stream(), order="backwards")
    assert run.order == ("task-3", "task-2", "task-1")
    with pytest.raises(lcbench.LcbenchError, match="Did you mean 'backwards'"):
        lcbench.run(Seeded(), make_stream(), order="backward")


def test_a_further_rule_of_tuning_is_one_entry(monkeypatch):
    rule = TuningRule("with labels of the last task", lambda R: R[-1][-1] if R else None)
    monkeypatch.setitem(RULES, "last-task", rule)
    grid = {"kmeans": {"n_init": [1, 2], "unit_rows": [True, False]}}
    results = lcbench.run("kmeans", "digits:tasks=2", grid=grid, tune="last-task", metrics="nmi")
    (tuned,) = results
    assert tuned.label == "kmeans (last-task)"
    assert tuned.choice["run_id"] == max(results.searched, key=lambda run: run.scores["nmi"][-1][-1]).run_id
    assert list(results.gaps[0].means) == ["oracle", "first-task", "silhouette", "last-task"]
