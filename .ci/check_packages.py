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
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "shared"))

from clean_environments import clean_environment  # noqa: E402

SHORT = ("--repeats 10", "--repeats 2")  # the same runs, fewer of them


def main() -> None:
    """Raises CalledProcessError where something fails."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        call(sys.executable, "-m", "build", "--outdir", place / "dist", ROOT, cwd=place)
        packages = sorted((place / "dist").iterdir())
        call(sys.executable, "-m", "twine", "check", "--strict", *packages, cwd=place)
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
    environment = clean_environment(place / f"environment-{package.suffix[1:]}", "lcbench")
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


if __name__ == "__main__":
    main()
