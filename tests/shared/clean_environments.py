"""Virtual environments that see what a distribution depends on, as it is installed here, and nothing else."""

from __future__ import annotations

import venv
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement


def clean_environment(folder: Path, *names: str) -> Path:
    """Makes an environment with pip and all that the distributions of these names require, but not lcbench itself.

    The packages are links: to install them takes a minute.
    """
    venv.create(folder, with_pip=True)
    (packages,) = folder.glob("[Ll]ib/**/site-packages")
    linked = folder / "dependencies"
    linked.mkdir()
    for name in sorted(set().union(*map(dependencies, names)) - {"lcbench"}):
        _link(name, linked)
    (packages / "dependencies.pth").write_text(f"{linked}\n", encoding="utf-8")
    return folder


def dependencies(name: str, known: Iterable[str] = ()) -> set[str]:
    """The names of a distribution and of all that it requires without extras."""
    names = {*known, name}
    for text in distribution(name).requires or ():
        needed = Requirement(text)
        if needed.name not in names and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
            names |= dependencies(needed.name, names)
    return names


def _link(name: str, folder: Path) -> None:
    found = distribution(name)
    for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        link = folder / top
        if not link.exists():
            link.symlink_to(Path(str(found.locate_file(top))))
