"""Renders a template into one HTML file that needs no network; for every page of lcbench.

Its Content-Security-Policy allows scripts by their hashes and lets nothing be fetched: text in the data cannot run as a
script or reach the network, even if it got through the escaping.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lcbench import __version__
from lcbench.printable import printable
from lcbench.report.sheets.formats import breakable, html

HERE = Path(__file__).parent
TABLE_SCRIPTS = ("near.js", "tables.js", "folding.js")  # of every page: its tables and its sections


def render_page(
    template: str,
    *,
    libraries: Sequence[str],
    scripts: Sequence[str],
    later: Mapping[str, str] | None = None,
    data: Any = None,
    **context: object,
) -> str:
    """The page of a template that extends `base.html.jinja`.

    `libraries` are the texts of scripts from elsewhere, `scripts` the names of our own in `assets/`, which share one
    scope; they find `data` in the element of that id, and the libraries that start `later` by theirs. In the template
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
    own = '"use strict";\n(() => {\n' + "".join(map(_asset, scripts)) + "})();\n"
    codes = [_in_script(code) for code in (*libraries, own)]
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
