"""Shows all that is known of one stored run, for `results show`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lcbench.analysis.caveats import NOT_ISOLATED, UNVERIFIED
from lcbench.analysis.run_scores import figures_of
from lcbench.cli.run_tables import lifelong_sheets
from lcbench.errors import RecordError
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import FIRST_CLOCK, OK, RunRecord
from lcbench.records.scoring import complete
from lcbench.records.store import RunStore
from lcbench.registry.names import format_value
from lcbench.report import numbers
from lcbench.report.audit_table import audit_rows, open_places
from lcbench.report.sheets.sheet import Sheet, fact_sheet, text_sheet

COMMAND_WIDTH = 74
WHERE = "docs/formulas.md has each formula and what it needs."


def run_sheets(store: RunStore, run_id: str) -> Iterator[Sheet]:
    """The run in parts: what ran, how it ended, its command, scores, costs, audit, environment, files."""
    run = store.load(run_id)
    if run is None:
        raise RecordError(f"Run '{run_id}' cannot be read any more.")
    yield fact_sheet(f"run {run_id}", _what_ran(run))
    yield replace(fact_sheet("", _how_it_ended(run)), notes=tuple(f"  {line}" for line in run.traceback))
    if run.command:
        yield _lines("Made by", _shell_lines(run.command))
    yield from _score_sheets(run, store)
    if run.learn_seconds:
        yield _costs(run)
    if run.audit:
        yield _lines("Audit", audit_lines(run))
    if run.environment:
        yield fact_sheet("Environment", _in_lines(run.environment))
    yield _lines("Files", (f"{name}: {where}" for name, where in _files(run, store)))


def _lines(title: str, lines: Iterable[str]) -> Sheet:
    """A title and lines below it, in which a path stays in one piece."""
    return Sheet(title, (), (), notes=tuple(lines))


def _shell_lines(command: str) -> Iterator[str]:
    """The command in lines that can be pasted: a line that goes on ends in a backslash."""
    line = ""
    for word in map(shlex.quote, shlex.split(command)):
        if line and len(line) + len(word) > COMMAND_WIDTH:
            yield f"{line} \\"
            line = "   "
        line += f" {word}" if line else word
    yield line


def _what_ran(run: RunRecord) -> Iterator[tuple[str, Any]]:
    own = run.label and run.label != run.method
    yield "method", f"{run.method}, called {run.label}" if own else run.method
    yield "its parameters", _pairs(run.params)
    yield "setting", run.setting
    yield "revision", run.revision
    yield "note", run.note
    yield "stream", run.stream if run.stream_label in ("", run.stream) else f"{run.stream}, called {run.stream_label}"
    yield "its parameters", _pairs(run.stream_params)
    yield "its digest", run.stream_digest
    yield "order", ", ".join(run.order)
    yield "kind of order", ", ".join(run.order_kinds)
    yield "experiment", ", ".join(run.experiments)
    yield "seed", run.seed
    yield "repeat", run.repeat
    yield "evaluated", f"{run.evaluate}, and tasks to come" if run.future else run.evaluate
    yield "threads", run.threads
    yield from _tuning(run)
    yield from ((f"code {name}", value) for name, value in _in_lines(_flat(run.code)))
    yield "baseline", run.baseline


def _tuning(run: RunRecord) -> Iterator[tuple[str, Any]]:
    """The tuning protocol and the chosen point; the JSON has every point of the grid and its score."""
    if run.tune["protocol"] == "none":
        return
    yield "tuned by", ", ".join(filter(None, (run.tune["protocol"], run.tune.get("metric"))))
    choice = run.choice or {}
    points, params = choice.get("points"), choice.get("params")
    yield "points", len(points) if isinstance(points, list) else None
    yield "chosen", _pairs(params) if isinstance(params, dict) else "none"
    yield "as in run", choice.get("run_id")
    seconds = choice.get("search_seconds")
    yield "search", f"{numbers.seconds(seconds)} s" if isinstance(seconds, (int, float)) else None


def _how_it_ended(run: RunRecord) -> Iterator[tuple[str, Any]]:
    reached = len(run.learn_seconds)
    yield "status", run.status if run.status == OK else f"{run.status}, after {reached} of {len(run.order)} tasks"
    yield "record", "verified by its checksum" if run.verified else f"unverified: {UNVERIFIED}"
    yield "error", run.error
    yield "finished", run.finished
    if run.learn_seconds:
        yield "learning", f"{numbers.seconds(sum(run.learn_seconds))} s"
        yield "predicting", f"{numbers.seconds(sum(run.predict_seconds))} s"
    if run.pickle_seconds:
        yield "pickling", f"{numbers.seconds(sum(run.pickle_seconds))} s"
    if run.metric_seconds:
        yield "scoring", f"{numbers.seconds(sum(run.metric_seconds))} s"
    if run.state_bytes:
        yield "state", f"{numbers.size(run.state_bytes[-1])} after the last task"
    if run.peak_bytes is not None:
        yield "peak memory", numbers.size(run.peak_bytes)
    yield from _its_process(run)


def _its_process(run: RunRecord) -> Iterator[tuple[str, Any]]:
    """Rows on the method's process and what was counted outside it; none for a run of version 0.1."""
    if run.cpu_seconds is not None:
        yield "CPU time", f"{numbers.seconds(run.cpu_seconds)} s"
    if run.isolated is not None:
        own = "sealed" if run.sealed else "not sealed"
        yield "process", f"its own, {own}" if run.isolated else NOT_ISOLATED
        yield "processes left", f"{run.processes_left}, which were ended" if run.processes_left else "0"
    if run.clock != FIRST_CLOCK:
        yield "clock", f"{run.clock}: building the method and reading its labels count as learning"


