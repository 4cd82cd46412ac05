from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys

import pytest

from lcbench.errors import LcbenchError
from lcbench.report.page import shell
from lcbench.report.page.shell import json_in_html, policy


def test_json_between_script_tags_can_neither_end_the_script_nor_start_a_comment():
    value = {"a": "</script><!-- & \u2028 é \ud800"}
    text = json_in_html(value)
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text) == value


def test_the_policy_names_the_hash_of_each_script_and_no_other_source_of_scripts():
    found = policy("a()", "b()")
    hashes = [base64.b64encode(hashlib.sha256(code).digest()).decode() for code in (b"a()", b"b()")]
    assert f"script-src 'sha256-{hashes[0]}' 'sha256-{hashes[1]}';" in found
    assert found.startswith("default-src 'none'; ")


LOOK = """
import json, sys
from lcbench.report.page.shell import datatables, plotly
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
    monkeypatch.setattr(shell, "_file", lambda *_: module)
    assert shell.datatables() == (
        '(() => { "use strict";\nvar $a=1,b$=2;globalThis.DataTable = b$;\n/* licence */\n})();'
    )
    assert "export{" not in shell.datatables()


def test_a_package_that_is_missing_or_otherwise_made_is_named(monkeypatch):
    monkeypatch.setattr(shell, "find_spec", lambda _: None)
    with pytest.raises(LcbenchError, match="pip install --force-reinstall plotly"):
        shell.plotly()
    monkeypatch.setattr(shell, "_file", lambda *_: "export default 1;")
    with pytest.raises(LcbenchError, match="another version of itables"):
        shell.datatables()
