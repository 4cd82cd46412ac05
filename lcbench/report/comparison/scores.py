"""Tables of the scores of all methods on a stream: a row per task, as papers do."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.analysis.compare import ComparedMethod, ComparedStream
from lcbench.analysis.failures import ends_text
from lcbench.analysis.run_scores import AVERAGE, END, Spread, TaskOrAverage
from lcbench.analysis.selection import grouped
from lcbench.printable import counted
from lcbench.records.record import OK
from lcbench.registry.metrics import greater_is_better, is_percent, metric_spec
from lcbench.report import numbers
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

MOST_ACROSS = 8  # methods; with more, each has a row, and each metric a table of its own
MOST_LABELS = 4
MOST_TASKS = 20


def score_sheets(stream: ComparedStream, metrics: Sequence[str], at: str) -> list[Sheet]:
    """One table with a column per method, or with many methods a table per metric with a row for each."""
    notes = (*_notes(stream), *_missing(stream, metrics, at), *_unknown(metrics))
    if len(stream.methods) <= MOST_ACROSS:
        return [_across(stream, metrics, at, notes)]
    made = [_down(stream, metric, at, notes if metric == metrics[-1] else ()) for metric in metrics]
    return made or [_down(stream, None, at, notes)]


def with_spread(metric: str, spread: Spread | None) -> str:
    """A mean as text, with ± the standard deviation if there are several runs."""
    if spread is None:
        return numbers.MISSING
    mean = numbers.score(metric, spread.mean)
    return mean if spread.sd is None else f"{mean} ±{numbers.score(metric, spread.sd)}"


def score_cells(stream: ComparedStream, metric: str, task: TaskOrAverage) -> list[Cell]:
    """A cell per method; with two scores or more, all means that read the same as the best are bold."""
    spreads = [stream.scores.get((method.label, metric, task)) for method in stream.methods]
    shown = [None if s is None else float(numbers.score(metric, s.mean)) for s in spreads]
    known = [mean for mean in shown if mean is not None]
    best = (max if greater_is_better(metric) else min)(known) if len(known) > 1 else None
    return [
        Cell(with_spread(metric, s), bold=mean is not None and mean == best, tone="" if s is not None else "dim")
        for s, mean in zip(spreads, shown, strict=True)
    ]


def shown_tasks(stream: ComparedStream) -> tuple[TaskOrAverage, ...]:
    """The tasks and the average (None); the average alone if there are very many tasks."""
    return (*(stream.tasks if len(stream.tasks) <= MOST_TASKS else ()), None)


def tasks_note(stream: ComparedStream) -> list[str]:
    """A note if there are too many tasks to show."""
    if len(stream.tasks) <= MOST_TASKS:
        return []
    return [f"The {len(stream.tasks)} tasks are not shown one by one: --format csv has them."]


def _across(stream: ComparedStream, metrics: Sequence[str], at: str, notes: tuple[str, ...]) -> Sheet:
    """One table with a column per method."""
    rows: list[tuple[object, ...]] = []
    rules: list[int] = []
    for task in shown_tasks(stream):
        if rows and (task is None or len(metrics) > 1):
            rules.append(len(rows))
        for i, metric in enumerate(metrics):
            name = AVERAGE if task is None else task
            rows.append((name if i == 0 else "", metric, *score_cells(stream, metric, task)))
    rules.append(len(rows))
    rows.append(("runs", "", *(runs_text(stream, method, metrics) for method in stream.methods)))
    header = ("task", "metric", *(method.label for method in stream.methods))
    return text_sheet(_title(stream, None, metrics, at), header, rows, 2, rules=rules, notes=notes)


def _down(stream: ComparedStream, metric: str | None, at: str, notes: tuple[str, ...]) -> Sheet:
    """The table of one metric with a row per method."""
    scored = [] if metric is None else [metric]
    tasks = shown_tasks(stream) if metric is not None else ()
    columns = [score_cells(stream, metric, task) for task in tasks if metric is not None]
    rows = [
        (method.label, *(column[i] for column in columns), runs_text(stream, method, scored))
        for i, method in enumerate(stream.methods)
    ]
    header = ("method", *(AVERAGE if task is None else task for task in tasks), "runs")
    return text_sheet(_title(stream, metric, scored, at), header, rows, 1, notes=notes)


def runs_text(stream: ComparedStream, method: ComparedMethod, metrics: Sequence[str]) -> str:
    """The runs of a method by how they ended, as `9 + 1 timeout`; `2 of 3` if an average is over fewer than ended well.

    A metric that no run of it has is not counted: there is no average.
    """
    averages = [stream.scores.get((method.label, metric, None)) for metric in metrics]
    fewest = min((spread.count for spread in averages if spread is not None), default=method.done)
    ended = ends_text({OK: method.done, **method.failed})
    return ended if fewest == method.done else f"{fewest} of {ended}"


def _title(stream: ComparedStream, metric: str | None, metrics: Sequence[str], at: str) -> str:
    percent = [key for key in metrics if is_percent(key)]
    unit = " in percent" if percent == list(metrics) else f" ({', '.join(percent)} in percent)"
    unit = unit if percent else ""
    when = "after all tasks" if at == END else "when each task was learned"
    return f"{stream.label}: {metric + ', ' if metric else ''}mean ± standard deviation{unit}, {when}"


def _notes(stream: ComparedStream) -> list[str]:
    notes = [*_runs_notes(stream)]
    if not stream.paired:
        notes.append(
            "Not paired: the methods do not all have runs that ended well on the same orders and repeats, so their "
            "means are over different runs."
        )
    notes += tasks_note(stream)
    notes += [f"{m.label}: {m.entry}." for m in stream.methods if not _names_all_params(m.label, m.entry)]
    noted = grouped((method.note, method.label) for method in stream.methods if method.note)
    notes += [f"{', '.join(labels)}: {note}." for note, labels in noted.items()]
    return [*notes, *stream.failures]


def _names_all_params(label: str, entry: str) -> bool:
    """True if a label already names every parameter of an entry."""
    return all(part in label for part in entry.replace(":", ",", 1).split(","))


def _runs_notes(stream: ComparedStream) -> list[str]:
    """Say how many orders, runs and seeds there are, once for all methods, or per group of methods if they differ."""
    by_text = grouped((_orders(method), method.label) for method in stream.methods if method.done)
    if len(by_text) < 2:
        return [f"{text}." for text in by_text]
    fewest_first = sorted(by_text.items(), key=lambda item: len(item[1]))
    notes = [f"{', '.join(labels)}: {text}." for text, labels in fewest_first]
    text, labels = fewest_first[-1]
    return [*notes[:-1], f"{'The others' if len(labels) > MOST_LABELS else ', '.join(labels)}: {text}."]


def _orders(method: ComparedMethod) -> str:
    alike = len(method.orders) > 1 and len(set(method.orders)) == 1
    runs = f"{counted(method.orders[0], 'run')} of each" if alike else counted(method.done, "run")
    seeds = f"{'seed' if len(method.seeds) == 1 else 'seeds'} {', '.join(map(str, method.seeds))}"
    return f"{counted(len(method.orders), 'order')}, {runs}, {seeds}"


def _unknown(metrics: Sequence[str]) -> list[str]:
    """A note on metrics that are no longer installed, so that their direction is not known."""
    gone = [metric for metric in metrics if metric_spec(metric) is None]
    return [f"Not installed here, so taken as shares of which more is better: {', '.join(gone)}."] if gone else []


def _missing(stream: ComparedStream, metrics: Sequence[str], at: str) -> list[str]:
    """Notes on methods whose successful runs lack a score."""
    notes = []
    for metric in metrics:
        short = []
        for method in stream.methods:
            spreads = [stream.scores.get((method.label, metric, task)) for task in stream.tasks]
            if method.done and any(spread is None or spread.count < method.done for spread in spreads):
                short.append(method.label)
        if short:
            why = "" if at == END else " when each task was learned (--evaluate all scores that)"
            notes.append(f"{', '.join(short)}: not every run has {metric} of every task{why}.")
    return notes
