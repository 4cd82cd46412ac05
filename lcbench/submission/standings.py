"""The boards of suites: scores of entries on each stream, ranks, transfer, and their means.

On a stream, the score of an entry is the mean over orders of its average over tasks, after the last was learned;
entries are ranked by it. Intervals on a stream come from drawing orders anew, those over streams from drawing streams
anew. There is no Elo rating: all entries meet on all streams, so that it would say no more than their ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from lcbench.analysis.run_scores import END, task_scores
from lcbench.analysis.selection import MethodRuns, Selection, grouped
from lcbench.analysis.statistics import Interval, interval, mean_ranks
from lcbench.analysis.transfer import BACKWARD, FORWARD, TOTAL, Transfer, transfer_of
from lcbench.experiment.suites import Suite, SuiteStream
from lcbench.registry.metrics import greater_is_better
from lcbench.submission.entries import Entry

CONFIDENCE = 0.95
SOLO = "solo"
PARTS = (SOLO, FORWARD, BACKWARD, TOTAL)


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry of a board: its `rank` is the mean of its `ranks` over streams, by the first metric of the suite.

    `scores` are by stream and metric, `means` over streams by metric; None where one cluster, as which a failed run
    counts, has no score. `transfer` is by stream, and `parts` are its means over streams; both are empty for a method
    that always learns tasks alone.
    """

    entry: Entry
    rank: Interval
    ranks: Mapping[str, float]
    scores: Mapping[tuple[str, str], Interval | None]
    means: Mapping[str, Interval | None]
    transfer: Mapping[str, Transfer]
    parts: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Board:
    """All entries on one suite, or on its quick version, the best first."""

    suite: Suite
    metrics: tuple[str, ...]
    streams: tuple[SuiteStream, ...]
    standings: tuple[Standing, ...]

    @property
    def title(self) -> str:
        """The suite, and if it is its quick version."""
        return f"{self.suite.name}, quick version" if self.suite.quick else self.suite.name


def make_boards(entries: Sequence[Entry]) -> list[Board]:
    """A board for each suite, and for each quick version, that entries were submitted for."""
    groups = grouped(((each.submission.suite.tag, each.submission.suite.quick), each) for each in entries)
    return [_board(group) for _, group in sorted(groups.items(), key=lambda item: item[0])]


def _board(entries: Sequence[Entry]) -> Board:
    suite = entries[0].submission.suite
    metrics, streams = tuple(suite.metrics), tuple(suite.streams)
    shown = [stream.shown for stream in streams]
    scores = [{(s, m): _score(entry, s, m) for s in shown for m in metrics} for entry in entries]
    ranks = {s: _ranks([found[s, metrics[0]] for found in scores], metrics[0]) for s in shown}
    standings = []
    for i, (entry, found) in enumerate(zip(entries, scores, strict=True)):
        own = {s: ranks[s][i] for s in shown}
        transfer = _transfer(entry, shown, metrics[0])
        standings.append(
            Standing(
                entry=entry, rank=_over_streams(list(own.values())), ranks=own, scores=found,
                means={m: _mean([found[s, m] for s in shown]) for m in metrics}, transfer=transfer,
                parts={part: _over_streams([part_of(each, part).mean for each in transfer.values()]) for part in PARTS}
                if transfer else {},
            )
        )  # fmt: skip

    def place(standing: Standing) -> tuple[float, float, str]:
        return standing.rank.mean, _loss(standing.means[metrics[0]], metrics[0]), standing.entry.name

    return Board(suite, metrics, streams, tuple(sorted(standings, key=place)))


def part_of(transfer: Transfer, part: str) -> Interval:
    """A part of a transfer; its score on tasks learned alone, which has no interval of its own, among them."""
    return Interval(transfer.solo, None, None, "nothing") if part == SOLO else transfer.parts[part]


def _score(entry: Entry, stream: str, metric: str) -> Interval | None:
    """The mean over orders of the average over tasks, after all were learned."""
    values = [(run.order, task_scores(run, metric, END, run.order).get(None)) for run in entry.runs_on(stream)]
    known = [(order, value) for order, value in values if value is not None]
    if len(known) < len(values):
        return None
    return interval(list(grouped(known).values()), confidence=CONFIDENCE)


def _ranks(scores: Sequence[Interval | None], metric: str) -> list[float]:
    """The rank of each score on a stream, 1 for the best; ties share the mean of theirs, and no score is the worst."""
    losses = {i: _loss(score, metric) for i, score in enumerate(scores)}
    return list(mean_ranks({"": losses}, greater_is_better=False).values())


def _loss(score: Interval | None, metric: str) -> float:
    """A number that is the less the better the score is; infinity if there is none."""
    if score is None:
        return inf
    return -score.mean if greater_is_better(metric) else score.mean


def _transfer(entry: Entry, streams: Sequence[str], metric: str) -> dict[str, Transfer]:
    """The transfer by stream; empty unless it is known on all of them."""
    beside = Selection((), entry.solos, ())
    found = {
        stream: transfer_of(MethodRuns(entry.name, tuple(entry.runs_on(stream))), beside, metric, CONFIDENCE)
        for stream in streams
    }
    known = {stream: transfer for stream, transfer in found.items() if transfer is not None}
    return known if len(known) == len(streams) else {}


def _mean(scores: Sequence[Interval | None]) -> Interval | None:
    known = [score.mean for score in scores if score is not None]
    return _over_streams(known) if len(known) == len(scores) else None


def _over_streams(values: Sequence[float]) -> Interval:
    """The mean over streams, and its interval from drawing streams anew; the same streams for every entry."""
    return interval([[value] for value in values], confidence=CONFIDENCE)
