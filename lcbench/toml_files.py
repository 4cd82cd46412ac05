"""Reads a TOML file and checks it with a pydantic model: a sentence for every fault. Writes TOML too.

A model describes what it takes: the `description` of a field finishes the sentence "KEY must be ...". Pydantic is
imported here, so import this module only where there is a file to read.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources.abc import Traversable
from os import PathLike
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.fields import FieldInfo

from lcbench.errors import LcbenchError, did_you_mean
from lcbench.reading import MOST_TEXT_BYTES, read_regular

Model = TypeVar("Model", bound=BaseModel)
Text = Annotated[str, StringConstraints(pattern=r"\S"), Field(description="a text")]
Count = Annotated[int, Field(ge=1, description="a whole number of at least 1")]
_LONGEST = 60  # characters of a value quoted in a message


class Table(BaseModel):
    """Base of all models of TOML tables: unknown keys are refused, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)


def checked_by(parse: Callable[[Any], Any]) -> BeforeValidator:
    """A validator for a field whose value is `parse(value)`; an LcbenchError of it becomes a fault of the file."""

    def validate(value: Any) -> Any:
        try:
            return parse(value)
        except LcbenchError as error:
            raise ValueError(str(error)) from None

    return BeforeValidator(validate)


def read_toml(file: Traversable, model: type[Model], *, shown: str | None = None, error: type[LcbenchError]) -> Model:
    """The content of a TOML file as an instance of `model`; raises `error` with a line for every fault.

    `shown` is the name of the file in messages, by default its path.
    """
    shown = str(file) if shown is None else shown
    content = _content(file, shown, error)
    try:
        return model.model_validate(content)
    except ValidationError as invalid:
        faults = _faults(invalid.errors(include_url=False), content, model)
        raise error("\n".join(f"{shown}: {fault}" for fault in faults)) from None


def _content(file: Traversable, shown: str, error: type[LcbenchError]) -> dict[str, Any]:
    """The parsed TOML of a file, not checked yet."""
    try:
        content = read_regular(file, MOST_TEXT_BYTES) if isinstance(file, PathLike) else file.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise error(f"{shown}: there is no such file.") from None
    except IsADirectoryError:
        raise error(f"{shown}: this is a folder; name the file in it.") from None
    except OSError as unreadable:
        raise error(f"{shown}: it cannot be read ({unreadable.strerror}).") from None
    except UnicodeDecodeError:
        raise error(f"{shown}: it is not UTF-8 text; save it as UTF-8.") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as invalid:
        raise error(_syntax_error(shown, str(invalid), text)) from None
    except RecursionError:
        raise error(f"{shown}: its lists are nested too deeply.") from None
    except ValueError as invalid:  # of Python's, for a number of thousands of digits
        raise error(f"{shown}: it is not TOML: {invalid}.") from None


def _syntax_error(shown: str, message: str, text: str) -> str:
    """The message of the TOML parser, with the file and the line in front."""
    match = re.fullmatch(r"(?P<what>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)", message, re.DOTALL)
    if match is None:
        return f"{shown}: it is not TOML: {message}."
    line = match["line"] or text.count("\n") + (not text.endswith("\n"))
    return f"{shown}, line {line}: {match['what']}."


def _faults(errors: Sequence[Any], content: Mapping[str, Any], model: type[BaseModel]) -> list[str]:
    """A sentence for each wrong place, in the order of the file; a misspelt key before the one that is missing."""
    found: dict[tuple[Any, ...], str] = {}
    for error in sorted(errors, key=lambda error: error["type"] == "missing"):
        place, rule = error["loc"], None
        if error["type"] not in ("extra_forbidden", "missing"):
            place, rule = _described(model, _existing(place, content))
        if not any(place[: len(other)] == other for other in found):
            found[place] = _fault(place, rule, error, content, model)
    order: dict[tuple[Any, ...], int] = {(): -1, **{(key,): i for i, key in enumerate(content)}}
    return [found[place] for place in sorted(found, key=lambda place: order.get(place[:1], len(order)))]


