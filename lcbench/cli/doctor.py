"""`lcbench doctor`: shows versions and threads, and checks all that plugins registered."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from lcbench.cli.help import examples
from lcbench.cli.run_options import Plugins
from lcbench.contract.specs import MethodSpec, MetricSpec, SuiteSpec
from lcbench.errors import LcbenchError, error_text
from lcbench.registry.host import plugin_host
from lcbench.registry.plugin_code import calling

if TYPE_CHECKING:
    from lcbench.registry.catalogue import Catalogue, Registry, Source
    from lcbench.registry.host import Plugin

OURS = ("LCBENCH_PLUGINS", "LCBENCH_STRICT_PLUGINS", "LCBENCH_CACHE", "LCBENCH_DATA", "LCBENCH_OFFLINE")
EXTRAS = {
    "frames": ("pandas", "pyarrow"),
    "river": ("river",),
    "mlflow": ("mlflow-skinny",),
    "dask": ("dask", "distributed"),
    "large": ("faiss-cpu",),
    "bench": ("pytest", "pytest-benchmark"),
}
SLOW = 0.5  # seconds
BROKEN = "broken"
PIP = "pip install"


@examples(
    ("lcbench doctor", "What to send with a question about an installation."),
    ("lcbench doctor --plugin ./mine.py", "See what is wrong with a plugin in one file."),
    ("LCBENCH_PLUGINS=lcbench lcbench doctor", "Look at our own plugins alone."),
)
def doctor(plugin: Plugins = None) -> None:
    """Check the installation: versions, threads, and every plugin.

    Each plugin is shown with what it registered, what is wrong with it, and how long its import took. Factories are
    resolved, and specs compared with classes. The exit code is 1 if something is broken.
    """
    from lcbench.cli.console import output, plain, print_sheets
    from lcbench.report.sheets.sheet import fact_sheet

    host = plugin_host()  # before numpy is imported, which would be taken for the time of a plugin
    console = output()
    print_sheets([fact_sheet("", _facts())], console)
    broken = 0
    for each in host.plugins:
        facts = list(_plugin_facts(each, host.registry))
        fails = any(name == BROKEN for name, _ in facts)
        name = f"plugin {each.source.plugin} of {each.source.distribution} {each.source.version}".rstrip()
        state = "failed" if each.problems else "loaded"
        console.print()
        console.print(plain(f"{name}: {state} in {1000 * each.seconds:.0f} ms", "red" if fails else "green"))
        print_sheets([fact_sheet("", facts)], console)
        broken += fails
    console.print()
    console.print(plain(f"{broken} plugin(s) with problems." if broken else "All plugins are well."))
    if broken:
        raise typer.Exit(1)


def _plugin_facts(plugin: Plugin, registry: Registry) -> Iterator[tuple[str, object]]:
    """The names that a plugin registered, and all that is to be said about them."""
    checked, right, found = 0, 0, []
    for catalogue, differences in _catalogues(registry):
        specs = [spec for spec in catalogue if catalogue.source(spec.name) == plugin.source]
        yield f"{catalogue.kind}s", ", ".join(spec.name for spec in specs)
        for spec in specs:
            said = list(_checked(spec, plugin.source, differences))
            checked += 1
            right += not said
            found += said
    if checked:
        yield "factories", f"{right} of {checked} are there and agree with their specs"
    suites = [spec for spec in registry.suites if registry.suites.source(spec.name) == plugin.source]
    yield "suites", ", ".join(spec.name for spec in suites)
    found += [(BROKEN, fault) for spec in suites for fault in _faults_of_suite(spec)]
    if plugin.seconds > SLOW and not plugin.source.file:
        text = "its import takes more than half a second: what is heavy should be imported where its factory is defined"
        yield "slow", text
    yield from ((BROKEN, problem) for problem in plugin.problems)
    yield from found


def _faults_of_suite(spec: SuiteSpec) -> Iterator[str]:
    """The sentence about a suite whose file cannot be used."""
    from lcbench.experiment.suites import suite_of

    try:
        suite_of(spec)
    except LcbenchError as error:
        yield str(error)


def _catalogues(registry: Registry) -> list[tuple[Catalogue[Any], Callable[[Any, Any], list[str]]]]:
    from lcbench.registry.spec_check import method_differences, metric_differences, stream_differences

    return [
        (registry.methods, method_differences),
        (registry.streams, stream_differences),
        (registry.metrics, metric_differences),
    ]


def _checked(spec: Any, source: Source, differences: Callable[[Any, Any], list[str]]) -> Iterator[tuple[str, object]]:
    """Faults of a factory, or of its spec; a missing package that is named with a pip command is none."""
    from lcbench.registry.building import build_method, build_metric, load_factory

    build: Any = {MethodSpec: build_method, MetricSpec: build_metric}.get(type(spec))
    try:
        with calling(f"'{spec.factory}'", "cannot be resolved"):
            found = differences(spec, load_factory(spec.factory))
        if not found and build is not None:
            build(spec.factory, {param.name: param.default for param in spec.params}, source)
    except LcbenchError as error:
        reason = error.__cause__ or error  # a PluginError says who raised it
        if isinstance(reason, ImportError | LcbenchError) and PIP in error_text(reason):
            yield "not available", f"{spec.name}: {error_text(reason)}"
            return
        found = [str(error)]
    yield from ((BROKEN, f"{spec.name}: {sentence}") for sentence in found)


def _facts() -> Iterator[tuple[str, object]]:
    from lcbench.data.sources.locations import cache_folder
    from lcbench.running.provenance import environment_facts, package_version
    from lcbench.running.threads import VARIABLES, native_libraries

    libraries = native_libraries()
    facts = environment_facts(libraries)
    yield "python", f"{facts['python']} ({facts['implementation']})"
    yield "system", f"{facts['system']} {facts['release']} {facts['machine']}, {facts['cores']} cores"
    yield "vector instructions", facts["simd"] or "none"
    for name, version in facts["packages"].items():
        yield name, version or "not installed"
    for extra, packages in EXTRAS.items():
        missing = ", ".join(p for p in packages if package_version(p) is None)
        yield f"extra {extra}", f"not installed ({missing}): pip install 'lcbench[{extra}]'" if missing else "installed"
    for library in libraries:
        named = " ".join(filter(None, (library["internal_api"], library["version"])))
        text = f"{named}, {library['num_threads']} threads outside of runs"
        yield f"{library['user_api']} library", text
    yield "threads of a run", "1, unless --threads says otherwise"
    yield "cache of data", cache_folder()
    yield from ((name, os.environ[name]) for name in (*VARIABLES, *OURS) if name in os.environ)
