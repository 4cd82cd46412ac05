from __future__ import annotations

from reading_sheets import column

from lcbench.registry.host import plugin_host
from lcbench.report.installed import Installed, installed_sheet


def test_a_table_of_each_kind_names_what_is_registered():
    host = plugin_host()
    for kind, held in (
        ("methods", host.registry.methods),
        ("streams", host.registry.streams),
        ("metrics", host.registry.metrics),
    ):
        sheet = installed_sheet(host, Installed(kind))
        assert column(sheet, "name") == [spec.name for spec in held]
        assert column(sheet, "what it is") == [spec.summary for spec in held]
    plugins = installed_sheet(host, Installed.PLUGINS)
    assert {"spectral", "streams", "indices"} <= set(column(plugins, "name"))
