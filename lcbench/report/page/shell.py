"""Renders a template into one HTML file that needs no network; for every page of lcbench.

It carries plotly.js and DataTables, read from the Python packages plotly and itables, neither of which is imported. Its
Content-Security-Policy allows scripts by their hashes and lets nothing be fetched: text in the data cannot run as a
script or reach the network, even if it got through the escaping.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lcbench import __version__
from lcbench.errors import LcbenchError
from lcbench.printable import printable
from lcbench.report.sheets.html import breakable, html

HERE = Path(__file__).parent
_EXPORT = re.compile(r"export\s*\{[^{}]*?\b([\w$]+) as default\b[^{}]*\};?")
TABLE_SCRIPTS = ("near.js", "tables.js", "folding.js")  # of every page: its tables and its sections


def render_page(
    template: str,
    *,
    scripts: Sequence[str],
    later: Mapping[str, str] | None = None,
    data: Any = None,
    **context: object,
) -> str:
    """The page of a template that extends `base.html.jinja`.

    `scripts` are the names of our own in `assets/`, which share one scope and begin with those of every page; they find
    `data` in the element of that id, and libraries that start `later` than DataTables by theirs. In the template
    `sheet(table)` writes a table.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else printable(value),
    )
    environment.filters["breakable"] = lambda text: Markup(breakable(text))
    own = '"use strict";\n(() => {\n' + "".join(map(_asset, (*TABLE_SCRIPTS, *scripts))) + "})();\n"
    codes = [_in_script(code) for code in (datatables(), own)]
    waiting = {name: _in_script(code) for name, code in (later or {}).items()}
    return environment.get_template(template).render(
        **context,
        version=__version__,
        policy=policy(*waiting.values(), *codes),
        style=Markup(_asset("page.css")),
        scripts=list(map(Markup, codes)),
        later={name: Markup(code) for name, code in waiting.items()},
        data=Markup(json_in_html(data)),
        sheet=lambda table, **options: Markup(html(table, **options)),
    )


def policy(*scripts: str) -> str:
    """A Content-Security-Policy that allows these scripts, and nothing to be fetched.

    Images are those that a script draws to be downloaded.
    """
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src blob: data:; "
        "base-uri 'none'; form-action 'none'"
    )


def json_in_html(value: Any) -> str:
    """JSON that is safe between script tags: nothing in it ends the script or starts a comment."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _in_script(code: str) -> str:
    """Code that does not end its own script element: within a JavaScript string `<\\/` means `</`.

    Line ends are those that a browser reads, so that the hash is that of what it runs.
    """
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (HERE / "assets" / name).read_text(encoding="utf-8")


def plotly() -> str:
    """plotly.js, which defines the name Plotly."""
    return _file("plotly", "package_data/plotly.min.js")


def datatables() -> str:
    """DataTables with its buttons, which defines the name DataTable.

    itables has it as an ECMAScript module. A module in a page cannot be named by another script there, so its export
    becomes a global name.
    """
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
