"""Writes what the documentation has from the code: the layout of the core, the kinds of figures, the checks.

The layout in docs/design.md shows every room and its files, each with the start of its docstring; the kinds of figures
are in docs/figures.md, the checks in docs/plugin-reference.md.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "lcbench"
ROOMS = (
    "contract", "registry", "data", "records", "audit", "running", "experiment", "analysis", "submission", "report",
    "api", "cli", "testing",
)  # fmt: skip
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


def kinds() -> str:
    """The table of the kinds of figures."""
    from lcbench.report.figures.kind import figure_kinds

    rows = [f"| `{kind.name}` | {kind.summary} | {kind.per} |\n" for kind in figure_kinds()]
    return "".join(["| kind | shows | a file per |\n|---|---|---|\n", *rows])


def checks() -> str:
    """The tables of the checks of methods, streams and metrics."""
    from lcbench.testing.kit import CHECKS

    tables = []
    for kind, found in CHECKS.items():
        rows = [f"| `{check.name}` | {check.summary} |\n" for check in found]
        tables.append("".join([f"| of a {kind} | |\n|---|---|\n", *rows]))
    return "\n".join(tables)


def write(page: str, what: str, text: str) -> None:
    """Replaces what a page has between two comments."""
    file, start, end = ROOT / "docs" / page, f"<!-- {what} -->\n", f"<!-- end of {what} -->"
    before, _, rest = file.read_text(encoding="utf-8").partition(start)
    _, _, after = rest.partition(end)
    file.write_text(f"{before}{start}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    if "--print" in sys.argv:
        print(layout(), end="")
    else:
        write("design.md", "layout", layout())
        write("figures.md", "kinds", kinds())
        write("plugin-reference.md", "checks", checks())
