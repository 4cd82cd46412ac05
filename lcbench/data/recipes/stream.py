"""The stream of a recipe: gets the raw data and makes tasks of weighted words."""

from __future__ import annotations

import logging

from lcbench.contract.specs import StreamCard, TaskShape
from lcbench.contract.stream import TaskStream
from lcbench.contract.task import LabelledTask
from lcbench.data.recipes.recipe import Recipe
from lcbench.data.recipes.word_counts import CountedTasks, count_tasks, load_counted, matrix_path, save_counted
from lcbench.data.sources.obtaining import raw_documents
from lcbench.data.text import weigh
from lcbench.data.text_parameters import HELD_OUT, POOL, check_idf
from lcbench.errors import PluginError

logger = logging.getLogger(__name__)


class RecipeStream(TaskStream):
    """Documents as rows of weighted words. The raw data are found or downloaded when the tasks are first made."""

    n_tasks: int | None = None  # all of them

    def __init__(self, *, recipe: Recipe, card: StreamCard, weighting: str, max_features: int | None, idf: str) -> None:
        self.name = recipe.name
        self.card = card
        self.recipe = recipe
        self.weighting = weighting
        self.max_features = max_features
        self.idf = idf

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks in the recipe's order; the documents of a task are sorted by a hash of their text."""
        check_idf(f"Stream '{self.name}'", self.weighting, self.idf, HELD_OUT if self.recipe.cut else POOL)
        counted = self._counted()
        chosen = counted.tasks[: self.n_tasks]
        weighted = weigh([task.counts for task in chosen], self.weighting, self.idf, counted.held_out)
        return tuple(
            LabelledTask.from_arrays(task.name, X, task.clusters, counted.words)
            for task, X in zip(chosen, weighted, strict=True)
        )

    def _counted(self) -> CountedTasks:
        """The counted words: from the cache, or counted anew and put there."""
        path = matrix_path(self.recipe, self.max_features)
        counted = load_counted(path)
        if counted is None or self._mismatch(counted):
            documents = raw_documents(self.name, self.recipe.raw)
            counted = count_tasks(self.recipe, documents, self.max_features)
            mismatch = self._mismatch(counted)
            if mismatch:
                raise PluginError(f"The recipe of stream '{self.name}' is not right: {mismatch}.")
            save_counted(path, counted)
        self._warn_about_dropped(counted)
        return counted

    def _mismatch(self, counted: CountedTasks) -> str:
        """The first cluster that has another number of documents than the recipe promises, in words; or nothing."""
        for task, shape in zip(counted.tasks, self._shapes(), strict=True):
            for cluster, promised in shape.classes:
                found = int((task.clusters == cluster).sum())
                if found != promised:
                    return (
                        f"{found} of {promised} documents of cluster '{cluster}' of task '{task.name}' hold a word "
                        f"that is counted; for the others write dropped = {{ {cluster} = N }} under that task"
                    )
        return ""

    def _warn_about_dropped(self, counted: CountedTasks) -> None:
        """Warn about dropped documents, unless `max_features` is the recipe's own: then its card tells of them."""
        for task, shape in zip(counted.tasks, self._shapes(), strict=True):
            if shape.samples is None and task.dropped:
                logger.warning(
                    "Stream '%s': with max_features=%s, %d documents of task '%s' have no word left: dropped.",
                    self.name, self.max_features, task.dropped, task.name,
                )  # fmt: skip

    def _shapes(self) -> tuple[TaskShape, ...]:
        """Those of all tasks, which are counted even if fewer are asked for."""
        cut = self.recipe.cut
        return self.recipe.shapes({"max_features": self.max_features, "tasks": cut.tasks if cut else None})


class CutStream(RecipeStream):
    """The first `tasks` tasks of a recipe that cuts documents into tasks."""

    def __init__(
        self, *, recipe: Recipe, card: StreamCard, weighting: str, max_features: int | None, idf: str, tasks: int
    ) -> None:
        super().__init__(recipe=recipe, card=card, weighting=weighting, max_features=max_features, idf=idf)
        self.n_tasks = tasks
