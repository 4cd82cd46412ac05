"""Telling listeners what happens in a run."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pluggy

from lcbench.plugins import call_implementation

logger = logging.getLogger(__name__)


class Events:
    """Fires the event hooks. A plugin that raises costs a warning; a listener of the caller's own raises."""

    def __init__(self, manager: pluggy.PluginManager, listeners: Sequence[object] = ()) -> None:
        self._manager = manager
        self._listeners = tuple(listeners)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """The caller's listeners hear the events inside this context."""
        registered = []
        try:
            for listener in self._listeners:
                self._manager.register(listener)
                registered.append(listener)
            self._manager.check_pending()
            yield
        finally:
            for listener in registered:
                self._manager.unregister(listener)

    def fire(self, event: str, **arguments: Any) -> None:
        """Call every implementation of `event`."""
        for implementation in reversed(getattr(self._manager.hook, event).get_hookimpls()):
            try:
                call_implementation(implementation, **arguments)
            except (Exception, SystemExit) as error:
                if any(implementation.plugin is listener for listener in self._listeners):
                    raise
                logger.warning(
                    "Plugin '%s' failed in %s: %s: %s",
                    implementation.plugin_name,
                    event,
                    type(error).__name__,
                    error,
                )
