"""`lcbench list`: tables of the methods, streams, metrics and plugins that are installed."""

from __future__ import annotations

from typing import Annotated

from lcbench.cli.help import argument, examples
from lcbench.cli.run_options import Plugins
from lcbench.registry.host import plugin_host
from lcbench.report.installed import Installed, installed_sheet


@examples(
    ("lcbench list", "Methods, streams, metrics and plugins."),
    ("lcbench list streams", "Streams alone."),
    ("lcbench list methods --plugin ./mine.py", "Methods, with that of a file of yours."),
)
def list_installed(
    kind: Annotated[
        Installed | None,
        argument("What to list.", "methods|streams|metrics|plugins", shown="everything", case_sensitive=False),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """List the installed methods, streams, metrics or plugins."""
    from lcbench.cli.console import print_sheets

    host = plugin_host()
    print_sheets(installed_sheet(host, each) for each in ([kind] if kind else Installed))
