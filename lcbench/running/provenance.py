"""Facts that each run records of its origin: hashes of the code it used, the machine.

They are no part of a run's id. The hashes show edits for which no revision was raised and no digest changed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import MethodSpec, StreamSpec
from lcbench.registry.file_modules import served
from lcbench.registry.host import OURS, plugin_host
from lcbench.registry.metrics import metrics_to_compute
from lcbench.running.planned_run import ConfiguredMethod, ConfiguredStream, PlannedRun

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord
    from lcbench.registry.catalogue import Source

PACKAGES = ("lcbench", "numpy", "scipy", "scikit-learn", "pluggy", "threadpoolctl")
MOST_FILES = 500


def environment_facts(libraries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Python, platform, package versions, plugins, and the numerical libraries of the process that did the work."""
    kept = [{key: value for key, value in library.items() if key != "num_threads"} for library in libraries]
    return {**_constant_facts(), "libraries": kept}


@lru_cache(maxsize=1)
def _constant_facts() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "simd": widest_simd(),
        "packages": {name: package_version(name) for name in PACKAGES},
        "plugins": {
            f"{p.source.distribution}:{p.source.plugin}": p.source.version
            for p in plugin_host().plugins
            if p.names and not p.source.file
        },
    }


def widest_simd() -> str:
    """The widest vector instructions that numpy uses here, such as AVX512_ICL: with others last digits may differ.

    Empty if it was built without any.
    """
    import numpy as np

    known: Any = np.show_config(mode="dicts")
    extensions = known.get("SIMD Extensions", {})  # lists that are empty are left out
    return str(["", *extensions.get("baseline", ()), *extensions.get("found", ())][-1])


def package_version(name: str) -> str | None:
    """The installed version of a distribution, None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def code_of(method: ConfiguredMethod) -> dict[str, Any]:
    """The distribution of a method, its version, and a hash of its package; empty for an instance without a spec."""
    if not isinstance(method.origin, MethodSpec):
        return {}
    source = plugin_host().registry.methods.source(method.name)
    facts = {"distribution": source.distribution, "version": source.version}
    if source.file:
        return {**facts, "sha256": served()[source.plugin].sha256}
    return {**facts, "sha256": code_hash(method.origin.factory.partition(":")[0].partition(".")[0])}


def files_of(planned: PlannedRun) -> dict[str, str]:
    """The SHA-256 of each plugin file that the method or the stream of a run comes from, by its name; mostly none."""
    registry, method, stream = plugin_host().registry, planned.method, planned.stream
    sources = [registry.methods.source(method.name)] if isinstance(method.origin, MethodSpec) else []
    sources += [registry.streams.source(stream.name)] if isinstance(stream.origin, StreamSpec) else []
    return {Path(source.file).name: served()[source.plugin].sha256 for source in sources if source.file}


def metric_files(names: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of the plugin file of each metric that comes from one and is computed, if those are asked for."""
    computed = metrics_to_compute(names, plugin_host().registry)
    return {key: served()[source.plugin].sha256 for key, (_, _, source) in computed.items() if source.file}


def code_of_stream(stream: ConfiguredStream) -> dict[str, dict[str, Any]]:
    """The package that makes a stream, with its code; empty for a plugin file, a folder or an instance from Python."""
    if not isinstance(stream.origin, StreamSpec):
        return {}
    return _package_code(stream.origin.factory, plugin_host().registry.streams.source(stream.name))


def code_of_metrics(names: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """The package of each metric that is computed if those are asked for, with its code; by the metric's key."""
    computed = metrics_to_compute(names, plugin_host().registry)
    return {key: _package_code(factory, source) for key, (factory, _, source) in computed.items()}


def _package_code(factory: str, source: Source) -> dict[str, dict[str, Any]]:
    """A package by its name: its distribution, its version, and a hash of its code and TOML files.

    Where a plugin uses a class of lcbench, as recipes do, it is the package of the plugin.
    """
    if source.file:
        return {}
    package = factory.partition(":")[0].partition(".")[0]
    if package == OURS:
        targets = [plugin.target for plugin in plugin_host().plugins if plugin.source == source]
        package = next(iter(targets), package).partition(":")[0].partition(".")[0]
    sha256 = code_hash(package, (".py", ".toml"))
    return {package: {"distribution": source.distribution, "version": source.version, "sha256": sha256}}


def merged(packages: Iterable[Mapping[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """All of these packages by their names."""
    return {package: code for each in packages for package, code in each.items()}


def changed_packages(record: RunRecord, now: Mapping[str, dict[str, Any]]) -> bool:
    """True if one of these packages was edited since a record was made."""
    then = record.code.get("packages", {})
    return any(changed_code(then.get(package, {}), code) for package, code in now.items())


def changed_code(then: dict[str, Any], now: dict[str, Any]) -> bool:
    """True if code was edited: the hashes differ though the distribution and its version are the same."""
    known = then.get("sha256") and now.get("sha256")
    same = all(then.get(key) == now.get(key) for key in ("distribution", "version"))
    return bool(known and same and then["sha256"] != now["sha256"])


@lru_cache(maxsize=64)
def code_hash(package: str, endings: tuple[str, ...] = (".py",)) -> str | None:
    """SHA-256 over the names and contents of a package's files, by default of Python; None if they cannot be read."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    files = [
        (path.relative_to(folder), path)
        for folder in folders
        for ending in endings
        for path in folder.rglob(f"*{ending}")
    ]
    if not folders and spec.origin is not None:
        files = [(Path(spec.origin).relative_to(Path(spec.origin).parent), Path(spec.origin))]
    digest = hashlib.sha256()
    try:
        for name, path in sorted(files)[:MOST_FILES]:
            digest.update(name.as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    except OSError:
        return None
    return digest.hexdigest()
