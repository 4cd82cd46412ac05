"""Turns the content of the page into one HTML file that needs no network.

Its Content-Security-Policy allows scripts by their hashes and lets nothing be fetched: text in the data cannot run as a
script or reach the network, even if it got through the escaping.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from lcbench.printable import printable
from lcbench.report.page.content import Content
from lcbench.report.sheets.formats import breakable, html

HERE = Path(__file__).parent
SECTIONS = {
    "overview": "Overview",
    "curves": "Lifelong curves",
    "tables": "Comparison",
    "audit": "Audit",
    "failures": "Failures",
    "tuning": "Tuning",
    "commands": "Commands",
    "formulas": "Formulas",
    "environment": "Environment",
}
MOST_TASKS_NAMED = 8
SCRIPTS = ("theme.js", "curves.js", "panels.js", "controls.js", "streams.js")


def render(content: Content) -> str:
    """The page as HTML."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else printable(value),
    )
    environment.filters["breakable"] = lambda text: Markup(breakable(text))
    plotly = _in_script(get_plotlyjs())
    script = _in_script('"use strict";\n(() => {\n' + "".join(map(_asset, SCRIPTS)) + "})();\n")
    return environment.get_template("page.html.jinja").render(
        page=content,
        sections=_sections(content),
        sheet=lambda table, **options: Markup(html(table, **options)),
        orders=_order_texts,
        policy=policy(plotly, script),
        style=Markup(_asset("page.css")),
        plotly=Markup(plotly),
        script=Markup(script),
        data=Markup(json_in_html(content.data)),
    )


def _sections(content: Content) -> dict[str, str]:
    """Anchor and name of each section that has content."""
    return {anchor: name for anchor, name in SECTIONS.items() if getattr(content, anchor, True)}


def _order_texts(stream: dict[str, Any]) -> list[str]:
    """The orders of a stream's runs, as the page lists them for choice: `1: a → b`."""
    texts = []
    for i, order in enumerate(stream["orders"], 1):
        names = [stream["tasks"][task] for task in order]
        shown = names if len(names) <= MOST_TASKS_NAMED else [*names[: MOST_TASKS_NAMED - 1], "…"]
        texts.append(f"{i}: {' → '.join(shown)}")
    return texts


def policy(*scripts: str) -> str:
    """A Content-Security-Policy that allows these scripts, and nothing to be fetched."""
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def json_in_html(value: Any) -> str:
    """JSON that is safe between script tags: nothing in it ends the script or starts a comment."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _in_script(code: str) -> str:
    """Code that does not end its own script element: within a JavaScript string `<\\/` means `</`."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (HERE / "assets" / name).read_text(encoding="utf-8")
