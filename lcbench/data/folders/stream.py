"""The stream of a user's folder: reads its files when the tasks are asked for."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lcbench.contract.specs import Params, StreamCard, resolve_params
from lcbench.contract.stream import TaskStream, check_tasks
from lcbench.contract.task import LabelledTask
from lcbench.data.folders.arrays import Samples, load_arrays
from lcbench.data.folders.folder_spec import content_hash, layout_params
from lcbench.data.folders.layout import Kind, Layout, TaskFiles, read_layout
from lcbench.data.folders.tables import load_tables
from lcbench.data.folders.texts import load_texts
from lcbench.data.folders.unused_files import unused
from lcbench.errors import DataRefusedError, InvalidTaskError

logger = logging.getLogger(__name__)
_LOADERS: dict[Kind, Callable[[Layout, Params], Sequence[Samples]]] = {
    Kind.ARRAYS: load_arrays,
    Kind.TABLES: load_tables,
    Kind.TEXTS: load_texts,
}


class FolderStream(TaskStream):
    """A user's own data. `shown` is the folder as the user wrote it; `content` is the hash that its files must have."""

    def __init__(
        self,
        *,
        folder: str,
        name: str,
        shown: str | None = None,
        content: str | None = None,
        card: StreamCard | None = None,
        **params: Any,
    ) -> None:
        self.folder = folder
        self.name = name
        self.shown = shown or folder
        self.content = content
        self.card = card or StreamCard()
        self.params = params

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks, in the order of stream.toml or of their names."""
        layout = read_layout(Path(self.folder), self.shown)
        params = resolve_params(f"Stream '{self.name}'", layout_params(layout), self.params)
        if self.content is not None and content_hash(layout) != self.content:
            raise DataRefusedError(f"The files of '{self.shown}' have changed since they were looked at: start again.")
        if not layout.settings.tasks:
            self._warn_about_unused(layout)
        loaded = _LOADERS[layout.kind](layout, params)
        self._check_clusters(layout, params, loaded)
        tasks = [self._labelled(task, samples, params) for task, samples in zip(layout.tasks, loaded, strict=True)]
        return check_tasks(self.name, tasks)

    def _warn_about_unused(self, layout: Layout) -> None:
        """Warn about files that look like data but are not used: a user should notice that a task is missing."""
        left = unused(layout.folder, layout.files)
        if left:
            shown = ", ".join(left[:5]) + (f" and {len(left) - 5:,} more" if len(left) > 5 else "")
            logger.warning(
                "Stream '%s': not used: %s. Tasks are .npz, .csv, .tsv or .parquet files right in the folder, or "
                "folders with .txt files, or with folders of them.",
                self.shown, shown,
            )  # fmt: skip

    def _check_clusters(self, layout: Layout, params: Params, loaded: Sequence[Samples]) -> None:
        """Refuse a task without classes if neither a parameter nor stream.toml gives its number of clusters."""
        if params["clusters"] is not None:
            return
        for task, samples in zip(layout.tasks, loaded, strict=True):
            if samples.y is None and task.clusters is None:
                none = all(other.y is None for other in loaded)
                who = f"Stream '{self.shown}'" if none else f"Task '{task.name}' of stream '{self.shown}'"
                or_label = "name the column of the classes with label=, or " if layout.kind is Kind.TABLES else ""
                raise InvalidTaskError(
                    f"{who} has no labels, so {or_label}say how many clusters to look for: "
                    f"--stream {shlex.quote(f'{self.shown}:clusters=4')}"
                )

    @staticmethod
    def _labelled(task: TaskFiles, samples: Samples, params: Params) -> LabelledTask:
        """The task of the contract; an error names the file."""
        clusters = params["clusters"] or task.clusters
        try:
            return LabelledTask.from_arrays(task.name, samples.X, samples.y, samples.feature_names, clusters=clusters)
        except InvalidTaskError as error:
            raise InvalidTaskError(f"'{samples.shown}' cannot be used: {error}") from None
