"""What is known about data that were imported: a small file beside them, which is all that start-up reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lcbench.folders.digest import stream_digest
from lcbench.folders.listing import Kind
from lcbench.folders.parameters import kind_params
from lcbench.folders.spec import FACTORY
from lcbench.specs import Params, StreamCard, StreamSpec, TaskShape
from lcbench.writing import write_whole

FACTS_FILE, FILES_FOLDER = "imported.json", "stream"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class ImportedFacts:
    """What was imported: `params` are the defaults that its stream has, `origin` is where it came from.

    `imported` and `verified` are moments in UTC, `content` is the hash of the files.
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
        """The samples of all tasks."""
        return sum(task.samples or 0 for task in self.tasks)

    def spec(self) -> StreamSpec:
        """The stream, to be registered."""
        return StreamSpec(
            name=self.name,
            factory=FACTORY,
            tasks=partial(_shapes, self.tasks, self.params),
            params=kind_params(self.kind, self.params),
            digest=stream_digest(self.content),
            summary=self.summary,
            card=self.card,
            fixed={
                "folder": str(self.path),
                "name": self.name,
                "shown": self.name,
                "content": self.content,
                "card": self.card,
            },
        )

    def write(self, folder: Path) -> None:
        """Write the facts into the folder of an import."""
        facts = {**asdict(self), "kind": self.kind.value, "params": dict(self.params), "format": _FORMAT}
        del facts["path"]  # the cache may be moved
        write_whole(folder / FACTS_FILE, json.dumps(facts, indent=1).encode())


def read_facts(folder: Path) -> ImportedFacts:
    """The facts in the folder of an import; ValueError or OSError if there are none that can be used."""
    try:
        facts = json.loads((folder / FACTS_FILE).read_bytes())
        if facts.pop("format") != _FORMAT or facts["name"] != folder.name:
            raise ValueError("they are of another version, or of another name")
        tasks = tuple(
            TaskShape(**{**task, "classes": tuple((str(name), int(size)) for name, size in task["classes"])})
            for task in facts.pop("tasks")
        )
        card = facts.pop("card")
        return ImportedFacts(
            **{**facts, "kind": Kind(facts["kind"]), "params": dict(facts["params"])},
            path=folder / FILES_FOLDER,
            tasks=tasks,
            card=StreamCard(**{**card, "notes": tuple(card["notes"])}),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _shapes(tasks: tuple[TaskShape, ...], known: Params, params: Params) -> tuple[TaskShape, ...]:
    """The tasks as they were found when imported; under other parameters only their names are known."""
    return tasks if dict(params) == dict(known) else tuple(TaskShape(task.name) for task in tasks)
