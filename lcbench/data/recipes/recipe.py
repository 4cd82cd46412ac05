"""Reads a recipe: a TOML file that assigns raw documents to tasks and clusters.

It also says where the documents come from and how their words are counted. Imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lcbench.contract.specs import Params, RawData, StreamCard, StreamSpec, TaskShape
from lcbench.data.text.parameters import text_params
from lcbench.errors import ParameterError, PluginError, did_you_mean

_KEYS = {
    "": ("name", "revision", "summary", "published", "card", "source", "words", "tasks"),
    "card": ("what", "source", "licence", "notes"),
    "source": (
        "reader", "archives", "files", "url", "requirement", "sha256", "size", "digest", "alternatives", "stand_in",
    ),
    "words": ("clean", "weighting", "idf", "min_df", "max_features"),
}  # fmt: skip
_TASK_KEYS = ("clusters", "dropped")


@dataclass(frozen=True, slots=True)
class RecipeTask:
    """A task: the keys of the raw documents of each cluster, and how many documents each cluster keeps."""

    name: str
    clusters: Mapping[str, tuple[str, ...]]
    documents: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The content of a recipe. `clean` names a function that turns a raw document into its text, or is empty."""

    name: str
    revision: int
    raw: RawData
    tasks: tuple[RecipeTask, ...]
    clean: str
    min_df: int
    max_features: int

    def shapes(self, params: Params) -> tuple[TaskShape, ...]:
        """The tasks. With another `max_features` than the recipe's only their names and numbers of clusters are known.

        Documents that hold none of the words are dropped, and how many those are is known for the recipe's words alone.
        """
        if params["max_features"] != self.max_features:
            return tuple(TaskShape(task.name, clusters=len(task.clusters)) for task in self.tasks)
        return tuple(
            TaskShape(
                task.name, sum(task.documents.values()), self.max_features, len(task.clusters),
                tuple(task.documents.items()),
            )
            for task in self.tasks
        )  # fmt: skip


def recipe_spec(path: Path) -> StreamSpec:
    """The spec of the stream that a recipe describes, for `register` in `lcbench_register_streams`."""
    content = _content(path)
    recipe = _recipe(path, content)
    try:
        words, about = content["words"], content["card"]
        card = StreamCard(about["what"], about["source"], about["licence"], tuple(about.get("notes", ())))
        return StreamSpec(
            name=recipe.name,
            factory="lcbench.data.recipes.stream:RecipeStream",
            tasks=partial(Recipe.shapes, recipe),
            params=text_params(
                weighting=words["weighting"], max_features=recipe.max_features, idf=words.get("idf", "pool")
            ),
            digest=f"recipe-{recipe.revision}-{recipe.raw.digest}",
            summary=content["summary"],
            card=card,
            fixed={"recipe": recipe, "card": card},
            data=recipe.raw,
            published=content.get("published"),
        )
    except ParameterError as error:
        raise PluginError(f"The recipe '{path}' cannot be used: {error}.") from error
    except (KeyError, TypeError) as error:
        raise _incomplete(path, error) from error


def _recipe(path: Path, content: Mapping[str, Any]) -> Recipe:
    try:
        _check_keys(content)
        tasks = tuple(_task(name, table) for name, table in content["tasks"].items())
        counts: dict[str, int] = {}
        for name, table in content["tasks"].items():
            for keys in table["clusters"].values():
                for key, count in keys.items():
                    if key in counts:
                        raise ValueError(f"the documents of '{key}' are used twice, the second time in task '{name}'")
                    counts[key] = count
        source, words = content["source"], content["words"]
        for key in ("min_df", "max_features"):
            if not isinstance(words[key], int) or words[key] < 1:
                raise ValueError(f"words.{key} takes a whole number of at least 1, not {words[key]!r}")
        raw = RawData(
            reader=source["reader"],
            counts=counts,
            digest=source["digest"],
            archives=tuple(source["archives"]),
            files=tuple(source.get("files", ())),
            url=source.get("url", ""),
            requirement=source.get("requirement", ""),
            sha256=source.get("sha256", ""),
            size=source["size"],
            alternatives=tuple(source.get("alternatives", {}).items()),
            stand_in=source.get("stand_in"),
        )
        return Recipe(
            content["name"], content["revision"], raw, tasks, words.get("clean", ""), words["min_df"],
            words["max_features"],
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise _incomplete(path, error) from error
    except ValueError as error:
        raise PluginError(f"The recipe '{path}' cannot be used: {error}.") from error


def _check_keys(content: Mapping[str, Any]) -> None:
    """Refuse unknown keys: nothing would read them, so they are misspelt."""
    tables = {"": content, **{name: content[name] for name in _KEYS if name and name in content}}
    tables |= {f"tasks.{name}": table for name, table in content["tasks"].items()}
    for place, table in tables.items():
        known = _TASK_KEYS if place.startswith("tasks.") else _KEYS[place]
        for key in table:
            if key not in known:
                where = f"{place}.{key}" if place else key
                raise ValueError(f"there is no '{where}' in a recipe.{did_you_mean(key, known)}".rstrip("."))


def _task(name: str, table: Mapping[str, Any]) -> RecipeTask:
    dropped = table.get("dropped", {})
    for cluster in dropped:
        if cluster not in table["clusters"]:
            raise ValueError(f"task '{name}' drops documents of '{cluster}', which is no cluster of it")
    clusters = {cluster: tuple(keys) for cluster, keys in table["clusters"].items()}
    documents = {cluster: sum(keys.values()) - dropped.get(cluster, 0) for cluster, keys in table["clusters"].items()}
    return RecipeTask(name, clusters, documents)


def _content(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PluginError(f"The recipe '{path}' cannot be read: {error}.") from error


def _incomplete(path: Path, error: Exception) -> PluginError:
    what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
    return PluginError(f"The recipe '{path}' is not complete: {what}.")
