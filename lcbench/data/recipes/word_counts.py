"""Counts the words of a recipe's tasks, and keeps the counts in the cache as `.npz`.

The name of the file is a hash of all that decides the counts. They serve every weighting.
"""

from __future__ import annotations

import io
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.hashing import content_id
from lcbench.data.recipes.recipe import Recipe
from lcbench.data.sources.documents import Document
from lcbench.data.sources.locations import cache_folder, make_folder
from lcbench.data.text import NoWordsError, WordRules, count_words
from lcbench.errors import InvalidTaskError, OutputError, ParameterError
from lcbench.registry.building import load_factory
from lcbench.writing import write_whole

logger = logging.getLogger(__name__)
FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class CountedTask:
    """Word counts and cluster names of the documents of a task; `dropped` documents held none of the words."""

    name: str
    counts: Any
    clusters: Any
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class CountedTasks:
    """All tasks over one vocabulary."""

    words: tuple[str, ...]
    tasks: tuple[CountedTask, ...]


def count_tasks(recipe: Recipe, documents: list[Document], max_features: int | None) -> CountedTasks:
    """Choose the words over all tasks and count them in each document; documents without a word are dropped."""
    words = recipe.words
    clean = load_factory(words.clean) if words.clean else str
    place = {
        key: (task, name) for task, of in recipe.tasks.items() for name, keys in of.clusters.items() for key in keys
    }
    texts = [clean(document.text) for document in documents]
    try:
        counted = count_words(texts, WordRules(min_df=words.min_df, max_features=max_features))
    except NoWordsError as error:
        raise InvalidTaskError(f"Stream '{recipe.name}' cannot be made: {error}.") from error
    tasks = np.array([place[document.key][0] for document in documents])
    clusters = np.array([place[document.key][1] for document in documents])
    empty = np.diff(counted.counts.indptr) == 0
    found = []
    for task in recipe.tasks:
        mine = tasks == task
        rows = np.flatnonzero(mine & ~empty)
        if not len(rows):
            raise ParameterError(
                f"Stream '{recipe.name}': max_features={max_features} leaves no word in any document of task "
                f"'{task}': raise it."
            )
        found.append(CountedTask(task, counted.counts[rows], clusters[rows], int(np.count_nonzero(mine & empty))))
    return CountedTasks(counted.words, tuple(found))


def matrix_path(recipe: Recipe, max_features: int | None) -> Path:
    """The file in the cache for counted tasks: its name holds a hash of all that decides them."""
    rules = [recipe.revision, recipe.words.clean, recipe.words.min_df, max_features]
    tasks = [[task, {name: list(keys) for name, keys in of.clusters.items()}] for task, of in recipe.tasks.items()]
    key = content_id([FORMAT, recipe.source.digest, rules, tasks])
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
        return CountedTasks(words, tasks)
    except Exception as error:  # reading a damaged file may raise anything; it is only a cache
        logger.warning("'%s' is damaged (%s) and is made again.", path, error)
        return None


def save_counted(path: Path, counted: CountedTasks) -> None:
    """Write counted tasks to the cache; if that fails they are counted again the next time, with a warning."""
    names = [sorted(set(task.clusters.tolist())) for task in counted.tasks]
    tasks = [[task.name, mine, task.dropped] for task, mine in zip(counted.tasks, names, strict=True)]
    facts = json.dumps({"words": counted.words, "tasks": tasks})
    arrays: dict[str, Any] = {"facts": np.frombuffer(facts.encode(), dtype=np.uint8)}
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
