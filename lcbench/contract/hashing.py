"""Hashes: seeds of runs, one canonical JSON text per value, and its SHA-256.

A seed is the hash of what it is for, so that no run depends on what else is run.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any


def derive_seed(*parts: object) -> int:
    """A 32-bit seed that depends on `parts` alone (text, numbers, and lists of them)."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def method_seed(seed: int, stream: str, order: tuple[str, ...], method: str, repeat: int) -> int:
    """The seed of one run of a method. Parameters are left out, so that grid points can be paired."""
    return derive_seed("method", seed, stream, list(order), method, repeat)


def canonical_json(value: Any) -> str:
    """Turns a value into JSON with sorted keys and no white space: equal values give equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_id(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
