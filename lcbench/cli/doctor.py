"""`lcbench doctor`: shows versions, threads, and plugins that failed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lcbench.registry.host import plugin_host

OURS = ("LCBENCH_PLUGINS", "LCBENCH_STRICT_PLUGINS", "LCBENCH_CACHE", "LCBENCH_DATA", "LCBENCH_OFFLINE")
EXTRAS = {"frames": ("pandas", "pyarrow")}


def doctor() -> None:
    """Show versions, threads, and the plugins that failed and why."""
    from lcbench.cli.console import output, plain, print_sheets
    from lcbench.report.sheets.sheet import fact_sheet

    console = output()
    print_sheets([fact_sheet("", _facts())], console)
    console.print()
    broken = 0
    for plugin in plugin_host().plugins:
        source = plugin.source
        state, style = ("failed", "red") if plugin.problems else ("loaded", "green")
        name = f"plugin {source.plugin} of {source.distribution} {source.version}"
        console.print(plain(f"{name}: {state} in {1000 * plugin.seconds:.0f} ms", style))
        for problem in plugin.problems:
            console.print(plain(f"  {problem}"))
        broken += bool(plugin.problems)
    console.print(plain(f"{broken} plugin(s) with problems." if broken else "All plugins are well."))


def _facts() -> Iterator[tuple[str, object]]:
    from lcbench.data.sources.locations import cache_folder
    from lcbench.running.provenance import environment_facts, package_version
    from lcbench.running.threads import VARIABLES, native_libraries

    libraries = native_libraries()
    facts = environment_facts(libraries)
    yield "python", f"{facts['python']} ({facts['implementation']})"
    yield "system", f"{facts['system']} {facts['release']} {facts['machine']}, {facts['cores']} cores"
    for name, version in facts["packages"].items():
        yield name, version or "not installed"
    for extra, packages in EXTRAS.items():
        missing = ", ".join(p for p in packages if package_version(p) is None)
        yield f"extra {extra}", f"not installed ({missing}): pip install 'lcbench[{extra}]'" if missing else "installed"
    for library in libraries:
        text = f"{library['internal_api']} {library['version'] or ''}, {library['num_threads']} threads outside of runs"
        yield f"{library['user_api']} library", text
    yield "threads of a run", "1, unless --threads says otherwise"
    yield "cache of data", cache_folder()
    yield from ((name, os.environ[name]) for name in (*VARIABLES, *OURS) if name in os.environ)
