"""The grammar of names: `l2sc`, `l2sc:lam=10,k=4`, `mine=l2sc:lam=10`, `digits:classes="3,5,8"`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lcbench.errors import ParameterError

_NAME = r"[A-Za-z0-9][A-Za-z0-9_.\-]*"
_ENTRY = re.compile(rf"(?:(?P<alias>{_NAME})=)?(?P<name>{_NAME})(?::(?P<params>.*))?", re.DOTALL)
_PAIR = re.compile(r'\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",]*))\s*(?P<end>,|$)')


@dataclass(frozen=True, slots=True)
class Entry:
    """A name with the parameters that were written after it, as text, and the alias before it."""

    name: str
    params: Mapping[str, str] = field(default_factory=dict)
    alias: str | None = None


def parse_entry(text: str) -> Entry:
    """The parts of `[alias=]NAME[:key=value[,key=value]*]`."""
    match = _ENTRY.fullmatch(text.strip())
    if match is None:
        raise ParameterError(
            f"'{text}' is not a name: write NAME or NAME:key=value,key=value, and name several one by one."
        )
    params = {} if match["params"] is None else _parse_pairs(match["params"], text)
    return Entry(match["name"], params, match["alias"])


def _parse_pairs(text: str, whole: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    position = 0
    while True:
        match = _PAIR.match(text, position)
        if match is None:
            raise ParameterError(
                f"'{whole}' cannot be read at '{text[position:]}': write NAME:key=value,key=value, "
                "and a value that holds a comma in double quotes."
            )
        if match["key"] in pairs:
            raise ParameterError(f"'{whole}' sets {match['key']} twice.")
        pairs[match["key"]] = match["quoted"] if match["quoted"] is not None else match["plain"].strip()
        position = match.end()
        if match["end"] == "":
            return pairs


def format_entry(name: str, params: Mapping[str, Any]) -> str:
    """The shortest text that `parse_entry` reads as `name` with `params`."""
    if not params:
        return name
    return f"{name}:{','.join(f'{key}={format_value(value)}' for key, value in params.items())}"


def format_value(value: Any) -> str:
    """A parameter's value as it is written after `key=`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        value = ",".join(str(v) for v in value)
    text = f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
    return f'"{text}"' if "," in text or text != text.strip() else text
