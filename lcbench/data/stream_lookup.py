"""Finds and builds the stream that a registered name or the path of a folder stands for."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import Params, StreamSpec, resolve_params
from lcbench.data.transforms import TRANSFORM, transformed, with_transform
from lcbench.errors import UnknownNameError
from lcbench.reading import is_folder
from lcbench.registry.building import build_stream
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import Entry

if TYPE_CHECKING:
    from lcbench.contract.stream import TaskStream


def path_entry(path: PathLike[str]) -> Entry:
    """Turns a path object into the entry of a folder; its text is not searched for parameters or an alias."""
    return Entry(fspath(path), is_path=True)


def stream_spec(entry: Entry) -> tuple[StreamSpec, Source]:
    """The spec of the stream or folder that an entry names, with `transform`, and the plugin that it comes from."""
    streams = plugin_host().registry.streams
    if entry.is_path:
        from lcbench.data.folders.folder_spec import SOURCE, folder_spec

        spec = folder_spec(entry.name)
        # a folder must not be mistaken for a registered stream of the same name
        spec = folder_spec(entry.name, name=f"folder-{spec.name}") if spec.name in streams else spec
        return with_transform(spec), SOURCE
    if entry.name not in streams and is_folder(entry.name):
        raise UnknownNameError(
            f"There is no stream '{entry.name}'; for the folder of that name write './{entry.name}'."
        )
    return with_transform(streams[entry.name]), streams.source(entry.name)


def stream_params(spec: StreamSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a stream, checked and with defaults; `transform` only if it does something.

    Streams had no such parameter in version 0.1, and the ids of their runs stay.
    """
    params = resolve_params(f"Stream '{spec.name}'", spec.params, given)
    if TRANSFORM in spec.params and params[TRANSFORM.name] is None:
        del params[TRANSFORM.name]
    return params


def built_stream(spec: StreamSpec, params: Params, source: Source) -> TaskStream:
    """The stream of a spec that `stream_spec` found, its features transformed as `params` says."""
    if TRANSFORM not in spec.params:
        return build_stream(spec, params, source)
    own = {name: value for name, value in params.items() if name != TRANSFORM.name}
    return transformed(build_stream(spec, own, source), params.get(TRANSFORM.name))
