"""Writes the layout of the core into docs/design.md: every room and its files, each with the start of its docstring."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "lcbench"
PAGE = ROOT / "docs" / "design.md"
ROOMS = (
    "contract", "registry", "data", "records", "audit", "running", "experiment", "analysis", "report", "api", "cli",
    "testing",
)  # fmt: skip
START, END = "<!-- layout -->\n", "<!-- end of layout -->"
WIDTH = 120


def summary(source: Path) -> str:
    """The first sentence of a file's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0].replace("\n", " ").split(". ")[0].removesuffix(".")


def line(indent: int, name: str, source: Path) -> str:
    """One line of the layout."""
    text = f"{' ' * indent}{name}".ljust(30) + f" {summary(source)}"
    if len(text) > WIDTH:
        sys.exit(f"{source}: its first sentence is {len(text) - WIDTH} characters too long for one line of the layout.")
    return text


def folder(path: Path, indent: int) -> list[str]:
    """A room: its own line, its files, and the rooms in it."""
    lines = [line(indent, f"{path.name}/", path / "__init__.py")]
    lines += [line(indent + 2, file.name, file) for file in sorted(path.glob("*.py")) if file.name != "__init__.py"]
    for inner in sorted(inner.parent for inner in path.glob("*/__init__.py")):
        lines += folder(inner, indent + 2)
    return lines


def layout() -> str:
    """The picture, as an indented block."""
    lines = [line(4, "lcbench/", CORE / "__init__.py")]
    lines += [line(6, file.name, file) for file in sorted(CORE.glob("*.py")) if file.name != "__init__.py"]
    for room in ROOMS:
        if (CORE / room).is_dir():
            lines += folder(CORE / room, 6)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--print" in sys.argv:
        print(layout(), end="")
    else:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{START}\n{layout()}\n{END}{after}", encoding="utf-8")
