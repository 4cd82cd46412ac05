from __future__ import annotations

import logging

import pluggy
import pytest

from lcbench.contract import hookspecs
from lcbench.contract.hookspecs import hookimpl
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
    assert (listener.heard, other.heard) == (["mine"], ["theirs"])


def test_a_plugin_that_raises_costs_a_warning_that_names_it_and_the_others_hear_the_event(manager, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)
    others = [Listener(), Listener()]
    manager.register(others[0])
    manager.register(Listener(ValueError("boom")), name="dist:bad")
    manager.register(others[1])
    Events(manager).fire("lcbench_run_started", run="run")
    assert [other.heard for other in others] == [["run"], ["run"]]
    assert caplog.messages == ["Plugin 'dist:bad' failed in lcbench_run_started: ValueError: boom"]


def test_an_error_in_the_callers_own_listener_is_raised(manager):
    with pytest.raises(ValueError, match="boom"):
        Events(manager, [Listener(ValueError("boom"))]).fire("lcbench_run_started", run="run")


def test_a_listener_with_a_misspelt_hook_is_refused(manager):
    with pytest.raises(pluggy.PluginValidationError, match="lcbench_run_startet"):
        Events(manager, [Listener(), Misspelt()])
