"""The tuning tables: parameters chosen, and scores under other protocols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from lcbench.analysis.lifelong_table import group_runs
from lcbench.experiment.tuning import ORACLE, RULES, Gap
from lcbench.records.record import OK, RunRecord
from lcbench.registry.names import format_value
from lcbench.report import numbers
from lcbench.report.sheets.sheet import Sheet, text_sheet

GAP_HEADER = (
    "stream", "method", "runs", "points", "metric", *RULES, "untuned",
    *(f"{ORACLE} - {rule}" for rule in RULES if rule != ORACLE),
)  # fmt: skip
CHOICE_HEADER = ("stream", "method", "runs", "points", "chosen", "not usable", "search s")
MOST_LISTED = 5


def tuning_sheets(tuned: Sequence[RunRecord], gaps: Sequence[Gap]) -> list[Sheet]:
    """The point chosen for each tuned method, and the gap between choosing with and without labels; those with rows."""
    return [sheet for sheet in (choice_sheet(choice_rows(tuned)), gap_sheet(gaps)) if sheet.rows]


def choice_sheet(rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> Sheet:
    """The table of the points that tuning chose."""
    cost = "search s: the seconds of learning and predicting at all points."
    return text_sheet("What tuning chose", CHOICE_HEADER, rows, notes=(cost, *notes))


def gap_sheet(gaps: Sequence[Gap]) -> Sheet:
    """A row per stream, method and metric: the mean after all tasks under each protocol, and the gaps to the oracle."""
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for i, gap in enumerate(gaps):
        first = i == 0 or (gap.stream, gap.method) != (gaps[i - 1].stream, gaps[i - 1].method)
        head = (gap.stream, gap.method, str(gap.runs), str(gap.points)) if first else ("", "", "", "")
        means = [numbers.score(gap.metric, mean) for mean in (*gap.means.values(), gap.untuned)]
        lost = [numbers.score(gap.metric, gap.lost(rule), signed=True) for rule in RULES if rule != ORACLE]
        rows.append((*head, gap.metric, *means, *lost))
        rules += [i] if first and i else []
    title = "The oracle gap: averages after all tasks, had each protocol chosen among the same runs"
    note = "; ".join(f"{name}: {rule.sees}" for name, rule in RULES.items()) + "."
    return text_sheet(title, GAP_HEADER, rows, GAP_HEADER.index(ORACLE), rules=rules, notes=[note])


def choice_rows(runs: Sequence[RunRecord]) -> list[tuple[str, ...]]:
    """A row per stream and tuned method: the points chosen, the points that have no score, the cost of a search."""
    rows: list[tuple[str, ...]] = []
    for (stream, label), group in group_runs([run for run in runs if run.choice is not None]).items():
        choices = [run.choice for run in group if run.choice is not None]
        chosen = Counter(point_text(c["params"]) for c in choices if c["params"] is not None)
        unusable = Counter(
            f"{point_text(p['params'])} ({'no figure' if p['status'] == OK else p['status']})"
            for c in choices
            for p in c["points"]
            if p["value"] is None
        )
        points = max(len(c["points"]) for c in choices)
        seconds = numbers.seconds(fmean([c["search_seconds"] for c in choices]))
        counts = (str(len(choices)), str(points))
        rows.append((stream, label, *counts, _counted(chosen, choices), _counted(unusable, choices), seconds))
    return rows


def point_text(params: Mapping[str, Any]) -> str:
    """A point of a grid, as a user would type it."""
    return ",".join(f"{name}={format_value(value)}" for name, value in params.items())


def _counted(found: Counter[str], choices: Sequence[Any]) -> str:
    """The most frequent texts, each with its number of runs unless all runs have it."""
    listed = found.most_common(MOST_LISTED)
    texts = [text if count == len(choices) else f"{text} in {count}" for text, count in listed]
    more = [f"{len(found) - len(listed)} more"] if len(found) > len(listed) else []
    return "; ".join([*texts, *more]) or numbers.MISSING
