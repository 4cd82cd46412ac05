"""Loads plugins from the entry-point group `lcbench`; a broken one costs a warning.

Our own plugins are loaded in the same way.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from lcbench.contract import hookspecs
from lcbench.contract.specs import MethodSpec, RawData
from lcbench.errors import PluginError, did_you_mean
from lcbench.registry.catalogue import Catalogue, Registry, Source
from lcbench.registry.plugin_code import calling, fault_of, importing

logger = logging.getLogger(__name__)
GROUP = "lcbench"
OURS = "lcbench"


@dataclass(slots=True)
class Plugin:
    """One entry point or file: what it registered, how long that took, and what went wrong."""

    source: Source
    target: str
    seconds: float = 0.0
    names: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class PluginHost:
    """The plugin manager, and the registry that plugins add their specs to."""

    def __init__(self, *, strict: bool = False, only: Iterable[str] | None = None) -> None:
        self.manager = pluggy.PluginManager("lcbench")
        self.manager.add_hookspecs(hookspecs)
        self.registry = Registry()
        self.plugins: list[Plugin] = []
        self._strict = strict
        self._only = None if only is None else set(only)

    def load(self, points: Iterable[EntryPoint]) -> None:
        """Load and register each entry point; one that fails costs a warning, or raises PluginError when strict."""
        found = sorted(((_source(p), p) for p in points), key=_ours_first)
        for source, point in found:
            if self._only is None or {source.plugin, source.distribution} & self._only:
                self._load_one(source, point)
        known = {name for source, _ in found for name in (source.plugin, source.distribution)}
        for name in sorted((self._only or set()) - known):
            self._report(None, f"LCBENCH_PLUGINS names '{name}', which is not installed.{did_you_mean(name, known)}")

    def _load_one(self, source: Source, point: EntryPoint) -> None:
        plugin = Plugin(source, point.value)
        self.plugins.append(plugin)
        start = time.perf_counter()
        name = _full_name(source)
        try:
            with importing(source):
                module = point.load()
                self._take_in(module, source)
                self._register(plugin, module)
        except PluginError as error:
            if self.manager.has_plugin(name):
                self.manager.unregister(name=name)
            self._report(plugin, str(error))
        plugin.seconds = time.perf_counter() - start

    def load_file(self, plugin: Plugin, module: object, derived: Callable[[], Iterable[MethodSpec]]) -> None:
        """Register the module of a plugin file, or else raise PluginError and leave everything as it was.

        It takes the place of an earlier file of that name. If it implements no hook, its methods are those `derived`.
        """
        source, name = plugin.source, _full_name(plugin.source)
        earlier = next((each for each in self.plugins if _full_name(each.source) == name), None)
        registry = self.registry.without(None if earlier is None else earlier.source)
        before = self.manager.unregister(name=name) if earlier is not None else None
        try:
            with calling(source, "could not be loaded", passing=PluginError):
                self._take_in(module, source)
                found = self._staged(plugin, module, registry)
            if not self.manager.get_hookcallers(module):
                found = [(registry.methods, spec) for spec in derived()]
            for catalogue, spec in found:
                catalogue.add(catalogue.check(spec, source), source)
                plugin.names.append(spec.name)
        except BaseException:
            if self.manager.has_plugin(name):
                self.manager.unregister(name=name)
            if before is not None:
                self.manager.register(before, name=name)
            raise
        self.registry = registry
        self.plugins = [*(each for each in self.plugins if each is not earlier), plugin]
        if self._implementations("lcbench_register_commands", module):
            logger.warning("%s adds commands, which only an installed plugin can: they are left out.", source)

    def _take_in(self, module: object, source: Source) -> None:
        """Register a module with the plugin manager; PluginError if it implements a hook that is not there."""
        self.manager.register(module, name=_full_name(source))
        try:
            self.manager.check_pending()
        except pluggy.PluginValidationError as error:
            raise PluginError(f"{source} could not be loaded: {_misspelt(error)}") from error

    def _register(self, plugin: Plugin, module: object) -> None:
        """Register the specs of a plugin, all of them or, if it raises, none; a name that is taken is left out."""
        if not self.manager.get_hookcallers(module):
            raise PluginError(
                f"{plugin.source} implements no hook of lcbench: let its entry point, now '{plugin.target}', name the "
                "module with the functions that are marked with @hookimpl."
            )
        for catalogue, spec in self._staged(plugin, module, self.registry):
            try:
                checked = catalogue.check(spec, plugin.source)
                catalogue.add(checked, plugin.source)
                plugin.names.append(checked.name)
            except PluginError as error:
                self._report(plugin, str(error))

    def _staged(self, plugin: Plugin, module: object, registry: Registry) -> list[tuple[Catalogue[Any], Any]]:
        """The specs that the hooks of a plugin register, each with its catalogue."""
        for caller in self.manager.get_hookcallers(module) or ():
            if any(impl.wrapper or impl.hookwrapper for impl in self._implementations(caller.name, module)):
                raise PluginError(f"{plugin.source} wraps the hook {caller.name}: lcbench's hooks cannot be wrapped.")
        staged: list[tuple[Catalogue[Any], Any]] = []
        hooks: dict[str, Catalogue[Any]] = {
            "lcbench_register_methods": registry.methods,
            "lcbench_register_streams": registry.streams,
            "lcbench_register_metrics": registry.metrics,
            "lcbench_register_suites": registry.suites,
        }
        for hook, catalogue in hooks.items():
            for implementation in self._implementations(hook, module):
                call_implementation(implementation, register=lambda spec, kept=catalogue: staged.append((kept, spec)))
        return staged

    def _implementations(self, hook: str, module: object) -> list[pluggy.HookImpl]:
        return [impl for impl in getattr(self.manager.hook, hook).get_hookimpls() if impl.plugin is module]

    def register_commands(self, app: Any) -> None:
        """Let every plugin add its commands to the command line."""
        for plugin in self.plugins:
            module = self.manager.get_plugin(_full_name(plugin.source))
            for implementation in self._implementations("lcbench_register_commands", module):
                before = [list(entries) for entries in _commands_of(app)]
                try:
                    with calling(plugin.source, "could not add its commands", passing=PluginError):
                        call_implementation(implementation, app=app)
                except PluginError as error:
                    self._report(plugin, str(error))
                for name in _withdraw_taken(app, before):
                    self._report(plugin, f"{plugin.source} adds the command '{name}', which is taken: it is left out.")

    def _report(self, plugin: Plugin | None, problem: str) -> None:
        if self._strict:
            raise PluginError(problem)
        if plugin is not None:
            plugin.problems.append(problem)
        logger.warning(problem)


@lru_cache(maxsize=1)
def plugin_host() -> PluginHost:
    """The plugins of this installation, loaded once per process."""
    limit = os.environ.get("LCBENCH_PLUGINS")
    host = PluginHost(
        strict=os.environ.get("LCBENCH_STRICT_PLUGINS", "") not in ("", "0"),
        only=None if limit is None else [name.strip() for name in limit.split(",") if name.strip()],
    )
    host.load(entry_points(group=GROUP))
    return host


def raw_data() -> dict[str, RawData]:
    """The raw data of the registered streams that need some, by name of the stream."""
    return {spec.name: spec.data for spec in plugin_host().registry.streams if spec.data is not None}


def call_implementation(implementation: pluggy.HookImpl, **arguments: Any) -> Any:
    """Call one implementation of a hook with the arguments that it asks for."""
    return implementation.function(*(arguments[name] for name in implementation.argnames))


def _commands_of(app: Any) -> list[list[Any]]:
    """The lists in which a typer application keeps its commands and its groups; adding one appends to them."""
    return [app.registered_commands, app.registered_groups]


def _command_name(entry: Any) -> str:
    callback = getattr(entry, "callback", None)
    return entry.name or (callback.__name__.lower().replace("_", "-") if callback is not None else "")


def _withdraw_taken(app: Any, before: list[list[Any]]) -> list[str]:
    """Removes commands that were added since `before` under a name that was taken; returns their names."""
    taken = {_command_name(entry) for entries in before for entry in entries}
    withdrawn = []
    for old, entries in zip(before, _commands_of(app), strict=True):
        added = entries[len(old) :]
        entries[len(old) :] = [entry for entry in added if _command_name(entry) not in taken]
        withdrawn += [name for name in map(_command_name, added) if name in taken]
    return withdrawn


def _source(point: EntryPoint) -> Source:
    if point.dist is None:
        return Source(point.name, "unknown")
    return Source(point.name, point.dist.name, point.dist.version)


def _full_name(source: Source) -> str:
    return f"{source.distribution}:{source.plugin}"


def _ours_first(found: tuple[Source, EntryPoint]) -> tuple[bool, str, str]:
    return found[0].distribution != OURS, found[0].distribution, found[0].plugin


def _misspelt(error: pluggy.PluginValidationError) -> str:
    """The name of a hook that is not there, and those that are; or what else pluggy found."""
    misspelt = re.match(r"unknown hook '(\w+)'", str(error))
    if misspelt is None:
        return str(fault_of(error))
    hooks = [name for name in vars(hookspecs) if name.startswith("lcbench_")]
    return f"there is no hook '{misspelt[1]}'.{did_you_mean(misspelt[1], hooks)}"
