"""Finds and builds the stream that a registered name or the path of a folder stands for."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import Params, StreamSpec, TaskShape, resolve_params
from lcbench.data.transforms import TRANSFORM, transformed, with_transform
from lcbench.errors import InvalidTaskError, PluginError, StreamError, UnknownNameError
from lcbench.reading import is_folder
from lcbench.registry.building import build_stream
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import Entry
from lcbench.registry.plugin_code import calling

if TYPE_CHECKING:
    from lcbench.contract.stream import TaskStream
    from lcbench.contract.task import LabelledTask


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
        taken = {known.name for known in streams}  # by the same letters: the names of folders are part of run ids
        spec = folder_spec(entry.name, name=f"folder-{spec.name}") if spec.name in taken else spec
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


def stream_shapes(spec: StreamSpec, params: Params, source: Source) -> tuple[TaskShape, ...]:
    """The tasks that a spec declares under `params`; PluginError if that is not a tuple of TaskShape, or fails."""
    with calling(source, f"could not tell the tasks of stream '{spec.name}'"):
        found = spec.shapes(params)
        shapes = tuple(found) if isinstance(found, tuple | list) else ()
    if not shapes or not all(isinstance(shape, TaskShape) for shape in shapes):
        raise PluginError(
            f"{source} registers stream '{spec.name}' with a function `tasks` that returns {reprlib.repr(found)}: a "
            "tuple of TaskShape is needed."
        )
    return shapes


def tasks_of(name: str, make: Callable[[], TaskStream], who: str = "") -> tuple[LabelledTask, ...]:
    """The tasks that a stream makes, checked; StreamError if they cannot be made, which says that it is of `who`.

    Without `who` the data are a user's own, and what is wrong with them is said as it is.
    """
    from lcbench.contract.stream import check_tasks

    blamed = f"stream '{name}' of {who}" if who else f"stream '{name}'"
    with calling(blamed, "could not make its tasks", StreamError):
        stream = make()
        try:
            return check_tasks(name, stream.tasks())
        except InvalidTaskError as error:
            if who:
                raise StreamError(f"{blamed} made tasks that cannot be used: {error}") from error
            raise
