"""Loads tasks from folders of `.txt` files: each text is a row of weighted words.

All tasks have the same words.
"""

from __future__ import annotations

import codecs
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from lcbench.contract.specs import Params
from lcbench.data.folders.arrays import Samples
from lcbench.data.folders.layout import Layout, TaskFiles
from lcbench.data.folders.settings import FILE_NAME
from lcbench.data.sources.documents import text_digest
from lcbench.data.text import LETTER_WORDS, NoWordsError, WordCounts, WordRules, count_words, weigh
from lcbench.data.text_parameters import check_idf
from lcbench.errors import InvalidTaskError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Document:
    text: str
    label: str | None


def load_texts(layout: Layout, params: Params) -> list[Samples]:
    """Read the tasks of a folder of texts."""
    check_idf(f"Stream '{layout.shown}'", params["weighting"], params["idf"])
    documents = [_documents(layout, task) for task in layout.tasks]
    pooled = _count(layout, [d.text for task in documents for d in task], params)
    bounds = pairwise(accumulate(map(len, documents), initial=0))
    counts, labels = [], []
    for task, members, (start, end) in zip(layout.tasks, documents, bounds, strict=True):
        part = pooled.counts[start:end]
        kept = np.flatnonzero(np.diff(part.indptr))
        _check_kept(layout, task, len(members), len(kept))
        counts.append(part[kept])
        labels.append(_classes([members[i] for i in kept]))
    weighted = weigh(counts, params["weighting"], params["idf"])
    return [
        Samples(X, y, pooled.words, layout.show(task.files[0].split("/")[0]))
        for task, X, y in zip(layout.tasks, weighted, labels, strict=True)
    ]


def _documents(layout: Layout, task: TaskFiles) -> list[_Document]:
    """The documents of a task sorted by the hash of their text, an order that tells nothing about their classes."""
    keyed = []
    for file in task.files:
        text = _read(layout, file)
        folders = file.split("/")[1:-1]
        keyed.append((text_digest(text), file, _Document(text, folders[0] if folders else None)))
    return [document for _, _, document in sorted(keyed, key=lambda item: item[:2])]


def _read(layout: Layout, file: str) -> str:
    """Read one text. Where UTF-8 is expected, a byte order mark of UTF-16 is honoured."""
    encoding = layout.text.encoding
    codec = codecs.lookup(encoding).name
    try:
        content = layout.path(file).read_bytes()
        if codec == "utf-8":
            codec = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
        return content.decode(codec)
    except OSError as error:
        raise InvalidTaskError(f"'{layout.show(file)}' cannot be read ({error.strerror}).") from error
    except UnicodeError as error:
        raise InvalidTaskError(
            f"'{layout.show(file)}' is not {encoding.upper()} text: save it as such, or set encoding under [text] in "
            f'{FILE_NAME} to what it is, such as "cp1252", "cp1251" or "latin-1".'
        ) from error


def _count(layout: Layout, texts: Sequence[str], params: Params) -> WordCounts:
    settings = layout.text
    rules = WordRules(
        pattern=settings.pattern or LETTER_WORDS,
        stop_words=settings.stop_words == "english",
        min_df=settings.min_df,
        max_features=params["max_features"],
    )
    try:
        return count_words(texts, rules)
    except NoWordsError as error:
        raise InvalidTaskError(
            f"The texts of '{layout.shown}' cannot be compared, as {error}: set min_df, stop_words or pattern under "
            f"[text] in {FILE_NAME}; texts are in lower case when the pattern is looked for."
        ) from error


def _check_kept(layout: Layout, task: TaskFiles, documents: int, kept: int) -> None:
    """Refuse a task in which no text holds a counted word; warn if some texts hold none and are left out."""
    if not kept:
        raise InvalidTaskError(
            f"None of the {documents} texts of task '{task.name}' of '{layout.shown}' holds a word that is counted: "
            f"set max_features, or min_df, stop_words or pattern under [text] in {FILE_NAME}."
        )
    if kept < documents:
        logger.warning(
            "Stream '%s': %d of the %d texts of task '%s' hold no word that is counted and are left out.",
            layout.shown, documents - kept, documents, task.name,
        )  # fmt: skip


def _classes(documents: Sequence[_Document]) -> Any:
    labels = [document.label for document in documents if document.label is not None]
    return np.array(labels) if labels else None
