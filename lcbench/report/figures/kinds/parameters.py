"""Builds the `parameters` figure: scores against each parameter varied over a grid.

The other parameters are held fixed, at the values of one point of the grid: the one from which most others are reached
by changing a single parameter, and among equal ones the one with most parameters at their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lcbench.analysis.selection import Selection, StreamRuns, grouped, run_key
from lcbench.contract.hashing import canonical_json
from lcbench.experiment.tuning import NONE
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import is_percent
from lcbench.registry.names import format_entry, format_value
from lcbench.report.figures.captions import failures, protocol, sentences
from lcbench.report.figures.chart import Chart, LinePanel, Series, fitting_scale
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import final_average, mean_series

MOST_COLUMNS = 3
MOST_TICKS = 10


@dataclass(frozen=True, slots=True)
class _Slice:
    """The runs at each value of one parameter, the others `fixed`; `paired` if all have the same orders and seeds."""

    param: str
    runs: Mapping[float, Sequence[RunRecord]]
    fixed: Mapping[str, float]
    paired: bool


def _charts(selection: Selection, metrics: Sequence[str], named: Sequence[str]) -> list[Chart | None]:
    """A figure per stream and method with a grid, with a panel per parameter and a line per metric."""
    return [_chart(stream, runs, metrics) for stream in selection.streams for runs in _grids(stream)]


KIND = Kind(
    "parameters",
    "performance against each parameter of a grid",
    per="stream and method",
    build=_charts,
    lacking="no method was run with two or more values of a parameter that is a number",
    options="--grid METHOD.PARAMETER=0.1,1,10",
    candidates=True,
)


def _grids(stream: StreamRuns) -> list[list[RunRecord]]:
    """The runs of each method that differ in parameters that are numbers, and in nothing else."""
    done = [run for method in stream.methods for run in method.done if run.tune["protocol"] == NONE]
    found = []
    for runs in grouped((run.method, run) for run in done).values():
        axes = _varied(runs)
        groups = grouped(
            (canonical_json({name: value for name, value in run.params.items() if name not in axes}), run)
            for run in runs
            if all(_is_number(run.params.get(name)) for name in axes)
        )
        found += [group for group in groups.values() if _varied(group)]
    return found


def _chart(stream: StreamRuns, runs: Sequence[RunRecord], metrics: Sequence[str]) -> Chart | None:
    defaults = _defaults(runs[0].method)
    slices = _slices(runs, defaults)
    panels = [panel for part in slices for panel in _panels(part, metrics, defaults)]
    if not panels:
        return None
    varied = {part.param for part in slices}
    rest = {n: v for n, v in runs[0].params.items() if n not in _varied(runs) and v != defaults.get(n)}
    label = format_entry(runs[0].method, rest)
    unpaired = [part.param for part in slices if not part.paired]
    groups = [group for part in slices for group in part.runs.values()]
    used = {run.run_id: run for group in groups for run in group}
    repeated = any(len(group) > 1 for group in groups)
    means = ", means over runs; bands are ± one standard deviation" if repeated else ""
    return Chart(
        about=(stream.label, label),
        title=f"{label} on {stream.label}: the influence of {' and '.join(sorted(varied))}",
        subtitle=protocol(list(used.values())),
        panels=tuple(panels),
        columns=min(len(panels), MOST_COLUMNS),
        caption=sentences(
            f"Averages over the tasks after all were learned{means}",
            f"The values of {' and '.join(unpaired)} met different orders or seeds" if unpaired else "",
            failures(method for method in stream.methods if method.runs[0].method == runs[0].method),
        ),
    )


def _slices(runs: Sequence[RunRecord], defaults: Mapping[str, Any]) -> list[_Slice]:
    """The runs on the lines through one point of the grid, a line for each parameter."""
    names = _varied(runs)
    points = grouped((tuple(float(run.params[name]) for name in names), run) for run in runs)

    def line(through: tuple[float, ...], axis: int) -> dict[float, list[RunRecord]]:
        others = {p: g for p, g in points.items() if p[:axis] + p[axis + 1 :] == through[:axis] + through[axis + 1 :]}
        return {point[axis]: others[point] for point in sorted(others)}

    def rank(point: tuple[float, ...]) -> tuple[int, int]:
        reached = sum(len(line(point, axis)) for axis in range(len(names)))
        return reached, sum(value == defaults.get(name) for name, value in zip(names, point, strict=True))

    centre = max(sorted(points), key=rank)
    made = []
    for axis, name in enumerate(names):
        found = line(centre, axis)
        if len(found) > 1:
            fixed = {other: centre[i] for i, other in enumerate(names) if i != axis}
            kept, paired = _paired(found)
            made.append(_Slice(name, kept, fixed, paired))
    return made


def _paired(found: Mapping[float, Sequence[RunRecord]]) -> tuple[Mapping[float, Sequence[RunRecord]], bool]:
    """The runs in the orders and with the seeds that all values share, and True; if there are none, all and False."""
    common = set.intersection(*({run_key(run) for run in runs} for runs in found.values()))
    if not common:
        return found, False
    return {value: [run for run in runs if run_key(run) in common] for value, runs in found.items()}, True


def _panels(part: _Slice, metrics: Sequence[str], defaults: Mapping[str, Any]) -> list[LinePanel]:
    """A panel for all metrics in percent, and one for each other metric."""
    percent = [metric for metric in metrics if is_percent(metric)]
    together = [percent, *([metric] for metric in metrics if metric not in percent)]
    panels = []
    for group in together:
        series = tuple(line for metric in group if (line := _line(part, metric)).x)
        if series:
            panels.append(_panel(part, series, "score (%)" if group is percent else group[0], defaults))
    return panels


def _panel(part: _Slice, series: tuple[Series, ...], y_label: str, defaults: Mapping[str, Any]) -> LinePanel:
    values = tuple(part.runs)
    default: Any = defaults.get(part.param)
    inside = default is not None and _is_number(default) and min(values) <= default <= max(values)
    fixed = ", ".join(f"{name} = {format_value(value)}" for name, value in part.fixed.items())
    return LinePanel(
        title=f"{part.param} ({fixed})" if fixed else part.param,
        x_label=part.param,
        y_label=y_label,
        series=series,
        x_scale=fitting_scale(values),
        ticks=values if len(values) <= MOST_TICKS else (),
        marked=(default, "default") if inside else None,
    )


def _line(part: _Slice, metric: str) -> Series:
    averages = ((x, final_average(run, metric)) for x, runs in part.runs.items() for run in runs)
    return mean_series(metric, ((x, y) for x, y in averages if y is not None))


def _varied(runs: Sequence[RunRecord]) -> list[str]:
    """The parameters that have two or more numbers as values."""
    names = dict.fromkeys(name for run in runs for name in run.params)
    return [n for n in names if len({run.params[n] for run in runs if _is_number(run.params.get(n))}) > 1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _defaults(method: str) -> dict[str, Any]:
    """The defaults of a method's parameters; none if its plugin is no longer installed."""
    spec = plugin_host().registry.methods.get(method)
    return {} if spec is None else {param.name: param.default for param in spec.params}
