"""From names to objects: methods, streams and metrics built from what plugins registered."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.contract.specs import StreamSpec
from lcbench.errors import UnknownNameError
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import Entry

if TYPE_CHECKING:
    pass


def path_entry(path: PathLike[str]) -> Entry:
    """The entry of a folder that is given as a path object."""
    return Entry(fspath(path), is_path=True)


def stream_spec(entry: Entry) -> tuple[StreamSpec, Source]:
    """The spec of a registered stream, or of the folder that an entry names; and who answers for it."""
    streams = plugin_host().registry.streams
    if entry.is_path:
        from lcbench.data.folders.folder_spec import SOURCE, folder_spec

        spec = folder_spec(entry.name)
        # a folder must not pass for a stream that others know by that name
        return folder_spec(entry.name, name=f"folder-{spec.name}") if spec.name in streams else spec, SOURCE
    if entry.name not in streams and Path(entry.name).is_dir():
        raise UnknownNameError(
            f"There is no stream '{entry.name}'; for the folder of that name write './{entry.name}'."
        )
    return streams[entry.name], streams.source(entry.name)
