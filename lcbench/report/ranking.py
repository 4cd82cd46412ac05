"""Methods ranked over several streams."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.report.compared import ComparedStream, Ranking
from lcbench.scoring import greater_is_better
from lcbench.statistics.ranks import LEAST_STREAMS, common_methods, critical_difference, friedman, mean_ranks


def rank(streams: Sequence[ComparedStream], metric: str) -> Ranking | None:
    """The ranks by the mean of the average over tasks; None unless two methods are on two streams or more."""
    entries: dict[str, set[str]] = {}
    for stream in streams:
        for method in stream.methods:
            entries.setdefault(method.label, set()).add(method.entry)
    scores = {
        stream.label: {
            method.label: spread.mean
            for method in stream.methods
            if len(entries[method.label]) == 1  # else the label is another method there
            and (spread := stream.scores.get((method.label, metric, None))) is not None
        }
        for stream in streams
    }
    scores = {stream: found for stream, found in scores.items() if found}
    ranked = common_methods(scores)
    if len(scores) < 2 or len(ranked) < 2:
        return None
    enough = len(scores) >= LEAST_STREAMS
    return Ranking(
        metric=metric,
        streams=len(scores),
        ranks=mean_ranks(scores, greater_is_better=greater_is_better(metric)),
        left_out=tuple(label for label in entries if label not in ranked),
        friedman=friedman(scores) if enough else None,
        critical_difference=critical_difference(len(ranked), len(scores)) if enough else None,
    )
