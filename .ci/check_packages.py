"""Builds wheel and sdist, checks them, and runs the first command of the README from each, outside the checkout.

Each is installed into a fresh environment that sees the packages lcbench depends on, and nothing else: neither the
checkout nor what only developers need.
"""

# ruff: noqa: T201
from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
SHORT = ("--repeats 10", "--repeats 2")  # the same runs, fewer of them


def main() -> None:
    """Raises CalledProcessError where something fails."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        call(sys.executable, "-m", "build", "--outdir", place / "dist", ROOT, cwd=place)
        packages = sorted((place / "dist").iterdir())
        call(sys.executable, "-m", "twine", "check", "--strict", *packages, cwd=place)
        link_dependencies(place / "dependencies")
        for package in packages:
            print(f"-- {package.name}", flush=True)
            try_out(package, place)


def call(*words: object, cwd: Path) -> None:
    """Runs a command; what it prints is shown if it fails."""
    done = subprocess.run([*map(str, words)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout, flush=True)
    done.check_returncode()


def try_out(package: Path, place: Path) -> None:
    """Installs a wheel or an sdist, and runs the first command of the README in an empty folder."""
    environment = place / f"environment-{package.suffix[1:]}"
    venv.create(environment, with_pip=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{place / 'dependencies'}\n", encoding="utf-8")
    call(environment / "bin" / "pip", "install", "--no-deps", package, cwd=place)
    elsewhere = place / f"elsewhere-{package.suffix[1:]}"
    elsewhere.mkdir()
    call(environment / "bin" / "lcbench", *first_command(), cwd=elsewhere)
    call(environment / "bin" / "lcbench", "doctor", cwd=elsewhere)


def first_command() -> list[str]:
    """The words after `lcbench` in the first command of the README, made short."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^<!-- run -->\n```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if block is None or SHORT[0] not in block[1]:
        sys.exit(f"README.md has no first command with {SHORT[0]}")
    return block[1].strip().rpartition("bin/lcbench ")[2].replace(*SHORT).split()


def link_dependencies(folder: Path) -> None:
    """Fills a folder with links to all that lcbench depends on, as it is installed here."""
    folder.mkdir()
    for name in sorted(dependencies("lcbench") - {"lcbench"}):
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
        for top in tops:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(str(found.locate_file(top))))


def dependencies(name: str, known: Iterable[str] = ()) -> set[str]:
    """The names of a distribution and of all that it requires without extras."""
    names = {*known, name}
    for text in distribution(name).requires or ():
        needed = Requirement(text)
        if needed.name not in names and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
            names |= dependencies(needed.name, names)
    return names


if __name__ == "__main__":
    main()
