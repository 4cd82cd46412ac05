"""`[cut]` of a recipe: documents dealt to tasks of one size, and words chosen in others.

Words come from documents that are in no task, so that no task has a say in how those before it are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from lcbench.contract.specs import Param, TaskShape
from lcbench.toml_files import Count, Table


class Cut(Table):
    """Each task has `each` documents of every cluster.

    `clusters` has the key of the raw documents of each cluster, with their number. The first `held_out` documents of a
    cluster are in no task: words are chosen, and their rarity is counted, in these, so that nothing looks ahead.
    Documents of fewer than `least_words` words are left out.
    """

    tasks: Count
    each: Count
    held_out: Count
    least_words: Count = 1
    clusters: Annotated[dict[str, dict[str, Count]], Field(min_length=1)]

    @model_validator(mode="after")
    def _can_be_cut(self) -> Any:
        needed = self.held_out + self.tasks * self.each
        for name, keys in self.clusters.items():
            if len(keys) != 1:
                raise ValueError(f"cluster '{name}' of a cut takes one key of raw documents, not {len(keys)}")
            if sum(keys.values()) < needed:
                raise ValueError(f"cluster '{name}' has fewer documents than the {needed:,} that are dealt of each")
        if len(self.names) < len(self.clusters):
            raise ValueError("two clusters have the same documents")
        return self

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of raw documents by key."""
        return {key: n for keys in self.clusters.values() for key, n in keys.items()}

    @property
    def names(self) -> dict[str, str]:
        """The cluster of each key."""
        return {key: name for name, keys in self.clusters.items() for key in keys}

    @property
    def sizes(self) -> Sequence[Mapping[str, int]]:
        """The numbers of documents of each key: those held out, then those of each task."""
        return [dict.fromkeys(self.names, n) for n in (self.held_out, *[self.each] * self.tasks)]

    @property
    def parameter(self) -> Param:
        """The parameter `tasks` of the stream."""
        return Param("tasks", int, self.tasks, "number of tasks, the first of all", minimum=1, maximum=self.tasks)

    def task_names(self) -> list[str]:
        """The names of all tasks: their numbers."""
        return [f"task-{t + 1}" for t in range(self.tasks)]

    def shapes(self, tasks: int, words: int | None) -> tuple[TaskShape, ...]:
        """The first `tasks` tasks; sizes are known if `words` is the recipe's own number of words, and not None."""
        clusters = len(self.clusters)
        if words is None:
            return tuple(TaskShape(name, clusters=clusters) for name in self.task_names()[:tasks])
        classes = tuple((name, self.each) for name in sorted(self.clusters))
        size = self.each * clusters
        return tuple(TaskShape(name, size, words, clusters, classes) for name in self.task_names()[:tasks])
