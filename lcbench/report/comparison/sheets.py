"""All tables of a comparison: scores, lifelong figures, differences, ranks; its raw rows.

Scores and differences have files of their own, the others are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from lcbench.analysis.compare import ComparedMethod, ComparedStream, MethodComparison, Ranking
from lcbench.analysis.run_scores import END, Spread
from lcbench.analysis.selection import grouped
from lcbench.analysis.statistics import LEAST_STREAMS
from lcbench.analysis.transfer import BACKWARD, FIRST, FORWARD, GAIN, OWN, TOTAL, Transfer
from lcbench.errors import ParameterError
from lcbench.printable import counted
from lcbench.records.formulas import FORMULAS, Formula
from lcbench.registry.metrics import is_percent
from lcbench.report import numbers
from lcbench.report.comparison.differences import difference_sheets
from lcbench.report.comparison.scores import score_sheets
from lcbench.report.comparison.transfer import transfer_ids, transfer_notes, transfer_sheet
from lcbench.report.overview import cross_stream_sheet
from lcbench.report.sheets.formats import RawRows
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet
from lcbench.report.verdict import verdict_sheet

COLUMNS = ("stream", "method", "metric", "kind", "name", "mean", "sd", "runs", "failed", "low", "high", "flag")
AGAINST_COLUMNS = ("against", "gain", "gain_low", "gain_high", "pairs", "orders", "p", "p_holm")
TABLES = ("scores", "transfer", "figures", "differences", "streams", "ranks")
SCORES, TRANSFER, FIGURES, DIFFERENCES, STREAMS, RANKS = TABLES
_OF_TRANSFER = {"solo_average", OWN, FORWARD, BACKWARD, TOTAL, FIRST, GAIN}  # figures that have a table of their own
_HEADINGS = {"average_at_arrival": "at arrival", "average_after_all": "after all"}


def comparison_sheets(comparison: MethodComparison, *, paper: bool = False, only: str | None = None) -> list[Sheet]:
    """The verdict, which is on the end, then the tables, or those of one kind; the notes are below the last.

    A paper has neither the verdict nor the notes on runs that were left out.
    """
    first = [] if paper or comparison.at != END or only is not None else verdict_sheet(comparison.streams)
    made = [*first, *comparison_tables(comparison, only)]
    if made:
        made[-1] = replace(made[-1], notes=(*made[-1].notes, *comparison_notes(comparison, only, paper=paper)))
    return made


def comparison_notes(comparison: MethodComparison, only: str | None = None, *, paper: bool = False) -> list[str]:
    """The notes on all tables, once: on transfer, on partitions that collapsed, on the runs; the ids of formulas.

    Of these, only those that concern one kind of table, if it is named.
    """
    collapsed = [f"{stream.label}: {note}" for stream in comparison.streams for note in stream.collapses]
    figures = [
        f"{_heading(formula)} {formula.id}"
        for stream in comparison.streams
        for formula in _shown_figures(stream, next(iter(stream.scored_by(comparison.metrics)), ""))
    ]
    of_transfer, of_figures = only in (None, TRANSFER), only in (None, FIGURES)
    ids = [*(transfer_ids(comparison.streams) if of_transfer else ()), *(figures if of_figures else ())]
    return [
        *(transfer_notes(comparison.streams) if of_transfer else ()),
        *(collapsed if only in (None, SCORES, STREAMS) else ()),
        *(comparison.caveats if paper else comparison.notes),
        *([f"Formulas by id: {', '.join(dict.fromkeys(ids))}."] if ids else ()),
    ]


def comparison_tables(comparison: MethodComparison, only: str | None = None) -> list[Sheet]:
    """The tables, or those of one kind, without the notes on all of them."""
    made = [sheet for kind, sheet in _tables(comparison) if only in (None, kind)]
    if only is not None and not made:
        raise ParameterError(f"There is no table of {only}: {_lacking(only)}.")
    return made


def _tables(comparison: MethodComparison) -> Iterator[tuple[str, Sheet]]:
    """Every table with its kind."""
    for stream in comparison.streams:
        metrics = stream.scored_by(comparison.metrics)
        yield from ((SCORES, sheet) for sheet in score_sheets(stream, metrics, comparison.at))
        yield from ((TRANSFER, sheet) for sheet in transfer_sheet(stream, metrics))
        yield from ((FIGURES, sheet) for sheet in (figure_sheet(stream, metrics[0]) if metrics else ()))
        if comparison.against is not None:
            yield from ((DIFFERENCES, sheet) for sheet in difference_sheets(stream, metrics, comparison.against))
    if len(comparison.streams) > 1 and comparison.metrics:
        ranking = next((found for found in comparison.rankings if found.metric == comparison.metrics[0]), None)
        yield STREAMS, cross_stream_sheet(comparison.streams, comparison.metrics[0], ranking, comparison.at)
    yield from ((RANKS, sheet) for sheet in rank_sheet(comparison.rankings, comparison.streams))


def _lacking(kind: str) -> str:
    """The reason why there is no table of a kind."""
    if kind not in TABLES:
        return f"--table takes one of {', '.join(TABLES)}"
    if kind == DIFFERENCES:
        return "--against names the method that the others are compared with"
    if kind in (STREAMS, RANKS):
        return "these runs are on one stream, and it is over several"
    return "no method has solo runs that ended well and scores at arrival, or figures by this metric"


def figure_sheet(stream: ComparedStream, metric: str) -> list[Sheet]:
    """A table with a row per method and a column per figure that some method has; empty list if none has one."""
    shown = _shown_figures(stream, metric)
    if not shown:
        return []
    rows = []
    for method in stream.methods:
        cells = [_figure(metric, f, stream.figures.get((method.label, metric, f.name))) for f in shown]
        seconds = numbers.DASH if method.learn_seconds is None else numbers.seconds(method.learn_seconds)
        rows.append((method.label, *cells, seconds))
    header = ("method", *map(_heading, shown), "learn s")
    unit = " in percent" if is_percent(metric) else ""
    notes = [*_incomplete(stream, metric, shown), *_baselines(stream, shown)]
    if any("agreement" in f.needs for f in shown):
        notes.append("Partition agreement: the adjusted Rand index of a task's partition at the end with its first.")
    title = f"{stream.label}: lifelong figures by {metric}{unit}, means over runs"
    return [text_sheet(title, header, rows, 1, notes=notes)]


def _shown_figures(stream: ComparedStream, metric: str) -> list[Formula]:
    """The figures by a metric that some method has and no table of transfer shows."""
    elsewhere = _OF_TRANSFER - ({GAIN} if _has_gain_without_solo(stream, metric) else set())
    others = [formula for formula in FORMULAS if formula.name not in elsewhere]
    return [f for f in others if any((m.label, metric, f.name) in stream.figures for m in stream.methods)]


def _has_gain_without_solo(stream: ComparedStream, metric: str) -> bool:
    """True if a method has a gain over its baseline that the table of transfer lacks, as for want of solo runs."""
    gaining = {label for label, key, name in stream.figures if (key, name) == (metric, GAIN)}
    told = {label for (label, key), own in stream.transfer.items() if key == metric and GAIN in own.parts}
    return not gaining <= told


def _heading(formula: Formula) -> str:
    return _HEADINGS.get(formula.name, formula.name.replace("_", " "))


def _baselines(stream: ComparedStream, shown: Sequence[Formula]) -> Iterator[str]:
    """Name the single-task baselines that gains are measured against."""
    if not any("alone" in f.needs for f in shown):
        return
    of = grouped((method.baseline, method.label) for method in stream.methods if method.baseline is not None)
    whose = "; ".join(f"{baseline} for {', '.join(labels)}" for baseline, labels in of.items())
    yield f"Gains are over each method's own single-task baseline: {whose}."


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
        return numbers.DASH
    if formula.needs == ("agreement",):  # not a score, so not in the metric's unit
        return Cell(f"{spread.mean:.3f}")
    return Cell(numbers.score(metric, spread.mean, signed="minus" in formula.id))


def rank_sheet(rankings: Sequence[Ranking], streams: Sequence[ComparedStream]) -> list[Sheet]:
    """A table with a row per method, best first, and a column per metric; empty list for one stream."""
    if len(streams) < 2:
        return []
    if not rankings:
        note = "No two methods have runs that ended well on all streams, so there are no ranks."
        return [text_sheet("Ranks over streams", ("method",), (), notes=[note])]
    labels = sorted(
        dict.fromkeys(label for ranking in rankings for label in ranking.ranks),
        key=lambda label: rankings[0].ranks.get(label, float("inf")),
    )
    rows = [(label, *(_rank(ranking, label) for ranking in rankings)) for label in labels]
    most = max(ranking.streams for ranking in rankings)
    title = f"Mean ranks over {counted(most, 'stream')}, 1 is the best"
    header = ("method", *(f"{r.metric} ({r.streams})" if r.streams < most else r.metric for r in rankings))
    return [text_sheet(title, header, rows, 1, notes=_rank_notes(rankings))]


def _rank(ranking: Ranking, label: str) -> Cell:
    found = ranking.ranks.get(label)
    if found is None:
        return numbers.DASH
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
        ends = _ends(stream.transfer.get((method.label, metric)), formula.name)
        yield {**about, "kind": "figure", "name": formula.name, **_spread(spread), **ends}


def _ends(found: Transfer | None, name: str) -> dict[str, Any]:
    """The mean of a part of transfer as its table has it, the interval; and of the total, the side of zero."""
    if found is None or name not in found.parts:
        return {}
    part = found.parts[name]
    return {
        "mean": part.mean,
        "runs": found.runs,
        "low": part.low,
        "high": part.high,
        **({"flag": found.flag} if name == TOTAL else {}),
    }


def _spread(spread: Spread | None) -> dict[str, Any]:
    return {"runs": 0} if spread is None else {"mean": spread.mean, "sd": spread.sd, "runs": spread.count}


def _difference(stream: ComparedStream, method: ComparedMethod, metric: str, task: str | None) -> dict[str, Any]:
    found = stream.differences.get((method.label, metric, task))
    if found is None:
        return {"against": stream.reference}
    return {
        "against": stream.reference, "gain": found.mean, "gain_low": found.low, "gain_high": found.high,
        "pairs": found.pairs, "orders": found.orders, "p": found.p_value, "p_holm": found.p_holm,
    }  # fmt: skip
