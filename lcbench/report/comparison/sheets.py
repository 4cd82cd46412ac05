"""All tables of a comparison: scores, lifelong figures, differences, ranks; its raw rows.

Scores and differences have files of their own, the others are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from lcbench.analysis.compare import ComparedMethod, ComparedStream, MethodComparison, Ranking
from lcbench.analysis.run_scores import Spread
from lcbench.analysis.statistics import LEAST_STREAMS
from lcbench.printable import counted
from lcbench.records.formulas import FORMULAS, Formula
from lcbench.registry.metrics import is_percent
from lcbench.report import numbers
from lcbench.report.comparison.differences import difference_sheets
from lcbench.report.comparison.scores import labels_by, score_sheets
from lcbench.report.sheets.formats import RawRows
from lcbench.report.sheets.sheet import Cell, Sheet

COLUMNS = ("stream", "method", "metric", "kind", "name", "mean", "sd", "runs", "failed")
AGAINST_COLUMNS = ("against", "difference", "low", "high", "pairs", "orders", "p", "p_holm", "flag")
_HEADINGS = {"average_at_arrival": "at arrival", "average_after_all": "after all"}


def comparison_sheets(comparison: MethodComparison) -> list[Sheet]:
    """The tables of a comparison: scores, figures and differences of each stream, then the ranks."""
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


def figure_sheet(stream: ComparedStream, metric: str) -> list[Sheet]:
    """A table with a row per method and a column per figure that some method has; empty list if none has one."""
    shown = [f for f in FORMULAS if any((m.label, metric, f.name) in stream.figures for m in stream.methods)]
    if not shown:
        return []
    rows = tuple(
        (
            Cell(method.label),
            *(_figure(metric, f, stream.figures.get((method.label, metric, f.name))) for f in shown),
            Cell(numbers.seconds(method.learn_seconds), tone="dim" if method.learn_seconds is None else ""),
        )
        for method in stream.methods
    )
    header = ("method", *map(_heading, shown), "learn s")
    unit = " in percent" if is_percent(metric) else ""
    notes = [*_incomplete(stream, metric, shown), *_baselines(stream, shown)]
    if any("agreement" in f.needs for f in shown):
        notes.append(
            "Partition drift: the adjusted Rand index of a task's partition at the end with its first; 1 is none."
        )
    notes.append(f"Formulas by id: {', '.join(f'{_heading(f)} {f.id}' for f in shown)}.")
    return [
        Sheet(f"{stream.label}: lifelong figures by {metric}{unit}, means over runs", header, rows, 1, (), tuple(notes))
    ]


def _heading(formula: Formula) -> str:
    return _HEADINGS.get(formula.name, formula.name.replace("_", " "))


def _baselines(stream: ComparedStream, shown: Sequence[Formula]) -> Iterator[str]:
    """Name the single-task baselines that transfer and gains are measured against."""
    if not any("alone" in f.needs for f in shown):
        return
    of = labels_by((method.label, method.baseline) for method in stream.methods if method.baseline is not None)
    whose = "; ".join(f"{baseline} for {', '.join(labels)}" for baseline, labels in of.items())
    yield (
        f"Learning transfer and the gains are over each method's own single-task baseline: {whose}. The gain of the "
        "first task is no transfer: nothing was learned before it."
    )


def _incomplete(stream: ComparedStream, metric: str, shown: Sequence[Formula]) -> Iterator[str]:
    """Name the figures that only some of a method's successful runs have."""
    for method in stream.methods:
        counts = {
            f.name: s.count for f in shown if (s := stream.figures.get((method.label, metric, f.name))) is not None
        }
        short = [f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if count < method.done]
        if short:
            yield f"{method.label}: of {method.done} runs these figures are over fewer: {', '.join(short)}."


def _figure(metric: str, formula: Formula, spread: Spread | None) -> Cell:
    if spread is None:
        return Cell(numbers.MISSING, tone="dim")
    if "R" not in formula.needs:  # not a score, so not in the metric's unit
        return Cell(f"{spread.mean:.3f}")
    return Cell(numbers.score(metric, spread.mean, signed="minus" in formula.id))


