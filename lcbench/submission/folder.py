"""The folder of a submission: which files it may hold, and the manifest with their digests.

Nothing outside of the folder is read: it holds plain files of known names, none of them a link.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from lcbench.errors import SubmissionError
from lcbench.printable import byte_size
from lcbench.reading import MOST_TEXT_BYTES, read_regular
from lcbench.writing import write_whole

DESCRIPTION, MANIFEST, VERIFICATION, RESULTS = "submission.toml", "manifest.json", "verification.toml", "results"
NOT_LISTED = (MANIFEST, VERIFICATION, f"{RESULTS}/index.json")  # the last is a cache that is not read
MOST_FILES = 1_000_000
MOST_BYTES: Mapping[str, int] = {".toml": MOST_TEXT_BYTES, ".json": 64 * 1024**2, ".npz": 256 * 1024**2}
_FOLDERS = ("results", "results/runs", "results/labels", "results/environments")
_FILE = re.compile(
    rf"{re.escape(DESCRIPTION)}|results/(?:(?:runs|environments)/[0-9a-f]{{64}}\.json|labels/[0-9a-f]{{64}}\.npz)"
)


def write_manifest(folder: Path) -> str:
    """Write the manifest of a folder that is complete, and return the id of the submission."""
    files = {}
    for path, fault in sorted(_entries(folder)):
        if fault:
            raise SubmissionError(f"{path}: {fault}.")
        if path not in NOT_LISTED:
            files[path] = _digest(folder / path)
    content = json.dumps({"files": files}, indent=1).encode() + b"\n"
    write_whole(folder / MANIFEST, content)
    return hashlib.sha256(content).hexdigest()


def submission_id(folder: Path) -> str:
    """The SHA-256 of the manifest: it changes with every byte of the submission."""
    return hashlib.sha256(_manifest(folder)).hexdigest()


def folder_faults(folder: Path) -> Iterator[str]:
    """The faults of the files of a submission, as the manifest lists them: a sentence for each."""
    if (folder / MANIFEST).is_symlink():
        yield f"{MANIFEST}: it is a link; a submission has none"
        return
    listed = _listed(folder)
    if isinstance(listed, str):
        yield listed
        return
    found: set[str] = set()
    for path, fault in _entries(folder):
        if fault:
            yield f"{path}: {fault}"
        found.add(path)
        if not fault and path not in NOT_LISTED:
            if path not in listed:
                yield f"{path}: the manifest does not list it"
            elif _digest(folder / path) != listed[path]:
                yield f"{path}: it was changed: its digest is not that of the manifest"
    yield from (f"{path}: it is missing, and the manifest lists it" for path in listed if path not in found)


def _listed(folder: Path) -> dict[str, str] | str:
    """The digests of the manifest by path; a sentence if it has not the form of one."""
    try:
        files = json.loads(_manifest(folder))["files"]
        fits = all(isinstance(digest, str) for digest in files.values())
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        fits = False
    if not fits:
        return f"{MANIFEST}: it is no manifest"
    wrong = next((path for path in files if not _FILE.fullmatch(path)), None)
    if wrong is not None:
        return f"{MANIFEST}: it lists {wrong[:200]!r}, which no submission holds"
    return dict(files)


def _manifest(folder: Path) -> bytes:
    try:
        return read_regular(folder / MANIFEST, MOST_BYTES[".json"])
    except OSError as error:
        raise SubmissionError(
            f"'{folder}' is no submission: its {MANIFEST} cannot be read ({error.strerror})."
        ) from None


def _entries(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file below a folder by its path, and what is wrong with it; no link is followed."""
    left, count = [""], 0
    while left:
        inside = left.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                count += 1
                path = f"{inside}/{entry.name}" if inside else entry.name
                if count > MOST_FILES:
                    yield path, f"there are more than {MOST_FILES:,} files"
                    return
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode) and path in _FOLDERS:
                    left.append(path)
                else:
                    yield path, _fault(path, status)


def _fault(path: str, status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "it is a link; a submission has none"
    if path not in NOT_LISTED and not _FILE.fullmatch(path):
        return "no submission holds such a file"
    if not stat.S_ISREG(status.st_mode):
        return "it is no plain file"
    most = MOST_BYTES[Path(path).suffix]
    return f"it has {byte_size(status.st_size)}, and {byte_size(most)} are allowed" if status.st_size > most else ""


def _digest(file: Path) -> str:
    return hashlib.sha256(read_regular(file, MOST_BYTES[file.suffix])).hexdigest()
