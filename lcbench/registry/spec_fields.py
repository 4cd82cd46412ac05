"""Checks that the fields of a spec that a plugin registers have their types."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from lcbench.contract.reference import Reference
from lcbench.contract.specs import MetricKind, Param, RawData, Setting, StreamCard, TaskShape
from lcbench.errors import PluginError

Spec = TypeVar("Spec", bound=Any)
_TYPES: dict[str, tuple[str, Any]] = {
    "factory": ("a text", str),
    "setting": ("a Setting", Setting),
    "revision": ("a whole number", int),
    "baseline": ("the name of a method, or None,", str | None),
    "digest": ("a text", str),
    "summary": ("a text", str),
    "kind": ("a MetricKind", MetricKind),
    "card": ("a StreamCard", StreamCard),
    "data": ("a RawData, or None,", RawData | None),
    "fixed": ("a dictionary", Mapping),
    "published": ("a text, or None,", str | None),
    "file": ("a Path", Path),
    "display": ("a text", str),
}
_TUPLES: dict[str, type] = {
    "params": Param,
    "tasks": TaskShape,
    "shared": str,
    "at_default": str,
    "citations": Reference,
}
_MAY_BE_CALLED = ("tasks",)
_MAY_BE_NONE = ("shared",)


def checked_fields(spec: Spec, source: object) -> Spec:
    """The spec, with tuples in place of lists; PluginError with the field that has another type than it should."""
    tuples: dict[str, tuple[Any, ...]] = {}
    for name in (field.name for field in fields(spec)):
        value = getattr(spec, name)
        if name in _TUPLES:
            if (name in _MAY_BE_CALLED and callable(value)) or (name in _MAY_BE_NONE and value is None):
                continue
            tuples[name] = _tuple(spec, source, name, value)
        elif name in _TYPES and not isinstance(value, _TYPES[name][1]):
            raise _refused(spec, source, name, value, f"{_TYPES[name][0]} is needed")
    for shape in tuples.get("tasks", ()):
        if not isinstance(shape.name, str):
            raise _refused(spec, source, "task", shape.name, "the name of a task is a text")
    if tuples.get("tasks") == ():
        raise _refused(spec, source, "tasks", (), "a stream has at least one task")
    same = all(tuples[name] is getattr(spec, name) for name in tuples)
    return spec if same else replace(spec, **tuples)


def _tuple(spec: Any, source: object, name: str, value: Any) -> tuple[Any, ...]:
    kind = _TUPLES[name]
    if isinstance(value, kind):
        raise _refused(spec, source, name, value, f"a tuple is needed: write {name}=({_short(value)},), with the comma")
    if not isinstance(value, tuple | list) or not all(isinstance(each, kind) for each in value):
        raise _refused(spec, source, name, value, f"a tuple of {kind.__name__} is needed")
    return value if isinstance(value, tuple) else tuple(value)


def _refused(spec: Any, source: object, name: str, value: Any, needed: str) -> PluginError:
    return PluginError(f"{source} registers '{spec.name}' with {name} {_short(value)}: {needed}.")


def _short(value: Any) -> str:
    return f"{type(value).__name__}(...)" if isinstance(value, Param | TaskShape) else reprlib.repr(value)
