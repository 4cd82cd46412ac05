"""The site can be built, and the pages that are read from top to bottom work from top to bottom."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_blocks import blocks, played

import lcbench
from lcbench.registry.host import plugin_host
from lcbench.report.figures.kind import figure_kinds

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.slow
def test_the_tutorial_works_from_its_first_command_to_its_last(tmp_path):
    played(DOCS / "tutorial.md", tmp_path)
    assert (tmp_path / "table.tex").read_text().count(r"\begin{table}") >= 1
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_the_commands_of_the_gallery_work_one_after_the_other(tmp_path):
    played(DOCS / "gallery.md", tmp_path)


def test_the_gallery_has_every_kind_of_figure():
    """A further one is an `Exhibit` in docs/make_gallery.py, which makes the page anew."""
    typed = [line for block in blocks(DOCS / "gallery.md") if block.language == "shell" for line in block.lines]
    drawn = {line.split()[2] for line in typed if line.startswith("lcbench plot")}
    assert drawn == {kind.name for kind in figure_kinds()}, "add an Exhibit to docs/make_gallery.py, and run it"


@pytest.mark.slow
def test_the_site_is_built_with_every_card_and_command_and_loads_nothing_from_elsewhere(tmp_path):
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    registry = plugin_host().registry
    for kind in ("methods", "streams", "metrics"):
        for spec in getattr(registry, kind):
            assert spec.summary[:1].upper() + spec.summary[1:] in re.sub(
                r"<[^>]+>", "", (tmp_path / "cards" / kind / spec.name / "index.html").read_text()
            )
    commands = (tmp_path / "reference" / "commands" / "index.html").read_text()
    assert "--memory-limit" in commands
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|img|iframe)[^>]* src=\"?(https?:[^\" >]+)|<link[^>]* href=\"?(https?:[^\" >]+)",
            page.read_text(),
        )
        assert not loaded, (page, loaded)


def test_each_parameter_of_a_public_function_is_described_by_itself():
    """Of parameters that are described together the site shows the default of the first for all."""
    described = [inspect.getdoc(value) or "" for value in public_callables()]
    assert sum("Parameters\n---" in text for text in described) > 2
    assert [found for text in described for found in re.findall(r"^\w+(?:, \w+)+$", text, re.MULTILINE)] == []


def public_callables():
    for value in (getattr(lcbench, name) for name in lcbench.__all__):
        yield value
        if inspect.isclass(value):
            yield from (member for _, member in inspect.getmembers(value, inspect.isfunction))
