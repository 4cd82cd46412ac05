"""The registered methods, streams, metrics and suites by name, each with its plugin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lcbench.contract.specs import MethodSpec, MetricSpec, StreamSpec, SuiteSpec
from lcbench.errors import PluginError, UnknownNameError, did_you_mean
from lcbench.reading import is_file, is_folder
from lcbench.registry.names import NAME_RULE, is_name
from lcbench.registry.spec_fields import checked_fields

Spec = TypeVar("Spec", bound=MethodSpec | StreamSpec | MetricSpec | SuiteSpec)
_FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


@dataclass(frozen=True, slots=True)
class Source:
    """The plugin that registered a name: an entry point of an installed distribution, or a `file`, as it was named."""

    plugin: str
    distribution: str
    version: str = ""
    file: str = ""

    def __str__(self) -> str:
        if self.file:
            return f"plugin file '{self.file}'"
        return f"plugin '{self.plugin}' of distribution '{self.distribution}'"


class Catalogue(Generic[Spec]):
    """The specs of one kind (methods, streams, metrics or suites) by name, without regard to its case."""

    def __init__(self, kind: str, spec_type: type[Spec]) -> None:
        self.kind = kind
        self._type = spec_type
        self._specs: dict[str, Spec] = {}
        self._sources: dict[str, Source] = {}

    def __iter__(self) -> Iterator[Spec]:
        return iter(self._specs.values())

    def __contains__(self, name: str) -> bool:
        return name.casefold() in self._specs

    def __getitem__(self, name: str) -> Spec:
        if name not in self:
            hint = did_you_mean(name, [spec.name for spec in self])
            if self.kind != "suite":
                near = hint.startswith(" Did you mean")
                hint = _of_a_file(name) or hint + ("" if near else " One in a file of yours needs --plugin ./FILE.py.")
            limited = os.environ.get("LCBENCH_PLUGINS")
            if limited is not None:
                hint += f" (Only these plugins are loaded, as LCBENCH_PLUGINS says: {limited or 'none'}.)"
            raise UnknownNameError(f"There is no {self.kind} '{name}'.{hint}")
        return self._specs[name.casefold()]

    def get(self, name: str) -> Spec | None:
        """The spec of that name, None if there is none."""
        return self._specs.get(name.casefold())

    def source(self, name: str) -> Source:
        """The plugin that registered `name`."""
        return self._sources[name.casefold()]

    def check(self, spec: object, source: Source) -> Spec:
        """Returns `spec` if it may be registered; a PluginError names both distributions if its name is taken."""
        if not isinstance(spec, self._type):
            raise PluginError(f"{source} registers {spec!r} as a {self.kind}: a {self._type.__name__} is needed.")
        if not is_name(spec.name):
            raise PluginError(f"{source} registers the {self.kind} name {spec.name!r}: {NAME_RULE}.")
        spec = checked_fields(spec, source)
        if not isinstance(spec, SuiteSpec) and not _FACTORY.fullmatch(spec.factory):
            raise PluginError(f"{source} registers '{spec.name}' with factory {spec.factory!r}: write 'module:Class'.")
        if spec.name in self:
            taken = f"{source} registers the {self.kind} '{spec.name}', which is taken by {self.source(spec.name)}"
            rest = "give yours another name" if source.file else "the first stays, the second is left out"
            raise PluginError(f"{taken}: {rest}.")
        return spec

    def add(self, spec: Spec, source: Source) -> None:
        """Register a spec that `check` returned."""
        self._specs[spec.name.casefold()] = spec
        self._sources[spec.name.casefold()] = source

    def without(self, plugin: Source | None) -> Catalogue[Spec]:
        """A copy, without what that plugin registered."""
        copy = Catalogue(self.kind, self._type)
        for name, source in self._sources.items():
            if source != plugin:
                copy.add(self._specs[name], source)
        return copy


class Registry:
    """Everything that can be run: methods, streams, metrics, and suites of streams."""

    def __init__(self) -> None:
        self.methods: Catalogue[MethodSpec] = Catalogue("method", MethodSpec)
        self.streams: Catalogue[StreamSpec] = Catalogue("stream", StreamSpec)
        self.metrics: Catalogue[MetricSpec] = Catalogue("metric", MetricSpec)
        self.suites: Catalogue[SuiteSpec] = Catalogue("suite", SuiteSpec)

    def holding(self, name: str) -> list[Catalogue[Any]]:
        """The catalogues that hold a name, of which there is at least one."""
        catalogues: list[Catalogue[Any]] = [self.methods, self.streams, self.metrics]
        found = [catalogue for catalogue in catalogues if name in catalogue]
        if name in self.suites and not found:
            raise UnknownNameError(f"'{name}' is a suite: 'lcbench suite info {name}' shows it.")
        if not found:
            names = [spec.name for catalogue in catalogues for spec in catalogue]
            hint = f" For the folder of that name write './{name}'." if is_folder(name) else did_you_mean(name, names)
            raise UnknownNameError(f"There is no method, stream or metric '{name}'.{_of_a_file(name) or hint}")
        return found

    def without(self, plugin: Source | None) -> Registry:
        """A copy, without what that plugin registered."""
        copy = Registry()
        copy.methods, copy.streams = self.methods.without(plugin), self.streams.without(plugin)
        copy.metrics, copy.suites = self.metrics.without(plugin), self.suites.without(plugin)
        return copy


def _of_a_file(name: str) -> str:
    """A hint to load the plugin file of that name, if it lies here."""
    return f" For that of the file say --plugin ./{name}.py." if is_file(f"{name}.py") else ""
