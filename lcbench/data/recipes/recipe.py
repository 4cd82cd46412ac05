"""Reads a recipe: a TOML file that assigns raw documents to tasks and clusters.

It also says where the documents come from and how their words are counted.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from lcbench.contract.reference import Reference
from lcbench.contract.specs import Params, RawData, StreamCard, StreamSpec, TaskShape
from lcbench.data.recipes.cut import Cut
from lcbench.data.text_parameters import HELD_OUT, POOL, WITH_IDF, text_params
from lcbench.errors import PluginError
from lcbench.toml_files import Count, Table, Text, checked_by, read_toml

_WEIGHTING, _, _IDF = text_params(weighting="tfidf", max_features=None, idf=POOL)
Texts = Annotated[list[Text], Field(description="a list of texts")]
Counts = Annotated[dict[str, Count], Field(description="a table of whole numbers of at least 1")]


class Card(Table):
    """`[card]`: what the data are."""

    what: Text
    source: Text
    licence: Text
    notes: Texts = Field(default_factory=list)


class Source(Table):
    """`[source]`: where the raw documents are found or fetched; see `RawData`."""

    reader: Text
    archives: Annotated[Texts, Field(min_length=1)]
    files: Texts = Field(default_factory=list)
    url: str = ""
    requirement: str = ""
    sha256: str = ""
    size: Count
    digest: str
    alternatives: dict[str, Text] = Field(default_factory=dict)
    stand_in: Text | None = None


class Words(Table):
    """`[words]`: how words are counted; `clean` names a function that turns a raw document into its text, if any."""

    clean: str = ""
    weighting: Annotated[str, checked_by(_WEIGHTING.parse)]
    idf: Annotated[str, checked_by(_IDF.parse)] | None = None
    min_df: Count
    max_features: Count


class RecipeTask(Table):
    """A task: the keys of the raw documents of each cluster with their counts, and how many a cluster drops."""

    clusters: dict[str, Counts]
    dropped: dict[str, Count] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _drops_from_clusters(self) -> Any:
        for cluster in self.dropped:
            if cluster not in self.clusters:
                raise ValueError(f"documents of '{cluster}' are dropped, which is no cluster of this task")
        return self

    def documents(self) -> dict[str, int]:
        """The number of documents that each cluster keeps."""
        return {name: sum(keys.values()) - self.dropped.get(name, 0) for name, keys in self.clusters.items()}


class Citation(Table):
    """`[[citations]]`: a publication to cite; see `Reference`."""

    key: Text
    kind: Text
    title: Text
    authors: Annotated[Texts, Field(min_length=1)]
    year: Count | None = None
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    doi: str = ""
    url: str = ""


class Recipe(Table):
    """The content of a recipe. It lists its `tasks`, or says by `cut` how they are dealt."""

    name: Text
    display: str = ""
    citations: list[Citation] = Field(default_factory=list)
    revision: Count
    summary: Text
    published: Text | None = None
    card: Card
    source: Source
    words: Words
    tasks: dict[str, RecipeTask] = Field(default_factory=dict)
    cut: Cut | None = None

    @model_validator(mode="after")
    def _has_tasks_or_a_cut(self) -> Any:
        if bool(self.tasks) == (self.cut is not None):
            raise ValueError("it takes [tasks], a table for each task, or [cut]: one of them, and not both")
        return self

    @model_validator(mode="after")
    def _documents_are_used_once(self) -> Any:
        seen: set[str] = set()
        for name, task in self.tasks.items():
            for key in (key for keys in task.clusters.values() for key in keys):
                if key in seen:
                    raise ValueError(f"the documents of '{key}' are used twice, the second time in task '{name}'")
                seen.add(key)
        return self

    @property
    def raw(self) -> RawData:
        """The raw data that the stream needs."""
        listed = {key: n for task in self.tasks.values() for keys in task.clusters.values() for key, n in keys.items()}
        counts = self.cut.counts if self.cut else listed
        lists = {"archives": tuple(self.source.archives), "files": tuple(self.source.files)}
        alternatives = tuple(self.source.alternatives.items())
        return RawData(counts=counts, **{**dict(self.source), **lists, "alternatives": alternatives})

    def shapes(self, params: Params) -> tuple[TaskShape, ...]:
        """The tasks. With another `max_features` than the recipe's only their names and numbers of clusters are known.

        Documents that hold none of the words are dropped, and how many those are is known for the recipe's words alone.
        """
        known = params["max_features"] == self.words.max_features
        if self.cut:
            return self.cut.shapes(params["tasks"], self.words.max_features if known else None)
        if not known:
            return tuple(TaskShape(name, clusters=len(task.clusters)) for name, task in self.tasks.items())
        sizes = {name: task.documents() for name, task in self.tasks.items()}
        return tuple(
            TaskShape(name, sum(size.values()), self.words.max_features, len(size), tuple(size.items()))
            for name, size in sizes.items()
        )


def recipe_spec(path: Path) -> StreamSpec:
    """The spec of the stream that a recipe describes, for `register` in `lcbench_register_streams`."""
    recipe = read_toml(path, Recipe, shown=f"The recipe '{path}'", error=PluginError)
    words, about, cut = recipe.words, recipe.card, recipe.cut
    card = StreamCard(about.what, about.source, about.licence, tuple(about.notes))
    idf = words.idf or (HELD_OUT if cut else POOL)
    params = text_params(weighting=words.weighting, max_features=words.max_features, idf=idf, held_out=cut is not None)
    return StreamSpec(
        name=recipe.name,
        factory="lcbench.data.recipes.stream:CutStream" if cut else "lcbench.data.recipes.stream:RecipeStream",
        tasks=partial(Recipe.shapes, recipe),
        params=(*params, cut.parameter) if cut else params,
        digest=f"recipe-{recipe.revision}-{recipe.source.digest}",
        summary=recipe.summary,
        card=card,
        fixed={"recipe": recipe, "card": card},
        data=recipe.raw,
        published=recipe.published,
        looks_ahead=_looks_ahead if cut else True,  # words that are not held out are chosen over all tasks
        display=recipe.display,
        citations=tuple(Reference(**{**dict(cited), "authors": tuple(cited.authors)}) for cited in recipe.citations),
    )


def _looks_ahead(params: Params) -> bool:
    """True if the rarity of words is counted over all tasks of a cut stream."""
    return bool(params["idf"] == POOL and params["weighting"] in WITH_IDF)
