"""The site can be built, and the pages that are read from top to bottom work from top to bottom."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.registry.host import plugin_host
from lcbench.report.figures.kind import figure_kinds

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def blocks(page: str) -> list[tuple[str, str]]:
    """The language and the text of every block of code of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def typed(page: str) -> list[str]:
    return [line for language, text in blocks(page) if language == "shell" for line in text.splitlines()]


def call(line: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", *line.split()], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert "warning" not in done.stderr


@pytest.mark.slow
def test_the_tutorial_works_from_its_first_command_to_its_last(tmp_path):
    (method,) = [text for language, text in blocks("tutorial.md") if language == "py"]
    (tmp_path / "nearest.py").write_text(method, encoding="utf-8")
    for line in typed("tutorial.md"):
        call(line, tmp_path)
    assert (tmp_path / "table.tex").read_text().count(r"\begin{table}") >= 1
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_the_commands_of_the_gallery_work_one_after_the_other(tmp_path):
    for line in typed("gallery.md"):
        call(line, tmp_path)


def test_the_gallery_has_every_kind_of_figure():
    """A further one is an `Exhibit` in docs/make_gallery.py, which makes the page anew."""
    drawn = {line.split()[2] for line in typed("gallery.md") if line.startswith("lcbench plot")}
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
