"""Finds the tasks of a folder: their kind, files and names, and the order of tasks.

The files of the tasks are listed and not read; only stream.toml is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lcbench.data.folders.listing import Kind, find_tasks, inside, is_hidden, kind_of
from lcbench.data.folders.settings import FILE_NAME, Settings, TaskSettings, read_settings
from lcbench.data.sources.locations import expanded
from lcbench.errors import InvalidTaskError, ParameterError, UnknownNameError, suggestion
from lcbench.registry.names import natural_key

WHAT_IT_MAY_HOLD = (
    "one .npz, .csv, .tsv or .parquet file per task, or a folder per task with texts in it: task/cluster/*.txt, or "
    "task/*.txt without classes"
)


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """A task, and its file or its texts. Paths are relative to the folder, with `/`."""

    name: str
    files: tuple[str, ...]
    clusters: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The tasks and settings of a folder. `shown` is the folder as the user wrote it, for errors."""

    folder: Path
    shown: str
    kind: Kind
    tasks: tuple[TaskFiles, ...]
    settings: Settings

    @property
    def files(self) -> tuple[str, ...]:
        """The files of all tasks."""
        return tuple(file for task in self.tasks for file in task.files)

    @property
    def clusters(self) -> int | None:
        """The number of clusters of every task, unless stream.toml gives tasks numbers of their own."""
        return None if any(task.clusters for task in self.tasks) else self.settings.clusters

    def path(self, file: str) -> Path:
        """The path of a file of the folder."""
        return self.folder / file

    def show(self, file: str) -> str:
        """A file of the folder as errors name it."""
        return inside(self.shown, file)


def read_layout(folder: Path, shown: str) -> Layout:
    """The tasks of a folder; an error of one sentence if it holds none or its stream.toml does not fit."""
    _check_folder(folder, shown)
    settings = read_settings(folder, shown.rstrip("/"))
    if settings.tasks:
        found = find_tasks(folder, shown, only={item.file for item in settings.tasks})
        listed = settings.tasks
    else:
        found = find_tasks(folder, shown)
        listed = tuple(map(TaskSettings, sorted(found, key=lambda entry: natural_key(_task_name(entry, found[entry])))))
    if not listed:
        raise InvalidTaskError(_no_task_message(folder, shown))
    _check_listed(listed, found, folder, shown)
    kind = _only_kind([found[item.file][0] for item in listed], shown)
    _check_settings(settings, kind, shown)
    default = settings.clusters if any(item.clusters for item in listed) else None
    tasks = tuple(
        TaskFiles(item.name or _task_name(item.file, found[item.file]), found[item.file], item.clusters or default)
        for item in listed
    )
    return Layout(folder, shown, kind, tasks, settings)


def _no_task_message(folder: Path, shown: str) -> str:
    from lcbench.data.folders.unused_files import count_endings

    endings = count_endings(folder)
    found = f" (it has {endings})" if endings else ""
    return f"'{shown}' holds no task{found}: a stream is a folder with {WHAT_IT_MAY_HOLD}."


def _check_folder(folder: Path, shown: str) -> None:
    if os.path.isdir(folder):  # noqa: PTH112 - False, not an error, if there is no permission
        return
    if os.path.exists(folder):  # noqa: PTH110
        raise InvalidTaskError(f"'{shown}' is a file, but a stream is a folder with {WHAT_IT_MAY_HOLD}.")
    try:
        near = [entry.name for entry in os.scandir(folder.parent) if entry.is_dir() and not is_hidden(entry.name)]
    except OSError:
        near = []
    before, colon, after = shown.partition(":")
    if colon and os.path.isdir(expanded(before)):  # noqa: PTH112
        raise ParameterError(
            f"There is no folder '{shown}': parameters are written key=value with commas between them, as in "
            f"{before}:clusters=4, not '{after}'."
        )
    raise UnknownNameError(f"There is no folder '{shown}'.{suggestion(folder.name, near)}")


def _check_listed(listed: Sequence[TaskSettings], found: Mapping[str, Sequence[str]], folder: Path, shown: str) -> None:
    """Refuse tasks that are missing, listed twice, or have the same name."""
    toml = inside(shown, FILE_NAME)
    entries: dict[str, str] = {}
    for item in listed:
        if item.file not in found:
            hint = suggestion(item.file, find_tasks(folder, shown))
            raise ParameterError(f"'{toml}' lists '{item.file}', which is no task in that folder.{hint}")
        if item.file in entries.values():
            raise ParameterError(f"'{toml}' lists '{item.file}' twice.")
        name = item.name or _task_name(item.file, found[item.file])
        if name in entries:
            raise InvalidTaskError(
                f"'{inside(shown, entries[name])}' and '{inside(shown, item.file)}' are both task '{name}': give each "
                f"a name of its own, in its file name or under [[tasks]] in {FILE_NAME}."
            )
        entries[name] = item.file


def _only_kind(files: Sequence[str], shown: str) -> Kind:
    """The kind of all files; an error that names two files if there are several kinds."""
    kinds = {kind_of(file): file for file in reversed(files)}
    if len(kinds) > 1:
        one, other = (inside(shown, file) for file in sorted(kinds.values(), key=files.index)[:2])
        raise InvalidTaskError(
            f"'{one}' and '{other}' are of two kinds: keep the tasks of a stream in one, or list those that you want "
            f"under [[tasks]] in {FILE_NAME}."
        )
    return next(iter(kinds))


def _task_name(entry: str, files: Sequence[str]) -> str:
    return entry if kind_of(files[0]) is Kind.TEXTS else Path(entry).stem


def _check_settings(settings: Settings, kind: Kind, shown: str) -> None:
    """Refuse settings that have no effect on tasks of this kind."""
    idle = [
        name
        for name, said, where in (
            ("label", settings.label is not None, Kind.TABLES),
            ("drop", bool(settings.drop), Kind.TABLES),
            ("text", settings.text is not None, Kind.TEXTS),
        )
        if said and where is not kind
    ]
    if idle:
        needed = "tables (.csv, .tsv, .parquet)" if idle[0] != "text" else "folders of texts"
        raise ParameterError(
            f"'{inside(shown, FILE_NAME)}' sets '{idle[0]}', which is for {needed} and does nothing for {kind.value}: "
            "leave it out."
        )
