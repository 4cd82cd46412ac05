"""Parameters of every text stream: weighting, max_features and idf. Imports nothing heavy."""

from __future__ import annotations

from lcbench.contract.specs import Param
from lcbench.errors import ParameterError

WEIGHTINGS = ("tfidf", "counts", "log", "sqrt", "sublinear-tfidf", "binary")
WITH_IDF = ("tfidf", "sublinear-tfidf")
IDFS = ("pool", "task")


def text_params(*, weighting: str, max_features: int | None, idf: str) -> tuple[Param, ...]:
    """The parameters `weighting`, `max_features` and `idf`, with these defaults."""
    return (
        Param("weighting", str, weighting, "what a word counts for in a document", WEIGHTINGS),
        Param(
            "max_features",
            int,
            max_features,
            "how many words are kept, the most frequent of all tasks; none keeps all",
            minimum=1,
            optional=True,
        ),
        Param(
            "idf",
            str,
            idf,
            "where a word's rarity comes from: pool, all tasks together, as in the literature, which looks ahead to "
            "tasks still to come; task, each task alone, the honest lifelong setting",
            IDFS,
        ),
    )


def check_idf(owner: str, weighting: str, idf: str) -> None:
    """Refuse `idf=task` where the weighting has no idf: it would change nothing."""
    if idf == "task" and weighting not in WITH_IDF:
        raise ParameterError(
            f"{owner}: idf=task changes nothing with weighting={weighting}, which has no idf: leave it out, or take "
            f"{' or '.join(WITH_IDF)}."
        )
