"""Tunes parameters: chooses a point of a grid by oracle, first task or silhouette.

These are the protocols; they differ in the labels they look at. All points are run first, and every protocol chooses
among the same runs, the candidates. R is the matrix of a run under the tuning metric, S that under the silhouette, T
the number of tasks.

`oracle`
    With all labels, as papers do: one point per method and stream for the whole experiment, the one with the best mean
    of (1/T) sum_j R[T-1][j] over all orders and repeats.
`first-task`
    With the labels of the first task only: in each run the point with the best R[0][0], the score of the first task of
    the order right after it was learned.
`silhouette`
    Without labels: in each run the point with the highest (1/T) sum_j S[T-1][j], the mean silhouette of all tasks
    after the last one was learned.

Best is greatest, or least under a metric where less is better. Of equal points the earlier one in the grid is taken. A
candidate that did not end well, or lacks the figure, is never chosen; under `oracle` a point needs all its runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lcbench.errors import ParameterError, did_you_mean
from lcbench.records.formulas import average_after_all
from lcbench.records.record import FAILED, OK, RunRecord
from lcbench.registry.metrics import greater_is_better

if TYPE_CHECKING:
    from lcbench.experiment.planning import Plan, TunedRun

NONE, ORACLE, FIRST_TASK, SILHOUETTE = "none", "oracle", "first-task", "silhouette"
PROTOCOLS = {ORACLE: "with labels", FIRST_TASK: "with labels of the first task", SILHOUETTE: "without labels"}
_COPIED = (
    "finished", "learn_seconds", "predict_seconds", "metric_seconds", "state_bytes", "peak_bytes", "objective_trace",
    "audit", "labels", "agreement", "environment", "code", "scores",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gap:
    """One method on one stream tuned by each protocol: means over `runs` runs of a metric after all tasks.

    A mean is None if a protocol could choose nothing, or if the method was not run untuned.
    """

    stream: str
    method: str
    metric: str
    points: int
    runs: int
    oracle: float | None
    first_task: float | None
    silhouette: float | None
    untuned: float | None

    @property
    def over_silhouette(self) -> float | None:
        """Oracle minus silhouette: what is lost without any labels."""
        return _difference(self.oracle, self.silhouette)

    @property
    def over_first_task(self) -> float | None:
        """Oracle minus first-task: what is lost with the labels of the first task only."""
        return _difference(self.oracle, self.first_task)


def check_protocol(name: str) -> None:
    """Refuses the name of an unknown protocol."""
    if name not in (NONE, *PROTOCOLS):
        hint = did_you_mean(str(name), (NONE, *PROTOCOLS))
        near = hint if "Did you mean" in hint else ""  # else it would name them all again
        raise ParameterError(f"tune takes {', '.join((NONE, *PROTOCOLS))}, not {name!r}.{near}")


def tuned_note(protocol: str, points: Sequence[Mapping[str, Any]], note: str = "") -> str:
    """The note on a tuned method in every table: the protocol, the labels it saw, and the size of the grid."""
    count = f"{len(points)} point{'' if len(points) == 1 else 's'}"
    said = f"tuned by {protocol} ({PROTOCOLS[protocol]}) over {count} of {' and '.join(points[0])}"
    return f"{note}; {said}" if note else said


def tuned_records(plan: Plan, records: Mapping[str, RunRecord]) -> list[RunRecord]:
    """Makes the record of each tuned run from its chosen candidate; `records` are by run id.

    A tuned run is left out until all its candidates are there: a choice among some of them could be another one.
    """
    made: list[RunRecord] = []
    for group in _groups(plan):
        protocol, metric = group[0].record.tune["protocol"], group[0].record.tune["metric"]
        whole = _present(group, records)
        if protocol == ORACLE and len(whole) < len(group):
            continue
        table = [_candidates(tuned, records) for tuned in whole]
        picks = _choose(protocol, metric, table)
        made += [_tuned_record(tuned, *row, records) for tuned, row in zip(whole, picks, strict=True)]
    return made


def gaps(plan: Plan, records: Mapping[str, RunRecord], metrics: Sequence[str]) -> list[Gap]:
    """Compares the protocols, whichever was asked for: one Gap per stream, method and metric.

    Protocols that see labels choose by the plan's tuning metric, whatever metric is reported.
    """
    found: list[Gap] = []
    for group in _groups(plan):
        if plan.tune_metric is None or len(_present(group, records)) < len(group):
            continue
        table = [_candidates(tuned, records) for tuned in group]
        chosen = {protocol: _picked(protocol, plan.tune_metric, table) for protocol in PROTOCOLS}
        untuned = [records.get(tuned.untuned) for tuned in group]
        for metric in metrics:
            found.append(
                Gap(
                    stream=group[0].stream.label,
                    method=group[0].method.label,
                    metric=metric,
                    points=len(group[0].points),
                    runs=len(group),
                    oracle=_mean_after_all(chosen[ORACLE], metric),
                    first_task=_mean_after_all(chosen[FIRST_TASK], metric),
                    silhouette=_mean_after_all(chosen[SILHOUETTE], metric),
                    untuned=_mean_after_all(untuned, metric),
                )
            )
    return found


def _groups(plan: Plan) -> list[list[TunedRun]]:
    """The tuned runs of each method on each stream: all orders and repeats."""
    groups: dict[tuple[str, str], list[TunedRun]] = {}
    for tuned in plan.tuned:
        groups.setdefault((tuned.stream.label, tuned.method.label), []).append(tuned)
    return list(groups.values())


def _present(group: Sequence[TunedRun], records: Mapping[str, RunRecord]) -> list[TunedRun]:
    """The tuned runs whose candidates all have a record."""
    return [tuned for tuned in group if all(run_id in records for run_id in tuned.candidates)]


def _candidates(tuned: TunedRun, records: Mapping[str, RunRecord]) -> list[RunRecord]:
    return [records[run_id] for run_id in tuned.candidates]


def _choose(
    protocol: str, metric: str, table: Sequence[Sequence[RunRecord]]
) -> list[tuple[int | None, list[float | None], list[str]]]:
    """For each run (a row of candidates): the index of the chosen point, and the figure and status of every point.

    Under `oracle` the figures are means over all runs, and a point has the status of its first run that is not OK.
    """
    sign = 1.0 if protocol == SILHOUETTE or greater_is_better(metric) else -1.0
    values = [[_figure(protocol, metric, record) for record in row] for row in table]
    ends = [[record.status for record in row] for row in table]
    if protocol == ORACLE and table:
        values = [[_mean(column) for column in zip(*values, strict=True)]] * len(table)
        ends = [[next((end for end in column if end != OK), OK) for column in zip(*ends, strict=True)]] * len(table)
    return [(_best(row, sign), row, end) for row, end in zip(values, ends, strict=True)]


def _picked(protocol: str, metric: str, table: Sequence[Sequence[RunRecord]]) -> list[RunRecord | None]:
    """The chosen candidate of each run."""
    picks = [index for index, _, _ in _choose(protocol, metric, table)]
    return [None if index is None else row[index] for index, row in zip(picks, table, strict=True)]


def _figure(protocol: str, metric: str, record: RunRecord) -> float | None:
    """The figure of a run that a protocol chooses by. It reads no other score."""
    if record.status != OK:
        return None
    if protocol == FIRST_TASK:
        R = record.scores.get(metric)
        return R[0][0] if R else None
    return average_after_all(record.scores.get(SILHOUETTE if protocol == SILHOUETTE else metric, ()))


def _best(values: Sequence[float | None], sign: float) -> int | None:
    """The index of the greatest value times `sign`, the first of equals; None if there is no value."""
    known = [(i, sign * value) for i, value in enumerate(values) if value is not None]
    return max(known, key=lambda pair: pair[1])[0] if known else None  # max keeps the first of equals


def _tuned_record(
    tuned: TunedRun,
    index: int | None,
    values: Sequence[float | None],
    ends: Sequence[str],
    records: Mapping[str, RunRecord],
) -> RunRecord:
    candidates = _candidates(tuned, records)
    tune = tuned.record.tune
    record = tuned.record.blank()
    record.choice = {
        "params": None if index is None else dict(tuned.points[index]),
        "run_id": None if index is None else tuned.candidates[index],
        "metric": tune["metric"],
        "points": [
            {"params": dict(point), "run_id": run_id, "status": end, "value": value}
            for point, run_id, end, value in zip(tuned.points, tuned.candidates, ends, values, strict=True)
        ],
        "search_seconds": sum(sum(c.learn_seconds) + sum(c.predict_seconds) for c in candidates),
    }
    if index is None:
        record.status, record.error = FAILED, _why_none(tune, ends)
        return record
    chosen = candidates[index]
    for name in _COPIED:
        setattr(record, name, getattr(chosen, name))
    record.digest = chosen.labels_digest
    record.baseline = tuned.baselines[index]
    record.note = tuned_note(tune["protocol"], tuned.points, chosen.note)
    return record


def _why_none(tune: Mapping[str, Any], ends: Sequence[str]) -> str:
    """The error message of a tuned run for which no point could be chosen."""
    bad = [end for end in ends if end != OK]
    counts = ", ".join(f"{bad.count(end)} {end}" for end in dict.fromkeys(bad))
    if len(bad) == len(ends):
        return f"No point of the grid ended well ({counts}): there is nothing to choose."
    rest = f" ({counts} besides)" if bad else ""
    return f"No point of the grid has the {tune['metric']} that tune={tune['protocol']} looks at{rest}."


def _mean_after_all(runs: Sequence[RunRecord | None], metric: str) -> float | None:
    return _mean([None if run is None else _figure(ORACLE, metric, run) for run in runs])


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, or None if there are no values or one is missing."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
