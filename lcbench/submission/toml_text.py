"""Writes TOML: texts, numbers, lists of these, tables, and lists of tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def toml_text(content: Mapping[str, Any]) -> str:
    """The content as TOML: plain values first, then each table, then each list of tables."""
    lines = [f"{key} = {_value(value)}" for key, value in content.items() if not _is_table(value)]
    for key, table in content.items():
        for each in table if isinstance(table, list) else [table]:
            if isinstance(each, Mapping):
                head = f"[[{key}]]" if isinstance(table, list) else f"[{key}]"
                lines += ["", head, *(f"{name} = {_value(value)}" for name, value in each.items())]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(item, Mapping) for item in value))


def _value(value: Any) -> str:
    if isinstance(value, list):
        if not value:
            return "[]"
        return "[\n" + "".join(f"    {_value(item)},\n" for item in value) + "]"
    if isinstance(value, str):  # as JSON writes it, except that TOML wants this control character written out as well
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
