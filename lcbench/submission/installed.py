"""Facts about an installed distribution: its requirements as installed, and its wheel."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from lcbench.errors import SubmissionError
from lcbench.reading import read_regular

MOST_WHEEL_BYTES = 512 * 1024**2


def requirements_of(name: str) -> list[str]:
    """The installed packages that a distribution needs, directly or not, without itself: `name==version` of each."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    own = canonicalize_name(name)
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    left: list[tuple[str, str]] = [(own, "")]
    while left:
        wanted, extra = left.pop()
        if (wanted, extra) in seen:
            continue
        seen.add((wanted, extra))
        installed = _installed(wanted)
        if installed is None:  # one for another platform, or one that is missing
            continue
        found[wanted] = f"{wanted}=={installed.version}"
        for text in installed.requires or ():
            try:
                needed = Requirement(text)
            except InvalidRequirement:
                continue
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                left += [(canonicalize_name(needed.name), each) for each in ("", *needed.extras)]
    found.pop(own, None)
    return [found[each] for each in sorted(found)]


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def wheel_hash(file: Path, package: str, code: str) -> str:
    """The SHA-256 of a wheel; SubmissionError if the code of `package` in it does not have the hash `code`.

    `code` is the hash over the Python files of a package that every run records.
    """
    try:
        content = read_regular(file, MOST_WHEEL_BYTES)
    except OSError as error:
        raise SubmissionError(f"The wheel '{file}' cannot be read: {error.strerror}.") from None
    if _code_in(file, package) != code:
        raise SubmissionError(
            f"The wheel '{file}' does not hold the code that made the runs: package '{package}' in it is another, or "
            "not there. Build it from what was run ('pip wheel --no-deps .'), or run the suite with what it holds."
        )
    return hashlib.sha256(content).hexdigest()


def _code_in(wheel: Path, package: str) -> str | None:
    """The hash over the Python files of a package in a wheel, as for an installed one; None if it has none."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [
                (PurePosixPath(name).relative_to(package), name)
                for name in archive.namelist()
                if name.startswith(f"{package}/") and name.endswith(".py")
            ]
            if not names and f"{package}.py" in archive.namelist():
                names = [(PurePosixPath(f"{package}.py"), f"{package}.py")]
            digest = hashlib.sha256()
            for relative, name in sorted(names):
                digest.update(relative.as_posix().encode() + b"\0" + hashlib.sha256(archive.read(name)).digest())
    except (zipfile.BadZipFile, OSError, zlib.error, RuntimeError, NotImplementedError):
        raise SubmissionError(f"'{wheel}' is no wheel.") from None
    return digest.hexdigest() if names else None
