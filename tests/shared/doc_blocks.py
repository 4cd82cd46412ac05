"""Blocks of code in the documentation, and the mark before each that says how it is run, or why it is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typed_commands import typed

ROOT = Path(__file__).parents[2]
OUTSIDE = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "RELEASING", "SECURITY")]
PAGES = sorted([*OUTSIDE, *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(
    r"(?:^ *<!-- (?P<mark>[^\n]*) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, and what the mark right before it says."""

    language: str
    text: str
    mark: str

    @property
    def lines(self) -> list[str]:
        """What is typed, without remarks and empty lines."""
        typed = [line.split("  #")[0].strip() for line in self.text.splitlines()]
        return [line for line in typed if line]


def blocks(page: Path) -> list[Block]:
    """The blocks of code of a page, in turn."""
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(block["language"], block["text"], block["mark"] or "") for block in found]


def commands() -> list[str]:
    """The lines that work by themselves, of all pages."""
    found = [block for page in PAGES for block in blocks(page) if (block.language, block.mark) == ("sh", "")]
    return sorted({line for block in found for line in block.lines})


def run(*arguments: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder, with the commands of this environment first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run([*map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True)


def played(page: Path, folder: Path) -> None:
    """Does what a page says from top to bottom: saves its files, and types its commands, in one folder."""
    for block in blocks(page):
        if block.mark.startswith("file: "):
            (folder / block.mark.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
        elif block.language == "shell":
            for line in block.lines:
                done = typed(line, folder)
                assert done.returncode == 0, (line, done.stdout, done.stderr)
                assert "warning" not in done.stderr, (line, done.stderr)
