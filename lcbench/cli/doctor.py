"""`lcbench doctor`: shows versions, threads, and plugins that failed."""

from __future__ import annotations

import os

from lcbench.cli.lazy_plugins import plugin_host

OURS = ("LCBENCH_PLUGINS", "LCBENCH_STRICT_PLUGINS", "LCBENCH_CACHE", "LCBENCH_DATA", "LCBENCH_OFFLINE")
EXTRAS = {"frames": ("pandas", "pyarrow")}


def doctor() -> None:
    """Show versions, threads, and the plugins that failed and why."""
    from rich.table import Table

    from lcbench.cli.console import output, plain
    from lcbench.data.sources.locations import cache_folder
    from lcbench.running.environment import environment_facts, native_libraries, package_version
    from lcbench.running.threads import VARIABLES

    console = output()
    facts = environment_facts()
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    table.add_row("python", plain(f"{facts['python']} ({facts['implementation']})"))
    table.add_row("system", plain(f"{facts['system']} {facts['release']} {facts['machine']}, {facts['cores']} cores"))
    for name, version in facts["packages"].items():
        table.add_row(name, plain(version or "not installed"))
    for extra, packages in EXTRAS.items():
        missing = [p for p in packages if package_version(p) is None]
        state = f"not installed ({', '.join(missing)}): pip install 'lcbench[{extra}]'" if missing else "installed"
        table.add_row(f"extra {extra}", plain(state))
    for library in native_libraries():
        text = f"{library['internal_api']} {library['version'] or ''}, {library['num_threads']} threads outside of runs"
        table.add_row(f"{library['user_api']} library", plain(text))
    table.add_row("threads of a run", "1, unless --threads says otherwise")
    table.add_row("cache of data", plain(cache_folder()))
    for variable in (*VARIABLES, *OURS):
        if variable in os.environ:
            table.add_row(variable, plain(os.environ[variable]))
    console.print(table)

    console.print()
    for plugin in plugin_host().plugins:
        source = plugin.source
        state, style = ("failed", "red") if plugin.problems else ("loaded", "green")
        name = f"plugin {source.plugin} of {source.distribution} {source.version}"
        line = f"{name}: {state} in {1000 * plugin.seconds:.0f} ms"
        console.print(plain(line, style))
        for problem in plugin.problems:
            console.print(plain(f"  {problem}"))
    broken = [plugin for plugin in plugin_host().plugins if plugin.problems]
    console.print(plain(f"{len(broken)} plugin(s) with problems." if broken else "All plugins are well."))
