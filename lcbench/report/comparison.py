"""Methods compared: scores of every task, lifelong figures, differences to a reference, ranks over streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from lcbench.errors import ParameterError
from lcbench.names import format_entry
from lcbench.plugins import plugin_host
from lcbench.record import RunRecord
from lcbench.report.against import differences, find_reference
from lcbench.report.compared import ComparedMethod, ComparedStream, Ranking, Spread, TaskOrAverage
from lcbench.report.failures import failure_lines
from lcbench.report.figures_of_run import figures_of
from lcbench.report.ranking import rank
from lcbench.report.selection import MethodRuns, Selection, StreamRuns, run_key
from lcbench.report.tables.difference_sheets import difference_sheets
from lcbench.report.tables.figure_sheets import figure_sheet
from lcbench.report.tables.latex import latex
from lcbench.report.tables.long_csv import csv_text
from lcbench.report.tables.markdown import markdown
from lcbench.report.tables.plain_text import plain_text
from lcbench.report.tables.rank_sheet import rank_sheet
from lcbench.report.tables.score_sheets import score_sheets
from lcbench.report.tables.sheet import Sheet
from lcbench.report.taskscores import END, check_moment, task_scores
from lcbench.transfer import FORMULAS
from lcbench.writing import write_whole

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Methods on streams under some metrics. It prints as tables, and writes itself as Markdown, LaTeX or CSV."""

    streams: tuple[ComparedStream, ...]
    metrics: tuple[str, ...]
    at: str
    against: str | None
    confidence: float
    rankings: tuple[Ranking, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n\n".join(map(plain_text, sheets(self)))

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return "\n".join(map(markdown, sheets(self)))

    def to_latex(self) -> str:
        r"""The tables in LaTeX; the document needs \usepackage{booktabs}."""
        return "\n".join(map(latex, sheets(self)))

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """One row per stream, method, metric and task in raw numbers: as text, or written to a file."""
        text = csv_text(self.streams, self.metrics, against=self.against is not None)
        if path is None:
            return text
        write_whole(Path(path), text.encode("utf-8", "backslashreplace"))
        return None


def compare(
    selection: Selection,
    metrics: Sequence[str],
    *,
    against: str | None = None,
    at: str = END,
    confidence: float = CONFIDENCE,
) -> Comparison:
    """Compare the methods of a selection; `against` is the reference, `at` "end" or "arrival"."""
    check_moment(at)
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence takes a number between 0 and 1, such as 0.95, not {confidence:g}.")
    references = {} if against is None else find_reference(selection.streams, against)
    streams = tuple(
        _stream(selection, stream, metrics, references.get(stream.label), at, confidence)
        for stream in selection.streams
    )
    rankings = [ranking for metric in metrics if (ranking := rank(streams, metric)) is not None]
    return Comparison(streams, tuple(metrics), at, against, confidence, tuple(rankings), selection.notes)


def sheets(comparison: Comparison) -> list[Sheet]:
    """The tables of a comparison: per stream scores, figures and differences, then the ranks."""
    made: list[Sheet] = []
    for stream in comparison.streams:
        metrics = stream.scored_by(comparison.metrics)
        made += score_sheets(stream, metrics, comparison.at)
        made += figure_sheet(stream, metrics[0]) if metrics else []
        if comparison.against is not None:
            made += difference_sheets(stream, metrics, comparison.against, comparison.confidence)
    made += rank_sheet(comparison.rankings, comparison.streams)
    if made and comparison.notes:
        made[0] = replace(made[0], notes=(*made[0].notes, *comparison.notes))
    return made


def _stream(
    selection: Selection,
    stream: StreamRuns,
    metrics: Sequence[str],
    reference: MethodRuns | None,
    at: str,
    confidence: float,
) -> ComparedStream:
    met = [frozenset(map(run_key, method.done)) for method in stream.methods]
    failed = [run for method in stream.methods for run in method.failed]
    return ComparedStream(
        label=stream.label,
        tasks=stream.tasks,
        methods=tuple(_method(selection, method) for method in stream.methods),
        paired=len({runs for runs in met if runs}) < 2,
        scores=_scores(stream, metrics, at),
        figures=_figures(selection, stream, metrics),
        failures=tuple(line.removeprefix("lcbench: ") for line in failure_lines(failed)),
        reference=None if reference is None else reference.label,
        differences={} if reference is None else differences(stream, reference, metrics, at, confidence),
    )


def _method(selection: Selection, method: MethodRuns) -> ComparedMethod:
    run = method.runs[0]
    baselines = [baseline.label for done in method.done if (baseline := selection.baseline_of(done)) is not None]
    return ComparedMethod(
        label=method.label,
        entry=format_entry(run.method, _changed(run)),
        note=next((run.note for run in method.runs if run.note), ""),
        done=len(method.done),
        setting=run.setting,
        failed=Counter(run.status for run in method.failed),
        orders=tuple(Counter(run.order for run in method.done).values()),
        seeds=tuple(sorted({run.seed for run in method.done})),
        baseline=", ".join(dict.fromkeys(baselines)) or None,
        learn_seconds=fmean(sum(run.learn_seconds) for run in method.done) if method.done else None,
    )


def _changed(run: RunRecord) -> Mapping[str, Any]:
    """The parameters that are not at the default that the method's spec has now; all if that is not here any more."""
    spec = plugin_host().registry.methods.get(run.method)
    params = spec.params if spec is not None else ()
    defaults = {p.name: list(p.default) if isinstance(p.default, tuple) else p.default for p in params}
    return {name: value for name, value in run.params.items() if name not in defaults or defaults[name] != value}


def _scores(stream: StreamRuns, metrics: Sequence[str], at: str) -> dict[tuple[str, str, TaskOrAverage], Spread]:
    found: dict[tuple[str, str, TaskOrAverage], Spread] = {}
    for method in stream.methods:
        for metric in metrics:
            runs = [task_scores(run, metric, at, stream.tasks) for run in method.done]
            for task in (*stream.tasks, None):
                spread = Spread.of([scores.get(task) for scores in runs])
                if spread is not None:
                    found[method.label, metric, task] = spread
    return found


def _figures(selection: Selection, stream: StreamRuns, metrics: Sequence[str]) -> dict[tuple[str, str, str], Spread]:
    found: dict[tuple[str, str, str], Spread] = {}
    for method in stream.methods:
        for metric in metrics:
            runs = [figures_of(run, metric, selection.baseline_of(run)) for run in method.done]
            for formula in FORMULAS:
                spread = Spread.of([figures[formula.name] for figures in runs])
                if spread is not None:
                    found[method.label, metric, formula.name] = spread
    return found
