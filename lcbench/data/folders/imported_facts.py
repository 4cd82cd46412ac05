"""Writes and reads `imported.json`, the description of an imported folder.

It is all that start-up reads of an import.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lcbench.contract.specs import Params, StreamCard, StreamSpec, TaskShape
from lcbench.data.folders.listing import Kind
from lcbench.data.folders.stream_spec import kind_params, make_spec
from lcbench.errors import ParameterError

FACTS_FILE, FILES_FOLDER = "imported.json", "stream"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class ImportedFacts:
    """The description of an import: `params` are the defaults of its stream, `origin` is the path it was copied from.

    `imported` and `verified` are times in UTC, `content` is the hash of the files.
    """

    name: str
    path: Path
    origin: str
    kind: Kind
    params: Mapping[str, Any]
    tasks: tuple[TaskShape, ...]
    content: str
    bytes: int
    imported: str
    verified: str
    summary: str
    card: StreamCard = field(default_factory=StreamCard)

    @property
    def samples(self) -> int:
        """The number of samples in all tasks."""
        return sum(task.samples or 0 for task in self.tasks)

    def spec(self) -> StreamSpec:
        """The spec of the stream, to be registered."""
        return make_spec(
            self.path,
            name=self.name,
            shown=self.name,
            content=self.content,
            card=self.card,
            tasks=partial(_shapes, self.tasks, self.params),
            params=kind_params(self.kind, self.params),
            summary=self.summary,
        )

    def write(self, folder: Path) -> None:
        """Write the description into the folder of an import."""
        from lcbench.writing import write_whole

        facts = {**asdict(self), "kind": self.kind.value, "params": dict(self.params), "format": _FORMAT}
        del facts["path"]  # the cache may be moved
        write_whole(folder / FACTS_FILE, json.dumps(facts, indent=1).encode())


def read_facts(folder: Path) -> ImportedFacts:
    """Read the description in the folder of an import; ValueError or OSError if it is missing or damaged."""
    try:
        facts = json.loads((folder / FACTS_FILE).read_bytes())
        if facts["format"] != _FORMAT or facts["name"] != folder.name:
            raise ValueError("it is of another version or another name")
        card, kind, params = facts["card"], Kind(facts["kind"]), dict(facts["params"])
        kind_params(kind, params)  # refuses values that the parameters cannot have
        return ImportedFacts(
            path=folder / FILES_FOLDER,
            kind=kind,
            params=params,
            tasks=tuple(map(_task, facts["tasks"])),
            bytes=int(facts["bytes"]),
            card=StreamCard(
                str(card["what"]), str(card["source"]), str(card["licence"]), tuple(map(str, card["notes"]))
            ),
            **{key: str(facts[key]) for key in ("name", "origin", "content", "imported", "verified", "summary")},
        )
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError, ParameterError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _task(task: Mapping[str, Any]) -> TaskShape:
    samples, features, clusters = (int(task[key]) for key in ("samples", "features", "clusters"))
    classes = tuple((str(name), int(size)) for name, size in task["classes"])
    return TaskShape(str(task["name"]), samples, features, clusters, classes)


def _shapes(tasks: tuple[TaskShape, ...], known: Params, params: Params) -> tuple[TaskShape, ...]:
    """The tasks as they were when imported; with other parameters only their names are known."""
    return tasks if dict(params) == dict(known) else tuple(TaskShape(task.name) for task in tasks)
