"""Parameters of every text stream: weighting, max_features and idf. Imports nothing heavy."""

from __future__ import annotations

from lcbench.contract.specs import Param
from lcbench.errors import ParameterError

WEIGHTINGS = ("tfidf", "counts", "log", "sqrt", "sublinear-tfidf", "binary")
WITH_IDF = ("tfidf", "sublinear-tfidf")
HELD_OUT, POOL, TASK = "held-out", "pool", "task"
IDFS = (POOL, TASK)
_POOL = "pool, all tasks together, as in the literature, which looks ahead to tasks still to come"
_TASK = "task, each task alone"


def text_params(*, weighting: str, max_features: int | None, idf: str, held_out: bool = False) -> tuple[Param, ...]:
    """The parameters `weighting`, `max_features` and `idf`, with these defaults.

    With `held_out`, words are chosen in documents that are in no task, and idf may come from these too.
    """
    chosen = "the most frequent of the documents held out" if held_out else "the most frequent of all tasks"
    own = f"{_POOL}; {_TASK}, the honest lifelong setting"
    if held_out:
        own = f"held-out, documents that are in no task; {_TASK}; {_POOL}"
    return (
        Param("weighting", str, weighting, "what a word counts for in a document", WEIGHTINGS),
        Param(
            "max_features",
            int,
            max_features,
            f"how many words are kept, {chosen}; none keeps all",
            minimum=1,
            optional=True,
        ),
        Param(
            "idf",
            str,
            idf,
            f"where a word's rarity comes from: {own}",
            (HELD_OUT, *IDFS) if held_out else IDFS,
        ),
    )


def check_idf(owner: str, weighting: str, idf: str, default: str = POOL) -> None:
    """Refuse another idf than the default where the weighting has no idf: it would change nothing."""
    if idf != default and weighting not in WITH_IDF:
        raise ParameterError(
            f"{owner}: idf={idf} changes nothing with weighting={weighting}, which has no idf: leave it out, or take "
            f"{' or '.join(WITH_IDF)}."
        )