def _score_sheets(run: RunRecord, store: RunStore) -> Iterator[Sheet]:
    """The lifelong tables, beside the baseline if it is stored too, and the figures derived from them."""
    blank: list[float | None] = [None] * len(run.order)
    scores = {metric: [*R, *[blank] * (len(run.order) - len(R))] for metric, R in run.scores.items()}
    shown = replace(run, status=OK, scores=scores)  # of a run that failed, what it reached
    baseline = store.load(run.baseline) if run.baseline is not None else None
    usable = baseline is not None and baseline.order == run.order and scores.keys() <= baseline.scores.keys()
    by_id = {baseline.run_id: baseline} if baseline is not None and usable else {}
    tables = list(lifelong_sheets(run.stream_label or run.stream, [[shown]], list(scores), by_id))
    notes = ["In brackets: tasks not learned yet."] if run.future else []
    if baseline is not None and by_id and baseline.status == OK:
        notes.insert(0, f"Column 0 is the single-task baseline ({baseline.label}).")
    if tables:
        tables[-1] = replace(tables[-1], notes=tuple(notes))
    yield from tables
    if run.status == OK and run.scores:
        yield _figure_sheet(run, baseline, store)


def _costs(run: RunRecord) -> Sheet:
    times = {"learn s": run.learn_seconds, "predict s": run.predict_seconds, "pickle s": run.pickle_seconds}
    times = {name: column for name, column in times.items() if column or name != "pickle s"}  # 0.1 had none
    times["score s"] = run.metric_seconds
    rows = [
        (
            task,
            *(numbers.seconds(column[i]) if i < len(column) else numbers.MISSING for column in times.values()),
            numbers.size(run.state_bytes[i]) if i < len(run.state_bytes) else numbers.MISSING,
        )
        for i, task in enumerate(run.order[: len(run.learn_seconds)])
    ]
    return text_sheet("Costs by task", ("task", *times, "state"), rows, stub=1)


def _files(run: RunRecord, store: RunStore) -> Iterator[tuple[str, Any]]:
    from lcbench.contract.hashing import content_id

    yield "record", store.run_file(run.run_id)
    labels = store.labels_file(run.run_id)
    if run.digest is not None:
        yield "labels", labels if labels.exists() else f"{labels} is missing"
        yield "their digest", run.digest
    if run.environment:
        yield "environment", store.environments.file(content_id(run.environment))


