"""Parses names with parameters: `l2sc:lam=10`, `mine=l2sc:lam=10`, `./news:label=y`.

Values that hold a comma stand in double quotes: `digits:classes="3,5,8"`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lcbench.errors import ParameterError

NAME_RULE = "a name starts with a letter or digit and goes on with letters, digits, '_', '-' or '.'"
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.\-]*"
_ALIAS = re.compile(rf"(?P<alias>{_NAME})=(?P<rest>.*)", re.DOTALL)
_ENTRY = re.compile(rf"(?:(?P<alias>{_NAME})=)?(?P<name>{_NAME})(?::(?P<params>.*))?", re.DOTALL)
_PAIR = re.compile(r'\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",]*))\s*(?P<end>,|$)')
_PATH = re.compile(r"[.~/\\]|[A-Za-z]:[/\\]")  # the start of a path; other paths have a separator later on
_PATH_PARAMS = re.compile(r":(?=\s*[A-Za-z_]\w*\s*=)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A name, or the path of a folder, with the parameters written after it, as text, and the alias before it."""

    name: str
    params: Mapping[str, str] = field(default_factory=dict)
    alias: str | None = None
    is_path: bool = False


def is_name(text: str) -> bool:
    """True if `text` can be the name of a method, stream or metric."""
    return re.fullmatch(_NAME, text) is not None


def natural_key(name: str) -> tuple[Any, ...]:
    """Sorts names as people do: numbers in them by value, so that task-2 comes before task-10."""
    parts = re.split(r"(\d+)", name.casefold())
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), name


def parse_entry(text: str) -> Entry:
    """The parts of `[alias=]NAME[:key=value[,key=value]*]`."""
    match = _ENTRY.fullmatch(text.strip())
    if match is None:
        raise ParameterError(
            f"'{text}' is not a name: write NAME or NAME:key=value,key=value, and name several one by one."
        )
    params = {} if match["params"] is None else _parse_pairs(match["params"], text)
    return Entry(match["name"], params, match["alias"])


def parse_stream_entry(text: str) -> Entry:
    """As `parse_entry`, but reads a text that looks like a path as one: `./news`, `/data/news:label=y`, `mine=~/news`.

    A path starts with `.`, `/`, `~` or a drive letter, or holds a path separator; its parameters follow the last
    `:` that has `key=` behind it.
    """
    stripped = text.strip()
    alias = _ALIAS.fullmatch(stripped)
    if alias is not None and is_path(alias["rest"]):
        return _parse_path(alias["rest"], alias["alias"], text)
    return _parse_path(stripped, None, text) if is_path(stripped) else parse_entry(text)


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


def is_path(text: str) -> bool:
    """True if `text` names a stream by the path of its folder."""
    if _PATH.match(text):
        return True
    before = text.split(":", 1)[0]  # a separator in a value makes no path
    return "/" in before or "\\" in before


def _parse_path(text: str, alias: str | None, whole: str) -> Entry:
    problem: ParameterError | None = None
    for match in reversed(list(_PATH_PARAMS.finditer(text))):
        try:
            params = _parse_pairs(text[match.end() :], whole)
        except ParameterError as error:  # that colon stands in a value
            problem = problem or error
        else:
            return Entry(text[: match.start()], params, alias, is_path=True)
    if problem is not None:
        raise problem
    return Entry(text, {}, alias, is_path=True)


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
