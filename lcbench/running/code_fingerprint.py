"""Hashes the code of a method, to notice edits for which no revision was raised."""

from __future__ import annotations

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

from lcbench.contract.specs import MethodSpec
from lcbench.registry.host import plugin_host
from lcbench.running.planned_run import ConfiguredMethod

MOST_FILES = 500


def code_of(method: ConfiguredMethod) -> dict[str, Any]:
    """The distribution of a method, its version, and a hash of its package; empty for an instance without a spec."""
    if not isinstance(method.origin, MethodSpec):
        return {}
    source = plugin_host().registry.methods.source(method.name)
    facts = {"distribution": source.distribution, "version": source.version}
    return {**facts, "sha256": _hash_of(method.origin.factory.partition(":")[0].partition(".")[0])}


def changed_code(then: dict[str, Any], now: dict[str, Any]) -> bool:
    """True if code was edited: the hashes differ though the distribution and its version are the same."""
    known = then.get("sha256") and now.get("sha256")
    same = all(then.get(key) == now.get(key) for key in ("distribution", "version"))
    return bool(known and same and then["sha256"] != now["sha256"])


@lru_cache(maxsize=64)
def _hash_of(package: str) -> str | None:
    """SHA-256 over the names and contents of a package's Python files; None if they cannot be found or read."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    files = [(path.relative_to(folder), path) for folder in folders for path in folder.rglob("*.py")]
    if not folders and spec.origin is not None:
        files = [(Path(spec.origin).relative_to(Path(spec.origin).parent), Path(spec.origin))]
    digest = hashlib.sha256()
    try:
        for name, path in sorted(files)[:MOST_FILES]:
            digest.update(name.as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    except OSError:
        return None
    return digest.hexdigest()
