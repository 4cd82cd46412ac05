"""The list of runs as JSON: a row for each, and the facts shown when it is chosen.

Facts that many runs share, their setup and environment, are there once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lcbench.analysis.run_scores import END, task_scores
from lcbench.analysis.selection import SHORT, MethodRuns, Selection, StreamRuns
from lcbench.contract.hashing import content_id
from lcbench.printable import printable_line
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import greater_is_better, with_unit
from lcbench.registry.names import format_value
from lcbench.report import numbers
from lcbench.report.page.commands import without_places
from lcbench.report.page.environments import environment_facts

MOST_LISTED = 5_000
TEXTS = ("run", "stream", "method", "order", "repeat", "ended")
COSTS = ("seconds", "state", "finished")
Facts = Sequence[tuple[str, str]]


def list_of_runs(selection: Selection, metrics: Sequence[str], streams: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The table of runs, best first by the first metric, and the facts of each; `streams` is the data of the curves.

    A run refers to its scores there by the numbers of stream, method and run. Very many runs are not all listed.
    """
    every = [(stream, method, run) for stream in selection.streams for method in stream.methods for run in method.runs]
    places = _places(selection, streams)
    shared = _Shared()
    listed = every[:MOST_LISTED]
    columns = [*TEXTS, *map(with_unit, metrics), *COSTS]
    falling = "desc" if metrics and greater_is_better(metrics[0]) else "asc"
    return {
        "columns": list(map(printable_line, columns)),
        "stub": len(TEXTS),
        "order": [[len(TEXTS), falling]] if metrics else [],
        "rows": [_row(stream, method, run, metrics) for stream, method, run in listed],
        "runs": [_run(method, run, places.get(id(run)), shared) for _, method, run in listed],
        "setups": shared.setups,
        "environments": shared.environments,
        "metrics": list(dict.fromkeys(metric[0] for stream in streams for metric in stream["metrics"])),
        "left_out": len(every) - len(listed),
    }


def _places(selection: Selection, streams: Sequence[Mapping[str, Any]]) -> dict[int, list[int]]:
    """For each run whose scores are in the data of the curves: the numbers of its stream, its method and itself."""
    found: dict[int, list[int]] = {}
    for s, (stream, data) in enumerate(zip(selection.done, streams, strict=True)):
        for m, (method, own) in enumerate(zip(stream.done, data["methods"], strict=True)):
            if "count" not in own:  # else there is only the mean of its runs
                found |= {id(run): [s, m, r] for r, run in enumerate(method.done)}
    return found


def _row(stream: StreamRuns, method: MethodRuns, run: RunRecord, metrics: Sequence[str]) -> list[Any]:
    """The cells of a run: texts, and pairs of a text and the number to sort it by; scores are averages over tasks."""
    scores = [(metric, task_scores(run, metric, END, stream.tasks).get(None)) for metric in metrics]
    seconds = sum(run.learn_seconds) if run.learn_seconds else None
    state = run.state_bytes[-1] if run.state_bytes else None
    texts = (run.run_id[:SHORT], stream.label, method.label, "/".join(run.order_kinds) or numbers.MISSING)
    return [
        *map(printable_line, texts),
        [str(run.repeat), run.repeat],
        run.status,
        *([numbers.score(metric, score), score] for metric, score in scores),
        [numbers.seconds(seconds), seconds],
        [numbers.size(state), state],
        printable_line((run.finished or numbers.MISSING)[:16].replace("T", " ")),
    ]


@dataclass
class _Shared:
    """Collects the setups and environments of runs, each once."""

    setups: list[Facts] = field(default_factory=list)
    environments: list[Facts] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)

    def number(self, facts: Facts, among: list[Facts]) -> int:
        """The place of these facts in one of the lists, to which they are added if they are new."""
        key = f"{among is self.setups} {content_id(facts)}"
        if key not in self.known:
            self.known[key] = len(among)
            among.append(facts)
        return self.known[key]


def _run(method: MethodRuns, run: RunRecord, place: list[int] | None, shared: _Shared) -> dict[str, Any]:
    environment = list(environment_facts(run.environment).items())
    without = "No task of this run was scored."
    if run.status == OK and run.scores:
        without = f"To keep this page small it lacks these scores: lcbench results show {run.run_id[:SHORT]} has them."
    return {
        "id": run.run_id[:SHORT],
        "title": printable_line(f"{method.label} {run.run_id[:SHORT]}"),
        "order": list(map(printable_line, run.order)),
        "facts": _clean(_own_facts(run)),
        "setup": shared.number(_clean(_setup(run)), shared.setups),
        "environment": shared.number(_clean(environment), shared.environments),
        "curve": place,
        **({} if place else {"without": without}),
    }


def _own_facts(run: RunRecord) -> Iterator[tuple[str, object]]:
    """Facts that hold for this run alone; one that is not known is left out."""
    yield "ended", run.status if run.error is None else f"{run.status}: {' '.join(run.error.split())}"
    yield "order", " → ".join(run.order)
    yield "kind of order", "/".join(run.order_kinds)
    yield "repeat", run.repeat
    yield "seed", run.seed
    yield "tasks learned", f"{len(run.learn_seconds)} of {len(run.order)}"
    yield "seconds to learn", numbers.seconds(sum(run.learn_seconds)) if run.learn_seconds else None
    yield "CPU seconds", None if run.cpu_seconds is None else numbers.seconds(run.cpu_seconds)
    yield "peak memory", None if run.peak_bytes is None else numbers.size(run.peak_bytes)
    yield "state in the end", numbers.size(run.state_bytes[-1]) if run.state_bytes else None
    yield "finished", run.finished


def _setup(run: RunRecord) -> Iterator[tuple[str, object]]:
    """Facts that the run shares with its repeats."""
    yield "stream", run.stream_label or run.stream
    yield from ((f"stream parameter {name}", format_value(value)) for name, value in run.stream_params.items())
    yield "method", f"{run.method}, {run.setting}, revision {run.revision}"
    yield from ((f"parameter {name}", format_value(value)) for name, value in run.params.items())
    yield "tuned by", None if run.tune.get("protocol") == "none" else run.tune.get("protocol")
    yield "scored", run.evaluate
    yield "threads", run.threads
    yield "note", run.note
    yield "command", without_places(run.command) if run.command else None


def _clean(facts: Iterator[tuple[str, object]] | Facts) -> Facts:
    return [(printable_line(name), printable_line(value)) for name, value in facts if value not in (None, "")]
