"""Calls the event hooks of plugins and listeners while runs are carried out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NoReturn, Protocol

import pluggy

from lcbench.contract import hookspecs
from lcbench.errors import PluginError
from lcbench.registry.host import call_implementation
from lcbench.registry.plugin_code import calling

logger = logging.getLogger(__name__)


class EventSink(Protocol):
    """Anything that events of a run can be reported to."""

    def fire(self, event: str, **arguments: Any) -> None:
        """Report one event, by the name of its hook, with the arguments of that hook."""

    def is_heard(self, event: str) -> bool:
        """True if anybody would hear of an event."""


def _refuse(self: object, *_: Any, **__: Any) -> NoReturn:
    raise TypeError("what events tell of is read-only: work on a copy, as by dict(...) or list(...)")


class _ReadOnlyDict(dict[Any, Any]):
    """A dictionary of a snapshot."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class _ReadOnlyList(list[Any]):
    """A list of a snapshot."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = clear = extend = insert = _refuse
    pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


def _frozen(value: Any) -> Any:
    """A read-only copy; arrays, which are read-only already, stay."""
    if isinstance(value, Mapping):
        return _ReadOnlyDict({key: _frozen(inner) for key, inner in value.items()})
    if isinstance(value, list):
        nested = any(isinstance(inner, list | Mapping) for inner in value)
        return _ReadOnlyList(map(_frozen, value) if nested else value)
    return value


def _snapshot(told: Any) -> Callable[[], Any]:
    """Makes a record or step for each who asks: what they hold is read-only, and is copied when the first asks."""
    values: dict[str, Any] = {}

    def snapshot() -> Any:
        if not values:
            values.update({field.name: _frozen(getattr(told, field.name)) for field in fields(told)})
        return replace(told, **values)

    return snapshot


class Events:
    """Calls the event hooks of the caller's own listeners, which may raise, and of plugins, whose errors are logged.

    Listeners hear of one experiment only, not of others that run at the same time. They and plugins get snapshots that
    they cannot change; `keepers`, which save runs, get the records themselves and hear of them first.
    """

    def __init__(
        self, plugins: pluggy.PluginManager, listeners: Sequence[object] = (), keepers: Sequence[object] = ()
    ) -> None:
        self._plugins = plugins
        self._told: set[str] = set()
        self._keepers, self._listeners = _manager_of(keepers), _manager_of(listeners)

    def is_heard(self, event: str) -> bool:
        """True if an event has any implementation."""
        return any(_implementations(each, event) for each in (self._keepers, self._listeners, self._plugins))

    def fire(self, event: str, **arguments: Any) -> None:
        """Call every implementation of `event`; nothing is copied where there is none."""
        for implementation in _implementations(self._keepers, event):
            call_implementation(implementation, **arguments)
        snapshots = {name: _snapshot(each) for name, each in arguments.items()}
        for implementation in _implementations(self._listeners, event):
            call_implementation(implementation, **{name: snapshots[name]() for name in implementation.argnames})
        for implementation in _implementations(self._plugins, event):
            told = {name: snapshots[name]() for name in implementation.argnames}
            try:
                with calling(_who(implementation.plugin_name), f"failed in {event}", passing=PluginError):
                    call_implementation(implementation, **told)
            except PluginError as error:
                if str(error) not in self._told:  # it may fail in each of a million steps
                    self._told.add(str(error))
                    logger.warning("%s", error)


def _manager_of(listeners: Sequence[object]) -> pluggy.PluginManager:
    manager = pluggy.PluginManager("lcbench")
    manager.add_hookspecs(hookspecs)
    for listener in listeners:
        manager.register(listener)
    manager.check_pending()
    return manager


def _implementations(manager: pluggy.PluginManager, event: str) -> list[pluggy.HookImpl]:
    """The implementations of an event, in the order in which they are called."""
    found: list[pluggy.HookImpl] = getattr(manager.hook, event).get_hookimpls()
    return found[::-1]


def _who(name: str) -> str:
    """A plugin in words, by the name that the host gave it."""
    distribution, _, plugin = name.rpartition(":")
    if distribution.startswith("file "):
        return f"plugin file '{distribution.removeprefix('file ')}'"
    return f"plugin '{plugin}' of distribution '{distribution}'"