def _fault(
    place: tuple[Any, ...], rule: str | None, error: Any, content: Mapping[str, Any], model: type[BaseModel]
) -> str:
    name = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in place)
    if error["type"] == "extra_forbidden":
        return f"there is no setting '{name}'.{did_you_mean(str(place[-1]), _keys(model, place[:-1]))}"
    if error["type"] == "missing":
        return f"'{name}' is missing."
    if rule is not None:
        return f"{name} must be {rule}, not {_shown(_value(place, content))}."
    reason = error["msg"].removeprefix("Value error, ").rstrip(".")
    if error["type"] == "value_error":
        return f"{name}: {reason}." if name else f"{reason}."
    return f"{name} {reason.removeprefix('Input ')}, not {_shown(error['input'])}."


def _described(model: type[BaseModel], place: tuple[Any, ...]) -> tuple[tuple[Any, ...], str | None]:
    """The longest start of a place whose type has a description, with that; the whole place and None if none has."""
    found: tuple[tuple[Any, ...], str | None] = (place, None)
    kinds: list[Any] = [model]
    for length, part in enumerate(place, 1):
        notes, kinds = _inside(kinds, part)
        if notes:
            found = (place[:length], notes[0])
    return found


def _keys(model: type[BaseModel], place: tuple[Any, ...]) -> list[str]:
    """The keys of the table at a place."""
    kinds: list[Any] = [model]
    for part in place:
        _, kinds = _inside(kinds, part)
    return [name for kind in kinds if _is_model(kind) for name in kind.model_fields]


def _inside(kinds: Sequence[Any], part: Any) -> tuple[list[str], list[Any]]:
    """The descriptions and plain types of what `part` leads to: a field, an item of a list or of a mapping."""
    inner: list[Any] = []
    for kind in kinds:
        if _is_model(kind):
            inner += [kind.model_fields[part]] if part in kind.model_fields else []
        elif get_origin(kind) in (list, tuple) and isinstance(part, int):
            inner.append(get_args(kind)[0])
        elif get_origin(kind) in (dict, Mapping) and isinstance(part, str):
            inner.append(get_args(kind)[1])
    notes: list[str] = []
    return notes, [plain for kind in inner for plain in _plain(kind, notes)]


def _plain(kind: Any, notes: list[str]) -> list[Any]:
    """The plain types that a field or an annotated type allows; its descriptions are added to `notes`."""
    if isinstance(kind, FieldInfo):
        notes += [kind.description] if kind.description else []
        return _plain(kind.annotation, notes)
    if get_origin(kind) is Annotated:
        notes += [n.description for n in kind.__metadata__ if isinstance(n, FieldInfo) and n.description]
        return _plain(get_args(kind)[0], notes)
    if get_origin(kind) in (Union, UnionType):
        return [plain for option in get_args(kind) for plain in _plain(option, notes)]
    return [kind]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _existing(place: tuple[Any, ...], content: Any) -> tuple[Any, ...]:
    """The start of a place that is in the file: pydantic adds the names of types to it."""
    for length, part in enumerate(place):
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            return place[:length]
    return place


def _value(place: tuple[Any, ...], content: Any) -> Any:
    for part in place:
        content = content[part]
    return content


def _shown(value: Any) -> str:
    """A value about as TOML writes it, shortened."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def toml_text(content: Mapping[str, Any]) -> str:
    """TOML of texts, numbers, lists of these, tables, and lists of tables; plain values come first."""
    plain, tables = [], []
    for key, value in content.items():
        several = isinstance(value, list)
        parts = [part for part in (value if several else [value]) if isinstance(part, Mapping)]
        for part in parts:
            tables += ["", f"[[{key}]]" if several else f"[{key}]", *(f"{k} = {_written(v)}" for k, v in part.items())]
        if not parts:
            plain.append(f"{key} = {_written(value)}")
    return "\n".join([*plain, *tables]) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + "".join(f"    {_written(item)},\n" for item in value) + "]"
    if isinstance(value, str):  # as JSON writes it, except that TOML wants this control character written out as well
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
