"""Tunes parameters: chooses a point of a grid by oracle, first task or silhouette.

These are the rules (protocols); they differ in the labels they look at. All points are run first, and every rule
chooses among the same runs, the candidates. A further rule is an entry of `RULES` and nothing else. R is the matrix of
a run under the tuning metric, S that under the silhouette, T the number of tasks.

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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lcbench.errors import ParameterError, did_you_mean
from lcbench.printable import counted
from lcbench.records.formulas import ScoreMatrix, average_after_all
from lcbench.records.record import FAILED, OK, RunRecord
from lcbench.registry.metrics import greater_is_better

if TYPE_CHECKING:
    from lcbench.experiment.planning import Plan, TunedRun

NONE, ORACLE = "none", "oracle"
_COPIED = (
    "finished", "learn_seconds", "predict_seconds", "pickle_seconds", "metric_seconds", "state_bytes", "peak_bytes",
    "cpu_seconds", "processes_left", "clock", "isolated", "sealed", "objective_trace", "audit", "labels", "agreement",
    "largest", "environment", "code", "scores", "first_schema",
)  # fmt: skip


def at_first(R: ScoreMatrix) -> float | None:
    """The score of the first task right after it was learned."""
    return R[0][0] if R else None


@dataclass(frozen=True, slots=True)
class TuningRule:
    """A way to choose among the runs of a grid: it takes the one with the best `figure` of its R.

    `sees` says which labels that takes. R is that of the tuning metric, or of the rule's own `metric`. With `together`
    one point is chosen for all orders and repeats, by the mean of their figures; else one for each run. With
    `at_arrival` the figure needs the first task scored as soon as it was learned.
    """

    sees: str
    figure: Callable[[ScoreMatrix], float | None]
    metric: str | None = None
    together: bool = False
    at_arrival: bool = False


RULES: dict[str, TuningRule] = {
    ORACLE: TuningRule("with labels", average_after_all, together=True),
    "first-task": TuningRule("with labels of the first task", at_first, at_arrival=True),
    "silhouette": TuningRule("without labels", average_after_all, metric="silhouette"),
}


@dataclass(frozen=True, slots=True)
class Gap:
    """One method on one stream tuned by each rule: means over `runs` runs of a metric after all tasks.

    `means` are by rule, and `untuned` is that of the method's own parameters; None if a rule could choose nothing, or
    if the method was not run untuned.
    """

    stream: str
    method: str
    metric: str
    points: int
    runs: int
    means: Mapping[str, float | None]
    untuned: float | None

    def lost(self, rule: str) -> float | None:
        """The mean of the oracle minus that of another rule: what is lost with the labels that this one sees."""
        best, other = self.means[ORACLE], self.means[rule]
        return None if best is None or other is None else best - other


def checked_rule(name: str) -> str:
    """The name of a rule, or `none`; any other is refused."""
    known = (NONE, *RULES)
    if name not in known:
        hint = did_you_mean(str(name), known)
        near = hint if "Did you mean" in hint else ""  # else it would name them all again
        raise ParameterError(f"tune takes {', '.join(known)}, not {name!r}.{near}")
    return name


def tuned_note(protocol: str, points: Sequence[Mapping[str, Any]], note: str = "") -> str:
    """The note on a tuned method in every table: the protocol, the labels it saw, and the size of the grid."""
    said = f"tuned by {protocol} ({RULES[protocol].sees}) over {counted(len(points), 'point')}"
    said += f" of {' and '.join(points[0])}"
    return f"{note}; {said}" if note else said


def tuned_records(plan: Plan, records: Mapping[str, RunRecord]) -> list[RunRecord]:
    """Makes the record of each tuned run from its chosen candidate; `records` are by run id.

    A tuned run is left out until all its candidates are there: a choice among some of them could be another one.
    """
    made: list[RunRecord] = []
    for group in _groups(plan):
        protocol, metric = group[0].record.tune["protocol"], group[0].record.tune["metric"]
        whole = _present(group, records)
        if RULES[protocol].together and len(whole) < len(group):
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
        chosen = {name: _picked(name, rule.metric or plan.tune_metric, table) for name, rule in RULES.items()}
        untuned = [records.get(tuned.untuned) for tuned in group]
        found += [
            Gap(
                stream=group[0].stream.label,
                method=group[0].method.label,
                metric=metric,
                points=len(group[0].points),
                runs=len(group),
                means={name: _mean_after_all(runs, metric) for name, runs in chosen.items()},
                untuned=_mean_after_all(untuned, metric),
            )
            for metric in metrics
        ]
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
    rule = RULES[protocol]
    sign = 1.0 if greater_is_better(metric) else -1.0
    values = [[_figure(rule, metric, record) for record in row] for row in table]
    ends = [[record.status for record in row] for row in table]
    if rule.together and table:
        values = [[_mean(column) for column in zip(*values, strict=True)]] * len(table)
        ends = [[next((end for end in column if end != OK), OK) for column in zip(*ends, strict=True)]] * len(table)
    return [(_best(row, sign), row, end) for row, end in zip(values, ends, strict=True)]


def _picked(protocol: str, metric: str, table: Sequence[Sequence[RunRecord]]) -> list[RunRecord | None]:
    """The chosen candidate of each run."""
    picks = [index for index, _, _ in _choose(protocol, metric, table)]
    return [None if index is None else row[index] for index, row in zip(picks, table, strict=True)]


def _figure(rule: TuningRule, metric: str, record: RunRecord) -> float | None:
    """The figure of a run that a rule chooses by. It reads no other score."""
    return rule.figure(record.scores.get(metric, ())) if record.status == OK else None


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
        record.status, record.error, record.code = FAILED, _why_none(tune, ends), candidates[0].code
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
    return _mean([None if run is None else _figure(RULES[ORACLE], metric, run) for run in runs])


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, or None if there are no values or one is missing."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