def _pairs(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={format_value(value)}" for name, value in params.items())


def _flat(code: Mapping[str, Any]) -> dict[str, Any]:
    """The facts about code; those of each package as a fact of their own."""
    packages = code.get("packages", {})
    own = {name: value for name, value in code.items() if name != "packages"}
    return {**own, **{f"of {package}": list(facts.values()) for package, facts in packages.items()}}


def _in_lines(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """One line per fact; a nested value is written on the same line."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield name, ", ".join(f"{key} {part}" for key, part in value.items())
        elif isinstance(value, list):
            parts = [item.values() if isinstance(item, Mapping) else [item] for item in value]
            yield name, ", ".join(" ".join(str(v) for v in part if v is not None) for part in parts)
        else:
            yield name, format_value(value)


def _figure_sheet(run: RunRecord, baseline: RunRecord | None, store: RunStore) -> Sheet:
    """A table of the lifelong figures, a column per metric; notes name what has no metric and what is missing."""
    complete(run, store)
    solos = {run_id: solo for run_id in run.solo_ids if (solo := store.load(run_id)) is not None}
    columns = {metric: figures_of(run, metric, baseline, solos) for metric in run.scores}
    rows, notes, missing = [], [], []
    for formula in FORMULAS:
        spelled = formula.name.replace("_", " ")
        values = {metric: figures[formula.name] for metric, figures in columns.items()}
        known = [value for value in values.values() if value is not None]
        if not known:
            missing.append(spelled)
        elif formula.needs != ("agreement",):
            signed = "minus" in formula.id
            rows.append((spelled, *(numbers.score(metric, value, signed=signed) for metric, value in values.items())))
        else:
            notes.append(f"{spelled}: {known[0]:.3f}, where 1 is the same partition")
    notes.append(f"Not available: {', '.join(missing)}; {WHERE}" if missing else WHERE)
    return replace(text_sheet("Averages over tasks", ("figure", *columns), rows, stub=1), notes=tuple(notes))


def audit_lines(run: RunRecord) -> Iterator[str]:
    """The verdict on one run and the findings of each audit; the JSON has the numbers of every step."""
    for row in audit_rows([run]):
        yield f"{row.verdict}; as promised: {row.promised}. {'; '.join(row.verdict.reasons)}".strip()
        yield from open_places([row])
    for mode, found in run.audit.items():
        if isinstance(found, Mapping):
            said = _measured(found) if mode == "measure" else _replayed(found)
            yield f"{mode}: {'; '.join(said) or 'nothing was found out'}"


def _measured(found: Mapping[str, Any]) -> Iterator[str]:
    held, data = found.get("held_bytes"), found.get("task_bytes")
    if held:
        beside = f", beside {numbers.size(sum(data))} of data" if data else ""
        yield f"held up to {numbers.size(max(0, *held))} after a task{beside}"
        first = found.get("first_reachable")
        reached = f"reached the arrays of task '{first['task']}' after step {first['step']}" if first else ""
        yield reached or "could reach no array of a task it had learned"
    if found.get("complete") is False:
        yield "could not be searched whole"
    yield from _ending(found)


def _replayed(found: Mapping[str, Any]) -> Iterator[str]:
    """Says if the run gave the same labels again while old tasks were out of its reach."""
    if found.get("passed") is True:
        yield "the same labels when run again"
    elif found.get("repeats") is False:
        yield "other labels when run again, with and without old tasks: it does not repeat itself"
    elif found.get("passed") is False:
        samples = f" in {found['samples']:,} samples" if isinstance(found.get("samples"), int) else ""
        yield f"other labels when run again: first at step {found.get('step')}, task '{found.get('task')}'{samples}"
    if found.get("reason"):
        yield f"not possible: {found['reason']}"
    yield from _ending(found)


def _ending(found: Mapping[str, Any]) -> Iterator[str]:
    if found.get("error"):
        yield str(found["error"])
    if isinstance(found.get("seconds"), (int, float)):
        yield f"took {numbers.seconds(found['seconds'])} s"
