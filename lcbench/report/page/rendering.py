"""Turns the content of the report into its page."""

from __future__ import annotations

from lcbench.report.page.content import Content
from lcbench.report.page.libraries import datatables, plotly
from lcbench.report.page.shell import TABLE_SCRIPTS, render_page

SECTIONS = {
    "overview": "Overview",
    "curves": "Lifelong curves",
    "tables": "Comparison",
    "runs": "Runs",
    "audit": "Audit",
    "failures": "Failures",
    "tuning": "Tuning",
    "commands": "Commands",
    "formulas": "Formulas",
    "environment": "Environment",
}
SCRIPTS = (*TABLE_SCRIPTS, "curves.js", "figures.js", "streams.js", "view.js", "runs.js")


def render(content: Content) -> str:
    """The page as HTML."""
    return render_page(
        "report.html.jinja",
        libraries=(datatables(),),
        later={"plotly": plotly()},
        scripts=SCRIPTS,
        data=content.data,
        page=content,
        sections=_sections(content),
    )


def _sections(content: Content) -> dict[str, str]:
    """Anchor and name of each section that has content."""
    return {anchor: name for anchor, name in SECTIONS.items() if getattr(content, anchor, True)}
