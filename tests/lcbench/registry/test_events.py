from __future__ import annotations

import copy
import logging

import numpy as np
import pluggy
import pytest
from making import make_record

from lcbench.contract import hookspecs
from lcbench.contract.hookspecs import hookimpl
from lcbench.records.record import Step
from lcbench.registry.events import Events


class Listener:
    """Notes what it hears, and raises if told to."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.heard: list[object] = []
        self.error = error

    @hookimpl
    def lcbench_run_started(self, run):
        self.heard.append(run)
        if self.error is not None:
            raise self.error


class Misspelt:
    @hookimpl
    def lcbench_run_startet(self, run):
        pass


@pytest.fixture
def manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("lcbench")
    manager.add_hookspecs(hookspecs)
    return manager


def test_a_listener_hears_the_events_of_its_own_experiment_only(manager):
    listener, other = Listener(), Listener()
    mine, theirs = Events(manager, [listener]), Events(manager, [other])
    mine.fire("lcbench_run_started", run="mine")
    theirs.fire("lcbench_run_started", run="theirs")
    assert (listener.heard, other.heard) == (["mine"], ["theirs"]), "they get the very objects"


class Textless(BaseException):
    """An error whose text raises too."""

    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("boom"), "ValueError: boom"),
        (SystemExit(3), "SystemExit: 3"),
        (GeneratorExit("gone"), "GeneratorExit: gone"),
        (Textless(), "Textless: it has no text"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_plugin_that_raises_costs_a_warning_that_names_it_and_the_others_hear_the_event(
    manager, caplog, monkeypatch, error, said
):
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)
    others = [Listener(), Listener()]
    manager.register(others[0])
    manager.register(Listener(error), name="dist:bad")
    manager.register(others[1])
    Events(manager).fire("lcbench_run_started", run=make_record("mine"))
    assert [[run.label for run in other.heard] for other in others] == [["mine"], ["mine"]]
    assert caplog.messages == [f"Plugin 'dist:bad' failed in lcbench_run_started: {said}"]


def test_the_interrupt_of_a_user_passes_through_a_plugin(manager):
    manager.register(Listener(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        Events(manager).fire("lcbench_run_started", run=make_record())


class Vandal:
    """A plugin that changes all that it is told of."""

    @hookimpl
    def lcbench_task_learned(self, run, step):
        run.status = "failed"
        run.scores["purity"][0][0] = 1.0
        run.scores["mine"] = [[1.0]]
        run.audit["measure"]["held_bytes"].append(7)
        step.scores.clear()


class Hears:
    @hookimpl
    def lcbench_task_learned(self, run, step):
        self.heard = run, step


def test_a_plugin_gets_copies_so_that_what_it_does_to_them_changes_no_record_and_no_other_plugin(manager):
    record = make_record(audit={"measure": {"held_bytes": [1, 2]}})
    step = Step(
        learned=1, task="a", learn_seconds=0.0, predict_seconds=0.0, pickle_seconds=0.0, metric_seconds=0.0,
        state_bytes=0, scores={"purity": [0.5, None]}, labels={"a": np.zeros(3, int)}, agreement=[],
        largest=[1.0, None], objective_trace=None,
    )  # fmt: skip
    before = copy.deepcopy((record.to_json(), step.scores))
    others = [Hears(), Hears()]
    manager.register(others[0])
    manager.register(Vandal())
    manager.register(others[1])
    listener = Hears()
    Events(manager, [listener]).fire("lcbench_task_learned", run=record, step=step)
    assert (record.to_json(), step.scores) == before
    assert listener.heard == (record, step)
    for other in others:
        run, told = other.heard
        assert run is not record
        assert (run.to_json(), told.scores) == before


def test_an_error_in_the_callers_own_listener_is_raised(manager):
    with pytest.raises(ValueError, match="boom"):
        Events(manager, [Listener(ValueError("boom"))]).fire("lcbench_run_started", run="run")


def test_a_listener_with_a_misspelt_hook_is_refused(manager):
    with pytest.raises(pluggy.PluginValidationError, match="lcbench_run_startet"):
        Events(manager, [Listener(), Misspelt()])