def rank_sheet(rankings: Sequence[Ranking], streams: Sequence[ComparedStream]) -> list[Sheet]:
    """A table with a row per method, best first, and a column per metric; empty list for one stream."""
    if len(streams) < 2:
        return []
    if not rankings:
        note = "No two methods have runs that ended well on all streams, so there are no ranks."
        return [Sheet("Ranks over streams", ("method",), (), 1, (), (note,))]
    labels = sorted(
        dict.fromkeys(label for ranking in rankings for label in ranking.ranks),
        key=lambda label: rankings[0].ranks.get(label, float("inf")),
    )
    rows = tuple((Cell(label), *(_rank(ranking, label) for ranking in rankings)) for label in labels)
    most = max(ranking.streams for ranking in rankings)
    title = f"Mean ranks over {counted(most, 'stream')}, 1 is the best"
    header = ("method", *(f"{r.metric} ({r.streams})" if r.streams < most else r.metric for r in rankings))
    return [Sheet(title, header, rows, 1, (), tuple(_rank_notes(rankings)))]


def _rank(ranking: Ranking, label: str) -> Cell:
    found = ranking.ranks.get(label)
    if found is None:
        return Cell(numbers.MISSING, tone="dim")
    return Cell(f"{found:.2f}", bold=round(found, 2) == round(min(ranking.ranks.values()), 2))


def _rank_notes(rankings: Sequence[Ranking]) -> list[str]:
    counts = {ranking.streams for ranking in rankings}
    notes = ["In brackets: over so many streams, as the others have no such scores."] if len(counts) > 1 else []
    left_out = dict.fromkeys(label for ranking in rankings for label in ranking.left_out)
    if left_out:
        notes.append(
            f"Left out, as they have not ended well on all streams with the same parameters: {', '.join(left_out)}."
        )
    for ranking in rankings:
        if ranking.friedman is not None and ranking.critical_difference is not None:
            notes.append(
                f"{ranking.metric}: Friedman chi-squared {ranking.friedman.statistic:.2f}, "
                f"p {numbers.p_value(ranking.friedman.p_value)}; mean ranks that differ by more than "
                f"{ranking.critical_difference:.2f} differ at the level 0.05 (Nemenyi)."
            )
    if any(ranking.friedman is None for ranking in rankings):
        notes.append(
            f"No Friedman test and no critical difference: with fewer than {LEAST_STREAMS} streams they would say next "
            "to nothing."
        )
    return notes


def comparison_rows(comparison: MethodComparison) -> RawRows:
    """A row per stream, method, metric and task, average or figure."""
    rows = (
        row
        for stream in comparison.streams
        for method in stream.methods
        for metric in comparison.metrics
        for row in _raw_rows(stream, method, metric)
    )
    return RawRows((*COLUMNS, *(AGAINST_COLUMNS if comparison.against is not None else ())), rows)


def _raw_rows(stream: ComparedStream, method: ComparedMethod, metric: str) -> Iterator[dict[str, Any]]:
    about = {"stream": stream.label, "method": method.label, "metric": metric, "failed": sum(method.failed.values())}
    for task in (*stream.tasks, None):
        kind = {"kind": "average", "name": ""} if task is None else {"kind": "task", "name": task}
        spread = stream.scores.get((method.label, metric, task))
        yield {**about, **kind, **_spread(spread), **_difference(stream, method, metric, task)}
    for formula in FORMULAS:
        spread = stream.figures.get((method.label, metric, formula.name))
        yield {**about, "kind": "figure", "name": formula.name, **_spread(spread)}


def _spread(spread: Spread | None) -> dict[str, Any]:
    return {"runs": 0} if spread is None else {"mean": spread.mean, "sd": spread.sd, "runs": spread.count}


def _difference(stream: ComparedStream, method: ComparedMethod, metric: str, task: str | None) -> dict[str, Any]:
    found = stream.differences.get((method.label, metric, task))
    if found is None:
        return {"against": stream.reference}
    return {
        "against": stream.reference, "difference": found.mean, "low": found.low, "high": found.high,
        "pairs": found.pairs, "orders": found.orders, "p": found.p_value, "p_holm": found.p_holm, "flag": found.flag,
    }  # fmt: skip
