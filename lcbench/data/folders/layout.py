"""Finds the tasks of a folder: their kind, files and names, and the order of tasks.

Arrays and tables are one file per task, texts a folder per task. The files of the tasks are listed and not read; only
stream.toml is.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lcbench.data.folders.settings import FILE_NAME, Settings, TaskSettings, TextSettings, read_settings
from lcbench.data.sources.locations import expanded
from lcbench.errors import InvalidTaskError, ParameterError, UnknownNameError, suggestion
from lcbench.reading import is_folder, is_there
from lcbench.registry.names import natural_key

WHAT_IT_MAY_HOLD = (
    "one .npz, .csv, .tsv or .parquet file per task, or a folder per task with texts in it: task/cluster/*.txt, or "
    "task/*.txt without classes"
)


class Kind(enum.Enum):
    """The kind of files that the tasks of a folder are kept in."""

    ARRAYS = "arrays"
    TABLES = "tables"
    TEXTS = "texts"


SUFFIXES = {".npz": Kind.ARRAYS, ".csv": Kind.TABLES, ".tsv": Kind.TABLES, ".parquet": Kind.TABLES}
TEXT_SUFFIX = ".txt"


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

    @property
    def text(self) -> TextSettings:
        """The settings of texts: those in stream.toml, or the defaults."""
        return self.settings.text or TextSettings()

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
    listed: Sequence[TaskSettings] = settings.tasks
    if listed:
        found = find_tasks(folder, shown, only={item.file for item in listed})
    else:
        found = find_tasks(folder, shown)
        names = sorted(found, key=lambda entry: natural_key(_task_name(entry, found[entry])))
        listed = [TaskSettings(file=name) for name in names]
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


def find_tasks(folder: Path, shown: str, *, only: Collection[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The files of each possible task, by the name of its file or folder; `only` limits which names are looked at."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _entries(folder, shown):
        if only is not None and entry.name not in only:
            continue
        if entry.is_dir():
            texts = _find_texts(Path(entry.path), entry.name, shown)
            if texts:
                found[entry.name] = texts
        elif suffix_of(entry.name) in SUFFIXES:
            _check_regular(entry, inside(shown, entry.name))
            found[entry.name] = (entry.name,)
    return found


def suffix_of(name: str) -> str:
    """The ending of a file name, in lower case."""
    return os.path.splitext(name)[1].lower()  # noqa: PTH122 - of a name, and of very many


def is_hidden(name: str) -> bool:
    """True if a file or folder is hidden: its name starts with a dot."""
    return name.startswith(".")


def inside(shown: str, file: str) -> str:
    """A file of a folder as errors name it."""
    return f"{shown.rstrip('/')}/{file}"


def _find_texts(folder: Path, task: str, shown: str) -> tuple[str, ...]:
    """The texts of a task: right in its folder, or one level down in the folders of its classes."""
    beside = _texts_in(folder, task, shown)
    below = [
        text
        for entry in _entries(folder, inside(shown, task))
        if entry.is_dir()
        for text in _texts_in(Path(entry.path), f"{task}/{entry.name}", shown)
    ]
    if beside and below:
        raise InvalidTaskError(
            f"'{inside(shown, beside[0])}' stands beside the folders of classes and '{inside(shown, below[0])}' in "
            "one: put every text of a task in the folder of its class, or none."
        )
    return tuple(beside or below)


def _texts_in(folder: Path, prefix: str, shown: str) -> list[str]:
    """The texts right in a folder, each with `prefix` before its name."""
    entries = _entries(folder, inside(shown, prefix))
    texts = [entry for entry in entries if suffix_of(entry.name) == TEXT_SUFFIX and not entry.is_dir()]
    for entry in texts:
        _check_regular(entry, inside(shown, f"{prefix}/{entry.name}"))
    return [f"{prefix}/{entry.name}" for entry in texts]


def _entries(folder: Path, shown: str) -> list[os.DirEntry[str]]:
    """Files and folders in a folder, without hidden ones, sorted by name."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if not is_hidden(e.name)), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidTaskError(f"'{shown}' cannot be read ({error.strerror}).") from error


def _check_regular(entry: os.DirEntry[str], shown: str) -> None:
    if not entry.is_file():
        raise InvalidTaskError(f"'{shown}' is no regular file, or a link that leads nowhere: remove or replace it.")


def _no_task_message(folder: Path, shown: str) -> str:
    from lcbench.data.folders.unused_files import count_endings

    endings = count_endings(folder)
    found = f" (it has {endings})" if endings else ""
    return f"'{shown}' holds no task{found}: a stream is a folder with {WHAT_IT_MAY_HOLD}."


def _check_folder(folder: Path, shown: str) -> None:
    if is_folder(folder):
        return
    if is_there(folder):
        raise InvalidTaskError(f"'{shown}' is a file, but a stream is a folder with {WHAT_IT_MAY_HOLD}.")
    try:
        near = [entry.name for entry in os.scandir(folder.parent) if entry.is_dir() and not is_hidden(entry.name)]
    except OSError:
        near = []
    before, colon, after = shown.partition(":")
    if colon and is_folder(expanded(before)):
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
    first = files[0]
    for file in files:
        if _kind_of(file) is not _kind_of(first):
            raise InvalidTaskError(
                f"'{inside(shown, first)}' and '{inside(shown, file)}' are of two kinds: keep the tasks of a stream in "
                f"one, or list those that you want under [[tasks]] in {FILE_NAME}."
            )
    return _kind_of(first)


def _kind_of(file: str) -> Kind:
    """The kind of a task's file, by its ending."""
    return SUFFIXES.get(suffix_of(file), Kind.TEXTS)


def _task_name(entry: str, files: Sequence[str]) -> str:
    return entry if _kind_of(files[0]) is Kind.TEXTS else Path(entry).stem


def _check_settings(settings: Settings, kind: Kind, shown: str) -> None:
    """Refuse settings that have no effect on tasks of this kind."""
    for name, said, where, needed in (
        ("label", settings.label is not None, Kind.TABLES, "tables (.csv, .tsv, .parquet)"),
        ("drop", bool(settings.drop), Kind.TABLES, "tables (.csv, .tsv, .parquet)"),
        ("text", settings.text is not None, Kind.TEXTS, "folders of texts"),
    ):
        if said and where is not kind:
            raise ParameterError(
                f"'{inside(shown, FILE_NAME)}' sets '{name}', which is for {needed} and does nothing for {kind.value}: "
                "leave it out."
            )
