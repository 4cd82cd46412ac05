"""Finds and reads the file of published figures of a stream, with clear errors."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING

from lcbench.contract.specs import StreamSpec, resolve_params
from lcbench.errors import LcbenchError, ParameterError, PluginError, UnknownNameError, did_you_mean
from lcbench.registry.catalogue import Registry
from lcbench.registry.names import parse_stream_entry

if TYPE_CHECKING:
    from lcbench.analysis.published.figures import Published


def streams_with_figures(registry: Registry) -> list[str]:
    """The names of the streams that have published figures."""
    return [spec.name for spec in registry.streams if spec.published is not None]


def published_for(name: str, registry: Registry) -> Published:
    """The published figures of a stream; an error that names the streams that have some if it has none."""
    known = streams_with_figures(registry)
    spec = registry.streams.get(name)
    if spec is not None and spec.published is not None:
        return read_published(spec, registry)
    if ":" in name and name.partition(":")[0] in known:
        stream = name.partition(":")[0]
        raise ParameterError(f"Parameters of '{stream}' are part of the paper's protocol: write '{stream}' alone.")
    hint = did_you_mean(name, known) if spec is None and known else ""
    names = f" There are some for {', '.join(known)}." if known and "Did you mean" not in hint else hint
    raise UnknownNameError(f"There are no published figures for '{name}'.{names}")


def read_published(spec: StreamSpec, registry: Registry) -> Published:
    """Read the file that a stream's spec names, and check it against the registered streams and metrics."""
    from pydantic import ValidationError

    from lcbench.analysis.published.figures import Published

    place = spec.published or ""
    try:
        published = Published.model_validate(tomllib.loads(_text(place)))
        _check(published, spec, registry)
    except ValidationError as error:
        raise _refused(place, spec, _fault(error)) from None
    except (ImportError, OSError, ValueError, LcbenchError) as error:
        raise _refused(place, spec, str(error)) from None
    return published


def _text(place: str) -> str:
    """The content of the file at `package:path`."""
    package, colon, path = place.partition(":")
    if not (package and colon and path):
        raise ValueError("write package:path/of/file.toml")
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


def _check(published: Published, spec: StreamSpec, registry: Registry) -> None:
    """Refuse figures of another stream, of tasks that it does not have, and of metrics not in percent."""
    entry = parse_stream_entry(published.protocol.stream)
    if entry.name != spec.name:
        raise ValueError(f"protocol.stream is '{entry.name}', but the figures are those of '{spec.name}'")
    tasks = {shape.name for shape in spec.shapes(resolve_params(f"Stream '{spec.name}'", spec.params, entry.params))}
    if set(published.tasks.values()) != tasks or len(published.tasks) != len(tasks):
        named = ", ".join(published.tasks.values())
        raise ValueError(f"tasks names {named}, and the stream has {', '.join(sorted(tasks))}")
    for metric in published.figures:
        if not registry.metrics[metric].percent:
            raise ValueError(f"figures.{metric} cannot be compared: only metrics in percent can")


def _fault(error: object) -> str:
    """The first fault that pydantic found, with its place, in one line."""
    first = error.errors(include_url=False)[0]  # type: ignore[attr-defined]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what


def _refused(place: str, spec: StreamSpec, why: str) -> PluginError:
    return PluginError(f"The published figures '{place}' of stream '{spec.name}' cannot be used: {why.rstrip('.')}.")
