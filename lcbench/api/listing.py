"""Lists what is installed: `list_methods` and the like."""

from __future__ import annotations

from typing import Any

from lcbench.registry.host import plugin_host
from lcbench.report.installed import Installed, installed_sheet
from lcbench.report.sheets.sheet import Sheet


class Listing(tuple[Any, ...]):
    """The specs of all methods, streams or metrics that are installed; prints as the table of `lcbench list`."""

    _sheet: Sheet

    @classmethod
    def of(cls, kind: Installed) -> Listing:
        """The specs of a kind with the table that shows them."""
        host = plugin_host()
        made = cls(getattr(host.registry, kind))
        made._sheet = installed_sheet(host, kind)
        return made

    @property
    def names(self) -> list[str]:
        """The names, as `lcbench.run` takes them."""
        return [spec.name for spec in self]

    def __repr__(self) -> str:
        from lcbench.report.sheets.layout import plain_text

        return plain_text(self._sheet)

    def _repr_html_(self) -> str:
        """The same table, as a notebook shows it."""
        from lcbench.report.sheets.html import in_notebook

        return in_notebook([self._sheet])


def list_methods() -> Listing:
    """The methods that are installed: their specs, which print as a table; `.names` are their names."""
    return Listing.of(Installed.METHODS)


def list_streams() -> Listing:
    """The streams that are installed: their specs, which print as a table; `.names` are their names."""
    return Listing.of(Installed.STREAMS)


def list_metrics() -> Listing:
    """The metrics that are installed: their specs, which print as a table; `.names` are their names."""
    return Listing.of(Installed.METRICS)
