"""Counts the words of a recipe's tasks, and keeps the counts in the cache as `.npz`.

The name of the file is a hash of all that decides the counts. They serve every weighting.
"""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.hashing import content_id
from lcbench.data.recipes.cut import Cut
from lcbench.data.recipes.recipe import Recipe
from lcbench.data.sources.dealing import deal
from lcbench.data.sources.documents import Document
from lcbench.data.sources.locations import cache_folder, make_folder
from lcbench.data.text import NoWordsError, Rarity, WordRules, count_known_words, count_words, lengths
from lcbench.errors import InvalidTaskError, OutputError, ParameterError
from lcbench.registry.building import load_factory
from lcbench.writing import write_whole

logger = logging.getLogger(__name__)
FORMAT = 1
Clean = Callable[[str], str]


@dataclass(frozen=True, slots=True, eq=False)
class CountedTask:
    """Word counts and cluster names of the documents of a task; `dropped` documents held none of the words."""

    name: str
    counts: Any
    clusters: Any
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class CountedTasks:
    """All tasks over one vocabulary; `held_out` is its rarity in documents that are in no task, if there are any."""

    words: tuple[str, ...]
    tasks: tuple[CountedTask, ...]
    held_out: Rarity | None = None


def count_tasks(recipe: Recipe, documents: list[Document], max_features: int | None) -> CountedTasks:
    """Choose the words and count them in each document; documents without a word are dropped.

    Words are chosen over all tasks, or, where tasks are cut, in the documents held out.
    """
    clean = load_factory(recipe.words.clean) if recipe.words.clean else str
    rules = WordRules(min_df=recipe.words.min_df, max_features=max_features)
    try:
        if recipe.cut is not None:
            return _count_cut(recipe, recipe.cut, documents, clean, rules)
        return _count_listed(recipe, documents, clean, rules)
    except NoWordsError as error:
        raise InvalidTaskError(f"Stream '{recipe.name}' cannot be made: {error}.") from error


def _count_listed(recipe: Recipe, documents: list[Document], clean: Clean, rules: WordRules) -> CountedTasks:
    place = {
        key: (task, name) for task, of in recipe.tasks.items() for name, keys in of.clusters.items() for key in keys
    }
    counted = count_words([clean(document.text) for document in documents], rules)
    tasks = np.array([place[document.key][0] for document in documents])
    clusters = np.array([place[document.key][1] for document in documents])
    found = [
        _with_words(recipe, task, counted.counts[tasks == task], clusters[tasks == task], rules)
        for task in recipe.tasks
    ]
    return CountedTasks(counted.words, tuple(found))


def _count_cut(recipe: Recipe, cut: Cut, documents: list[Document], clean: Clean, rules: WordRules) -> CountedTasks:
    enough = np.array(lengths([clean(document.text) for document in documents], rules)) >= cut.least_words
    long = [document for document, kept in zip(documents, enough, strict=True) if kept]
    held_out, *dealt = deal(recipe.name, long, cut.sizes)
    chosen = count_words([clean(document.text) for document in held_out], rules)
    found = []
    for name, mine in zip(cut.task_names(), dealt, strict=True):
        counts = count_known_words([clean(document.text) for document in mine], chosen.words, rules)
        clusters = np.array([cut.names[document.key] for document in mine])
        found.append(_with_words(recipe, name, counts, clusters, rules))
    return CountedTasks(chosen.words, tuple(found), Rarity.of([chosen.counts]))


def _with_words(recipe: Recipe, name: str, counts: Any, clusters: Any, rules: WordRules) -> CountedTask:
    """A task without its documents that hold no counted word; ParameterError if none is left."""
    rows = np.flatnonzero(np.diff(counts.indptr))
    if not len(rows):
        raise ParameterError(
            f"Stream '{recipe.name}': max_features={rules.max_features} leaves no word in any document of task "
            f"'{name}': raise it."
        )
    return CountedTask(name, counts[rows], clusters[rows], counts.shape[0] - len(rows))


def matrix_path(recipe: Recipe, max_features: int | None) -> Path:
    """The file in the cache for counted tasks: its name holds a hash of all that decides them."""
    rules = [recipe.revision, recipe.words.clean, recipe.words.min_df, max_features]
    tasks = [[task, {name: list(keys) for name, keys in of.clusters.items()}] for task, of in recipe.tasks.items()]
    cut = [recipe.cut.model_dump()] if recipe.cut else []
    key = content_id([FORMAT, recipe.source.digest, rules, tasks, *cut])
    return cache_folder() / "matrices" / f"{recipe.name}-{key[:20]}.npz"


def load_counted(path: Path) -> CountedTasks | None:
    """The tasks that `save_counted` wrote; None if there is no file, or if it cannot be read."""
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            facts = json.loads(bytes(arrays["facts"]).decode())
            words = tuple(facts["words"])
            tasks = tuple(_task(arrays, i, facts["tasks"][i], len(words)) for i in range(len(facts["tasks"])))
            held_out = Rarity(facts["held_out"], arrays["held_out"]) if facts.get("held_out") else None
        return CountedTasks(words, tasks, held_out)
    except Exception as error:  # reading a damaged file may raise anything; it is only a cache
        logger.warning("'%s' is damaged (%s) and is made again.", path, error)
        return None


def save_counted(path: Path, counted: CountedTasks) -> None:
    """Write counted tasks to the cache; if that fails they are counted again the next time, with a warning."""
    names = [sorted(set(task.clusters.tolist())) for task in counted.tasks]
    tasks = [[task.name, mine, task.dropped] for task, mine in zip(counted.tasks, names, strict=True)]
    rarity = counted.held_out
    facts = json.dumps({"words": counted.words, "tasks": tasks, "held_out": rarity.documents if rarity else 0})
    arrays: dict[str, Any] = {"facts": np.frombuffer(facts.encode(), dtype=np.uint8)}
    if rarity:
        arrays["held_out"] = rarity.holding
    for i, task in enumerate(counted.tasks):
        arrays[f"data-{i}"] = task.counts.data.astype(np.int32)
        arrays[f"indices-{i}"] = task.counts.indices.astype(np.int32)
        arrays[f"indptr-{i}"] = task.counts.indptr.astype(np.int32)
        arrays[f"clusters-{i}"] = np.searchsorted(names[i], task.clusters).astype(np.int32)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    try:
        make_folder(path.parent)
        write_whole(path, buffer.getvalue())
    except OutputError as error:
        logger.warning("The counted words of %s could not be kept for the next time: %s", path.stem, error)


def remove_counted(name: str) -> None:
    """Remove the counted words of the stream `name` from the cache."""
    for path in (cache_folder() / "matrices").glob(f"{name}-" + "[0-9a-f]" * 20 + ".npz"):
        path.unlink(missing_ok=True)


def _task(arrays: Any, i: int, facts: list[Any], words: int) -> CountedTask:
    """Task `i` of a file; an error if an index does not fit the size of its matrix."""
    name, names, dropped = facts
    indptr = arrays[f"indptr-{i}"]
    counts = sparse.csr_array((arrays[f"data-{i}"], arrays[f"indices-{i}"], indptr), shape=(len(indptr) - 1, words))
    counts.check_format(full_check=True)
    return CountedTask(name, counts, np.array(names)[arrays[f"clusters-{i}"]], dropped)
