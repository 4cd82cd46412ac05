"""Seeds as a hash of what they are for, so that no run depends on what else is run."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


def derive_seed(*parts: object) -> int:
    """A 32-bit seed that depends on `parts` alone (text, numbers, and lists of them)."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def method_seed(seed: int, stream: str, order: tuple[str, ...], method: str, repeat: int) -> int:
    """The seed of one run of a method. Parameters are left out, so that grid points can be paired."""
    return derive_seed("method", seed, stream, list(order), method, repeat)


def canonical_json(value: Any) -> str:
    """One text per value: keys sorted, no white space."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_id(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
