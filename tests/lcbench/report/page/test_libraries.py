from __future__ import annotations

import json
import subprocess
import sys

import pytest

from lcbench.errors import LcbenchError
from lcbench.report.page import libraries

LOOK = """
import json, sys
from lcbench.report.page.libraries import datatables, plotly
sizes = [len(plotly()), len(datatables())]
print(json.dumps([sizes, sorted({"plotly", "itables", "pandas"} & set(sys.modules))]))
"""


def test_the_libraries_are_read_without_importing_the_packages_that_bring_them():
    said = subprocess.run([sys.executable, "-c", LOOK], check=True, capture_output=True, text=True).stdout
    sizes, imported = json.loads(said)
    assert min(sizes) > 100_000
    assert imported == []


def test_the_module_of_datatables_becomes_a_script_with_a_global_name(monkeypatch):
    module = "var $a=1,b$=2;export{$a as jQuery,b$ as default,$a as set_dark};\n/* licence */"
    monkeypatch.setattr(libraries, "_file", lambda *_: module)
    assert libraries.datatables() == (
        '(() => { "use strict";\nvar $a=1,b$=2;globalThis.DataTable = b$;\n/* licence */\n})();'
    )
    assert "export{" not in libraries.datatables()


def test_a_package_that_is_missing_or_otherwise_made_is_named(monkeypatch):
    monkeypatch.setattr(libraries, "find_spec", lambda _: None)
    with pytest.raises(LcbenchError, match="pip install --force-reinstall plotly"):
        libraries.plotly()
    monkeypatch.setattr(libraries, "_file", lambda *_: "export default 1;")
    with pytest.raises(LcbenchError, match="another version of itables"):
        libraries.datatables()
