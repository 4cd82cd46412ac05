"""Transfer: what other tasks do to the tasks of a method, in parts that add up, as curves.

It is measured against the same method alone: against runs that learned one task and nothing else. See
`records/formulas.py` for the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lcbench.analysis.differences import Difference
from lcbench.analysis.run_scores import solo_scores
from lcbench.analysis.selection import MethodRuns, Selection, grouped
from lcbench.analysis.statistics import Interval, interval
from lcbench.records.record import RunRecord
from lcbench.registry.metrics import greater_is_better

NEGATIVE, POSITIVE = "negative transfer", "positive transfer"
OWN, FORWARD, BACKWARD, TOTAL, GAIN = "own_gain", "forward", "backward", "total_transfer", "gain_over_single_task"
FIRST = "first_task_noise"
VISIBLE = 0.0005  # half a unit of the last digit that tables show


@dataclass(frozen=True, slots=True)
class Transfer:
    """A method on a stream under one metric: `solo` is its score on tasks learned alone, the mean over all tasks.

    `parts` are means with intervals, all over the same `runs` runs in `orders` orders: forward, backward, their sum the
    total transfer and the noise of the first task; where all runs have a baseline, also what the method gains over it
    by itself, and the whole gain. `flag` says if the interval of the total transfer is on one side of zero.
    """

    solo: float
    parts: Mapping[str, Interval]
    flag: str
    runs: int
    orders: int


@dataclass(frozen=True, slots=True)
class Curves:
    """Two curves of a method under one metric, each point a mean with its interval over the same runs.

    `by_arrival[n]` is the score at arrival minus solo of the tasks before which n others were known; empty without
    solo runs. `since_arrival[n]` is the score minus that at arrival, of the tasks after which n more were learned.
    """

    by_arrival: tuple[Interval, ...]
    since_arrival: tuple[Interval, ...]


def transfer_of(method: MethodRuns, selection: Selection, metric: str, confidence: float) -> Transfer | None:
    """The transfer of a method; None for one that always learns tasks alone, or without solo runs."""
    if method.is_single_task:
        return None
    figures = [(run, selection.figures_of(run, metric)) for run in method.done]
    whole = [(run, found) for run, found in figures if found[TOTAL] is not None and found[FORWARD] is not None]
    if not whole:
        return None
    names = [FORWARD, BACKWARD, TOTAL, FIRST]
    if all(found[GAIN] is not None for _, found in whole):
        names = [OWN, *names, GAIN]

    def part(name: str) -> Interval:
        values = [(run, found[name]) for run, found in whole]
        return _mean_interval(values, confidence, solo=name not in (BACKWARD, GAIN))

    parts = {name: part(name) for name in names}
    solo = part("solo_average").mean
    orders = len({run.order for run, _ in whole})
    return Transfer(solo, parts, direction(parts[TOTAL], metric), len(whole), orders)


def curves_of(method: MethodRuns, selection: Selection, metric: str, confidence: float) -> Curves:
    """The curves of a method over the runs whose scores are all there."""
    runs = [run for run in method.done if _is_whole(run, metric)]
    steps = max((len(run.order) for run in runs), default=0)
    runs = [run for run in runs if len(run.order) == steps]
    solos = {run.run_id: solo_scores(run, metric, selection.beside(run)) for run in runs}
    with_solos = [run for run in runs if (found := solos[run.run_id]) is not None and None not in found]

    def points(
        runs: Sequence[RunRecord], change: Callable[[RunRecord, int], float], *, solo: bool
    ) -> tuple[Interval, ...]:
        values = ([(run, change(run, n)) for run in runs] for n in range(steps if runs else 0))
        return tuple(_mean_interval(each, confidence, solo=solo) for each in values)

    def at_arrival(run: RunRecord, known: int) -> float:
        return _score(run, metric, known, known) - (solos[run.run_id] or ())[known]  # type: ignore[operator]

    def since(run: RunRecord, more: int) -> float:
        changes = [_score(run, metric, j + more, j) - _score(run, metric, j, j) for j in range(steps - more)]
        return sum(changes) / len(changes)

    return Curves(points(with_solos, at_arrival, solo=True), points(runs, since, solo=False))


def direction(found: Interval | Difference, metric: str) -> str:
    """NEGATIVE or POSITIVE if the whole interval is on the worse or the better side of zero, else empty.

    An end that tables show as zero counts as zero.
    """
    if found.low is None or found.high is None or (found.low < VISIBLE and found.high > -VISIBLE):
        return ""
    return POSITIVE if (found.low > 0) == greater_is_better(metric) else NEGATIVE


def _mean_interval(values: Sequence[tuple[RunRecord, float | None]], confidence: float, *, solo: bool) -> Interval:
    """The interval of the mean of values of runs, resampled by order.

    Differences to `solo` runs are resampled by these where they are fewer than the orders, as with every permutation in
    one repeat: all of its orders are measured against one set of solo runs. With one such set there is no interval.
    """
    known = [(run, value) for run, value in values if value is not None]
    by_order = grouped((run.order, value) for run, value in known)
    by_solos = grouped(((run.seed, run.repeat), value) for run, value in known)
    if not solo or len(by_solos) >= len(by_order):
        return interval(list(by_order.values()), confidence=confidence)
    found = interval(list(by_solos.values()), confidence=confidence)
    return found if len(by_solos) > 1 else Interval(found.mean, None, None, "nothing")


def _is_whole(run: RunRecord, metric: str) -> bool:
    R = run.scores.get(metric, ())
    return len(R) == len(run.order) and all(None not in row[: i + 1] for i, row in enumerate(R))


def _score(run: RunRecord, metric: str, i: int, j: int) -> float:
    score = run.scores[metric][i][j]
    assert score is not None, "runs that lack a score were left out"
    return score
