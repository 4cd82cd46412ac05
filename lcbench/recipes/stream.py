"""The stream that a recipe describes."""

from __future__ import annotations

import logging

from lcbench.errors import DataRefusedError
from lcbench.plugins import plugin_host
from lcbench.recipes.matrices import CountedTasks, count_tasks, load_counted, matrix_path, save_counted
from lcbench.recipes.recipe import Recipe
from lcbench.sources.obtaining import obtain
from lcbench.specs import StreamCard
from lcbench.stream import TaskStream
from lcbench.task import LabelledTask
from lcbench.text.parameters import check_idf
from lcbench.text.weighting import weigh

logger = logging.getLogger(__name__)


class RecipeStream(TaskStream):
    """Documents as weighted words. The raw data are found or fetched when the tasks are first made."""

    def __init__(self, *, recipe: Recipe, card: StreamCard, weighting: str, max_features: int | None, idf: str) -> None:
        self.name = recipe.name
        self.card = card
        self.recipe = recipe
        self.weighting = weighting
        self.max_features = max_features
        self.idf = idf

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks in the recipe's order; the documents of a task in the order of a hash of their text."""
        check_idf(f"Stream '{self.name}'", self.weighting, self.idf)
        counted = self._counted()
        weighted = weigh([task.counts for task in counted.tasks], self.weighting, self.idf)
        return tuple(
            LabelledTask.from_arrays(task.name, X, task.clusters, counted.words)
            for task, X in zip(counted.tasks, weighted, strict=True)
        )

    def _counted(self) -> CountedTasks:
        path = matrix_path(self.recipe, self.max_features)
        counted = load_counted(path)
        if counted is None:
            peers = {spec.name: spec.data for spec in plugin_host().registry.streams if spec.data is not None}
            documents = obtain(self.name, self.recipe.raw, peers)
            counted = count_tasks(self.recipe, documents, self.max_features)
            self._check(counted)
            save_counted(path, counted)
        return counted

    def _check(self, counted: CountedTasks) -> None:
        """Compare with what the recipe promises; with another number of words, say what that costs."""
        shapes = self.recipe.shapes({"max_features": self.max_features})
        for task, shape in zip(counted.tasks, shapes, strict=True):
            found = {name: int((task.clusters == name).sum()) for name, _ in shape.classes}
            if shape.samples is None:
                if task.dropped:
                    logger.warning(
                        "Stream '%s': with max_features=%s, %d documents of task '%s' have no word left: dropped.",
                        self.name, self.max_features, task.dropped, task.name,
                    )  # fmt: skip
            elif found != dict(shape.classes) or len(counted.words) != shape.features:
                raise DataRefusedError(
                    f"Stream '{self.name}': task '{task.name}' came out with {found} documents and "
                    f"{len(counted.words):,} words, not as its recipe says: please report it."
                )
