"""Loads the plugins when they are first needed, so that `--help` starts fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcbench.contract.specs import RawData
    from lcbench.registry.host import PluginHost


def plugin_host() -> PluginHost:
    """The plugins of this installation."""
    from lcbench.registry import host

    return host.plugin_host()


def raw_data() -> dict[str, RawData]:
    """The registered streams that need raw data, with the description of these data."""
    from lcbench.registry import host

    return host.raw_data()


def add_plugin_commands(app: Any) -> None:
    """Let plugins add their commands; ours have none, so that nothing is loaded where there are no others."""
    from importlib.metadata import entry_points

    distributions = {id(point.dist): point.dist for point in entry_points(group="lcbench")}
    if any(dist is None or dist.name != "lcbench" for dist in distributions.values()):
        plugin_host().register_commands(app)
