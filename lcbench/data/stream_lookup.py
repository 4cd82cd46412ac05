"""Finds the stream that a registered name or the path of a folder stands for."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from lcbench.contract.specs import StreamSpec
from lcbench.errors import UnknownNameError
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import Entry


def path_entry(path: PathLike[str]) -> Entry:
    """Turns a path object into the entry of a folder; its text is not searched for parameters or an alias."""
    return Entry(fspath(path), is_path=True)


def stream_spec(entry: Entry) -> tuple[StreamSpec, Source]:
    """The spec of the stream or folder that an entry names, and the plugin that it comes from."""
    streams = plugin_host().registry.streams
    if entry.is_path:
        from lcbench.data.folders.folder_spec import SOURCE, folder_spec

        spec = folder_spec(entry.name)
        # a folder must not be mistaken for a registered stream of the same name
        return folder_spec(entry.name, name=f"folder-{spec.name}") if spec.name in streams else spec, SOURCE
    if entry.name not in streams and Path(entry.name).is_dir():
        raise UnknownNameError(
            f"There is no stream '{entry.name}'; for the folder of that name write './{entry.name}'."
        )
    return streams[entry.name], streams.source(entry.name)
