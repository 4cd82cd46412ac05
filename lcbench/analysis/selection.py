"""Selects stored runs for tables and figures, grouped by stream and by method.

A results folder holds whatever was run: several revisions of a method, points of a grid, parts of a stream, one run
scored at every step and again at the last one only. `select` keeps the runs that can be compared, counts none twice,
and notes what it left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lcbench.analysis.run_scores import figures_of
from lcbench.contract.hashing import canonical_json
from lcbench.contract.specs import Setting
from lcbench.printable import MOST_NAMED, counted
from lcbench.records.record import OK, SOLO, RunRecord, data_id, is_of_folder
from lcbench.registry.names import format_value, natural_key
from lcbench.running.provenance import changed_code

if TYPE_CHECKING:
    from lcbench.experiment.pipeline import Outcome

Key: TypeAlias = tuple[str, ...]
K = TypeVar("K")
V = TypeVar("V")
SHORT = 8
_SETTINGS = [setting.value for setting in Setting]


@dataclass(frozen=True, slots=True)
class MethodRuns:
    """The runs of one method on one stream, failed ones included, sorted by seed, repeat and order."""

    label: str
    runs: tuple[RunRecord, ...]

    @property
    def done(self) -> list[RunRecord]:
        """The successful runs."""
        return [run for run in self.runs if run.status == OK]

    @property
    def failed(self) -> list[RunRecord]:
        """The runs that failed, timed out, crashed or ran out of memory."""
        return [run for run in self.runs if run.status != OK]

    @property
    def is_single_task(self) -> bool:
        """True if the method learns each task by itself, so that neither order nor other tasks matter to it."""
        return self.runs[0].setting == Setting.SINGLE_TASK.value


@dataclass(frozen=True, slots=True)
class StreamRuns:
    """The methods on one stream, in the order asked for; then single-task, multi-task and lifelong ones."""

    label: str
    tasks: tuple[str, ...]
    methods: tuple[MethodRuns, ...]

    @property
    def done(self) -> list[MethodRuns]:
        """The methods that have a successful run."""
        return [method for method in self.methods if method.done]


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected runs, by stream; `by_id` has every run that was given, `notes` say what was left out and why.

    Where several folders were joined, `homes` has for a run, by its `id()`, the runs of its own folder by their ids.
    """

    streams: tuple[StreamRuns, ...]
    by_id: Mapping[str, RunRecord]
    notes: tuple[str, ...]
    homes: Mapping[int, Mapping[str, RunRecord]] = field(default_factory=dict, repr=False, compare=False)
    _figures: dict[tuple[int, str], tuple[RunRecord, dict[str, float | None]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def runs(self) -> list[RunRecord]:
        """All selected runs."""
        return [run for stream in self.streams for method in stream.methods for run in method.runs]

    @property
    def done(self) -> list[StreamRuns]:
        """The streams that have a successful run."""
        return [stream for stream in self.streams if stream.done]

    def beside(self, run: RunRecord) -> Mapping[str, RunRecord]:
        """The runs by id among which a run finds its baseline and its solo runs."""
        return self.homes.get(id(run), self.by_id)

    def baseline_of(self, run: RunRecord) -> RunRecord | None:
        """The run of the single-task baseline that belongs to a run, if it is known and succeeded."""
        baseline = self.beside(run).get(run.baseline or "")
        return baseline if baseline is not None and baseline.status == OK else None

    def figures_of(self, run: RunRecord, metric: str) -> dict[str, float | None]:
        """The lifelong figures of a run, measured against its baseline and its solo runs."""
        known = self._figures.get((id(run), metric))  # the run is kept beside them, so that its id stays its own
        if known is None:
            known = run, figures_of(run, metric, self.baseline_of(run), self.beside(run))
            self._figures[id(run), metric] = known
        return known[1]


def select(
    runs: Sequence[RunRecord],
    *,
    named: Sequence[str] = (),
    beside: Iterable[RunRecord] = (),
    parts: bool = False,
    candidates: bool = False,
    pooled: bool = False,
    all_data: bool = False,
    notes: Iterable[str] = (),
) -> Selection:
    """Group runs by stream and method.

    `named` are the methods that were asked for, in their order; `beside` are runs that are added to `by_id` only, such
    as baselines and solo runs. Solo runs among the others are not shown by themselves either. With `parts`, runs over a
    part of a stream's tasks are kept; with `candidates`, so are the points of grids that were tuned over.
    Runs that were made for other kinds of orders, such as one in the fixed order beside random ones, are left out
    unless they are `pooled`, and so are those on other data than the newest of a stream, unless `all_data` are asked
    for, which are told apart by their ids; so is a variant of a stream whose newest data are older than those of
    another variant. `notes` say what was left out before.
    """
    notes = list(notes)
    kept = _without_solos(runs)
    kept = kept if candidates else _without_candidates(kept, named, notes)
    kept = _newest_revisions(kept, notes)
    kept = kept if all_data else _newest_data(kept, notes)
    kept = _scored_most(kept)
    _note_edits(kept, notes)
    streams = []
    stale = set() if all_data else _on_older_data(kept, notes)
    stream_label = _label_with_data if all_data else lambda run: _marked_label(run, stale)
    for label, group in _labelled(kept, _stream_key, stream_label, _stream_facts).items():
        tasks = _stream_tasks(group)
        whole = group if parts else [run for run in group if set(run.order) == set(tasks)]
        if len(whole) < len(group):
            notes.append(
                f"{label}: left out {counted(len(group) - len(whole), 'run')} over other tasks than {', '.join(tasks)}."
            )
        whole = whole if pooled or parts else _one_kind(label, whole, notes)
        streams.append(StreamRuns(label, tasks, _methods(whole, named)))
    by_id = {run.run_id: run for run in (*beside, *runs)}
    return Selection(tuple(sorted(streams, key=lambda stream: natural_key(stream.label))), by_id, tuple(notes))


def damage_notes(damaged: Mapping[str, str]) -> list[str]:
    """A note on the runs that are in no table because their files were edited or damaged: id -> reason."""
    named = [f"{run_id[:SHORT]} ({reason})" for run_id, reason in sorted(damaged.items())[:MOST_NAMED]]
    more = f" and {len(damaged) - MOST_NAMED:,} more" if len(damaged) > MOST_NAMED else ""
    return [f"Left out {counted(len(damaged), 'damaged run')}: {', '.join(named)}{more}."] if damaged else []


def select_outcome(outcome: Outcome) -> Selection:
    """Group the runs of an experiment that has just ended, methods in the order of its runs."""
    named = list(dict.fromkeys(run.label for run in outcome))
    beside = (*outcome.solos, *outcome.searched)
    return select(outcome.runs, named=named, beside=beside, candidates=True, pooled=True)


def run_key(run: RunRecord) -> tuple[int, int, tuple[str, ...]]:
    """The seed, repeat and order of a run; runs of two methods that share them are a pair."""
    return (run.seed, run.repeat, run.order)


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values by key, from pairs of key and value; both in the order in which they come."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _methods(runs: Sequence[RunRecord], named: Sequence[str]) -> tuple[MethodRuns, ...]:
    groups = _labelled(runs, _method_key, lambda run: run.label or run.method, _method_facts)
    made = [MethodRuns(label, tuple(sorted(group, key=run_key))) for label, group in groups.items()]
    return tuple(sorted(made, key=lambda method: _sort_key(method, named)))


def _sort_key(method: MethodRuns, named: Sequence[str]) -> tuple[Any, ...]:
    """Sorts methods as they were named, then by setting, then by label."""
    run = method.runs[0]
    asked = [named.index(name) for name in (method.label, run.label, run.method) if name in named]
    setting = _SETTINGS.index(run.setting) if run.setting in _SETTINGS else len(_SETTINGS)
    return (min(asked, default=len(named)), setting, natural_key(method.label))


def _stream_key(run: RunRecord) -> Key:
    return (run.stream, canonical_json(run.stream_params), run.stream_digest)


def _stream_label(run: RunRecord) -> str:
    return run.stream_label or run.stream


def _label_with_data(run: RunRecord) -> str:
    return f"{_stream_label(run)}@{data_id(run.stream_digest)}"


def _method_key(run: RunRecord) -> Key:
    return (run.method, canonical_json(run.params), canonical_json(run.tune))


def _stream_facts(runs: Sequence[RunRecord]) -> dict[str, Any]:
    return {"stream": runs[0].stream, **runs[0].stream_params}


def _method_facts(runs: Sequence[RunRecord]) -> dict[str, Any]:
    """The facts that can tell methods of one label apart; for tuned ones also the grid, the metric and the runs."""
    tune = runs[0].tune
    tuned = {"points": len(tune.get("grid") or ()), "by": tune.get("metric"), "runs": len(runs)}
    return {"method": runs[0].method, **runs[0].params, **(tuned if runs[0].choice is not None else {})}


def _stream_tasks(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """The largest set of tasks that a run has, in the order of the stream; of equally large ones, that of most runs."""
    counts = Counter(frozenset(run.order) for run in runs)
    most = max(counts, key=lambda tasks: (len(tasks), counts[tasks], sorted(tasks)))
    stream = next((run.stream_tasks for run in runs if run.stream_tasks), tuple(sorted(most, key=natural_key)))
    return tuple(task for task in stream if task in most)


def _without_solos(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Leave out the runs that learned one task alone, only to measure those that learned several; unless all did."""
    return [run for run in runs if run.order_kinds != (SOLO,)] or list(runs)


def _one_kind(label: str, runs: list[RunRecord], notes: list[str]) -> list[RunRecord]:
    """Leave out the runs of all kinds of orders but the one with most orders, and then with most runs.

    Runs of version 0.1, whose kind is not known, are kept.
    """
    orders = grouped((kind, run.order) for run in runs for kind in run.order_kinds)
    if len(orders) < 2:
        return runs
    most = max(orders, key=lambda kind: (len(set(orders[kind])), len(orders[kind]), kind))
    kept = [run for run in runs if most in run.order_kinds or not run.order_kinds]
    if len(kept) < len(runs):
        others = [kind for kind in orders if kind != most]
        ids = {run.run_id for run in kept}
        methods = ", ".join(dict.fromkeys(run.label or run.method for run in runs if run.run_id not in ids))
        notes.append(
            f"{label}: left out {counted(len(runs) - len(kept), 'run')} of {methods} in other orders than {most}: "
            f"{' '.join(f'--order {kind}' for kind in others)} shows them."
        )
    return kept


def _without_candidates(runs: Sequence[RunRecord], named: Collection[str], notes: list[str]) -> list[RunRecord]:
    """Leave out the points of grids that were tuned over, unless they were asked for by their label."""
    points = {point["run_id"] for run in runs if run.choice is not None for point in run.choice["points"]}
    hidden = [run for run in runs if run.run_id in points and run.label != run.method and run.label not in named]
    if hidden:
        notes.append(
            f"Left out {counted(len(hidden), 'run')} of grids that were tuned over: name one with --method to see it."
        )
    ids = {run.run_id for run in hidden}
    return [run for run in runs if run.run_id not in ids]


def _note_edits(runs: Sequence[RunRecord], notes: list[str]) -> None:
    """Note the methods that have runs by other code than the newest of the same version and revision."""
    for group in grouped(((run.label or run.method, *_method_key(run)), run) for run in runs).values():
        newest = max(group, key=lambda run: run.finished or "")
        older = sum(changed_code(run.code, newest.code) for run in group)
        if older:
            notes.append(
                f"{newest.label or newest.method}: {older} of its {counted(len(group), 'run')} are by other code of "
                "the same revision than the newest: 'lcbench run --fresh' makes them again."
            )


def _newest_revisions(runs: Sequence[RunRecord], notes: list[str]) -> list[RunRecord]:
    """Leave out the runs of older revisions of a method."""
    newest: dict[str, int] = {}
    for run in runs:
        newest[run.method] = max(run.revision, newest.get(run.method, run.revision))
    old = [run for run in runs if run.revision < newest[run.method]]
    if old:
        methods = ", ".join(sorted({run.method for run in old}))
        notes.append(f"Left out {counted(len(old), 'run')} of older revisions of {methods}.")
    return [run for run in runs if run.revision == newest[run.method]]


def _newest_data(runs: Sequence[RunRecord], notes: list[str]) -> list[RunRecord]:
    """Leave out the runs on other data than those of the newest run on a stream of the same name and parameters."""
    kept = []
    for group in grouped((_stream_key(run)[:-1], run) for run in runs).values():
        newest = max(group, key=lambda run: run.finished or "")
        for digest, same in grouped((run.stream_digest, run) for run in group).items():
            if digest == newest.stream_digest:
                kept += same
            else:
                label = _stream_label(newest)
                notes.append(
                    f"{label}: left out {counted(len(same), 'run')} on other data of that name, before the newest: "
                    f"--stream {label}@{data_id(digest)} shows them."
                )
    return kept


def _on_older_data(runs: Sequence[RunRecord], notes: list[str]) -> set[tuple[str, str]]:
    """The names and digests of folders with a variant on other data than the newest of that name; notes on them."""
    stale: set[tuple[str, str]] = set()
    for group in grouped((run.stream, run) for run in runs if is_of_folder(run.stream_digest)).values():
        newest = max(group, key=lambda run: run.finished or "")
        for run in {_stream_key(run): run for run in group if run.stream_digest != newest.stream_digest}.values():
            stale.add((run.stream, run.stream_digest))
            notes.append(
                f"{_label_with_data(run)}: on other data of '{run.stream}' than the newest, "
                f"{_stream_label(newest)}@{data_id(newest.stream_digest)}: run it again to compare the two."
            )
    return stale


def _marked_label(run: RunRecord, stale: Collection[tuple[str, str]]) -> str:
    """The label of a run's stream, with the id of its data if these are stale."""
    return _label_with_data(run) if (run.stream, run.stream_digest) in stale else _stream_label(run)


def _scored_most(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Of runs that differ only in what was scored, keep the one with most scores; a successful one comes first."""
    best: dict[tuple[Any, ...], RunRecord] = {}
    for run in runs:
        key = (_stream_key(run), _method_key(run), run_key(run))
        if key not in best or _cells(run) > _cells(best[key]):
            best[key] = run
    return list(best.values())


def _cells(run: RunRecord) -> tuple[bool, int, int, str]:
    scored = max((sum(cell is not None for row in R for cell in row) for R in run.scores.values()), default=0)
    return (run.status == OK, scored, -run.threads, run.run_id)


def _labelled(
    runs: Sequence[RunRecord],
    key_of: Callable[[RunRecord], Key],
    label_of: Callable[[RunRecord], str],
    facts_of: Callable[[Sequence[RunRecord]], Mapping[str, Any]],
) -> dict[str, list[RunRecord]]:
    """Group runs by key, under the label of the newest run; labels that clash get the facts that differ."""
    groups = grouped((key_of(run), run) for run in runs)
    labels = {key: label_of(max(group, key=lambda run: run.finished or "")) for key, group in groups.items()}
    named: dict[str, list[RunRecord]] = {}
    for key, group in groups.items():
        twins = [other for other, label in labels.items() if label == labels[key]]
        label = labels[key]
        if len(twins) > 1:
            label += f" ({_differing_facts(facts_of(group), [facts_of(groups[twin]) for twin in twins])})"
        while label in named:
            label += "'"
        named[label] = group
    return named


def _differing_facts(facts: Mapping[str, Any], twins: Sequence[Mapping[str, Any]]) -> str:
    """The facts in which groups of one label differ, as text."""
    names = [name for name in facts if any(twin.get(name) != facts[name] for twin in twins)]
    return ", ".join(f"{name}={format_value(facts[name])}" for name in names) or "another"
