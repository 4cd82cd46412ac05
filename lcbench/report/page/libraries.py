"""JavaScript libraries that pages carry, read from the Python packages plotly and itables.

itables has DataTables with its buttons as an ECMAScript module. A module in a page cannot be named by another script
there, so its export becomes a global name. Neither package is imported.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from lcbench.errors import LcbenchError

_EXPORT = re.compile(r"export\s*\{[^{}]*?\b([\w$]+) as default\b[^{}]*\};?")


def plotly() -> str:
    """plotly.js, which defines the name Plotly."""
    return _file("plotly", "package_data/plotly.min.js")


def datatables() -> str:
    """DataTables, which defines the name DataTable."""
    module, count = _EXPORT.subn(r"globalThis.DataTable = \1;", _file("itables", "html/dt_bundle.js"))
    if count != 1:
        raise LcbenchError(
            "DataTables is not in the installed itables as expected: install another version of itables."
        )
    return f'(() => {{ "use strict";\n{module}\n}})();'


def _file(package: str, path: str) -> str:
    spec = find_spec(package)
    folders = [] if spec is None else spec.submodule_search_locations or []
    found = next((file for folder in folders if (file := Path(folder, path)).is_file()), None)
    if found is None:
        raise LcbenchError(f"The page needs {path} of the package {package}: pip install --force-reinstall {package}.")
    return found.read_text(encoding="utf-8")
