"""Calls the event hooks of plugins and listeners while runs are carried out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Protocol

import pluggy

from lcbench.contract import hookspecs
from lcbench.errors import error_text
from lcbench.registry.host import call_implementation

logger = logging.getLogger(__name__)


class EventSink(Protocol):
    """Anything that events of a run can be reported to."""

    def fire(self, event: str, **arguments: Any) -> None:
        """Report one event, by the name of its hook, with the arguments of that hook."""


def _snapshot(told: Any) -> Any:
    """A copy of a record or step for a plugin, which may do with it what it likes; arrays in it are read-only."""
    values = {field.name: getattr(told, field.name) for field in fields(told)}
    return replace(told, **{name: _copy(value) for name, value in values.items()})


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


class Events:
    """Calls the event hooks of the caller's own listeners, which may raise, and of plugins, whose errors are logged.

    Listeners hear of one experiment only, not of others that run at the same time. They get the records themselves,
    plugins get copies.
    """

    def __init__(self, plugins: pluggy.PluginManager, listeners: Sequence[object] = ()) -> None:
        self._plugins = plugins
        self._listeners = pluggy.PluginManager("lcbench")
        self._listeners.add_hookspecs(hookspecs)
        for listener in listeners:
            self._listeners.register(listener)
        self._listeners.check_pending()

    def fire(self, event: str, **arguments: Any) -> None:
        """Call every implementation of `event`."""
        for implementation in reversed(getattr(self._listeners.hook, event).get_hookimpls()):
            call_implementation(implementation, **arguments)
        for implementation in reversed(getattr(self._plugins.hook, event).get_hookimpls()):
            try:
                call_implementation(implementation, **{name: _snapshot(each) for name, each in arguments.items()})
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                name, reason = implementation.plugin_name, f"{type(error).__name__}: {error_text(error)}"
                logger.warning("Plugin '%s' failed in %s: %s", name, event, reason)
