"""Draws lines with bands of deviation, and sets the scales and ticks of their axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from lcbench.report.figures.chart import LEAST_WITH_BAND, LINEAR, LOG, MOST_WITH_BANDS, SYMLOG, LinePanel, Series
from lcbench.report.figures.style import GREY, LONGEST_TEXT, line_style, shortened

MOST_MARKED = 10  # markers on a line
MOST_THICK = 12  # lines in a panel


def draw_lines(axes: Axes, panel: LinePanel) -> None:
    """Draws every line of a panel; a line is labelled with its name."""
    count = len(panel.series)
    for index, line in enumerate(panel.series):
        _draw_line(axes, line, index, thin=count > MOST_THICK, weighed=panel.weighed)
        if any(line.spread) and count <= MOST_WITH_BANDS:
            _draw_band(axes, line, index, least=LEAST_WITH_BAND if panel.weighed else 0)
    axes.set_title(shortened(panel.title, LONGEST_TEXT), loc="left", pad=6 if panel.marked is None else 16)
    axes.set_xlabel(shortened(panel.x_label, LONGEST_TEXT))
    axes.set_ylabel(shortened(panel.y_label, LONGEST_TEXT))
    _scale(axes, panel)
    if panel.marked is not None:
        at, text = panel.marked
        axes.axvline(at, color=GREY, linewidth=1, linestyle=(0, (2, 2)), zorder=0.5, label="_marked")
        axes.annotate(
            text, (at, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
            ha="center", va="bottom", fontsize=7.5, color=GREY,
        )  # fmt: skip


def tick_log_axis(axis: Axis, values: Sequence[float]) -> None:
    """Sets ticks with numbers at every power of ten, and at its double and fivefold if the values span few decades."""
    if max(values) < 300 * min(values):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_minor_formatter(NullFormatter())


def plain_number(value: float, _: object = None) -> str:
    """A number as the label of a tick: `0.5`, `−3`, `100,000`."""
    return f"{value:g}".replace("-", "−") if abs(value) < 1e5 or abs(value) >= 1e9 else f"{value:,.0f}"


def _style(line: Series, index: int) -> dict[str, Any]:
    return line_style(index if line.style is None else line.style)


def _draw_line(axes: Axes, line: Series, index: int, *, thin: bool, weighed: bool) -> None:
    style, size = _style(line, index), 3.5 if thin else 5.0
    step = -(-(len(line.x) - line.hollow) // MOST_MARKED) or 1
    # neighbouring lines have their markers at different points
    marked = list(range(line.hollow, len(line.x)))[index % step :: step]
    most = max(line.runs, default=0)
    light = [i for i in marked if weighed and line.runs[i] < most]
    axes.plot(
        line.x, line.y, **style, label=line.name, linewidth=0.9 if thin else 1.5, markersize=size,
        markevery=[i for i in marked if i not in light],
    )  # fmt: skip
    if light:
        areas = [(size * _diameter(line.runs[i] / most)) ** 2 for i in light]
        axes.scatter(
            [line.x[i] for i in light], [line.y[i] for i in light], areas,
            color=style["color"], marker=style["marker"], linewidths=0, label="_light", zorder=2.5,
        )  # fmt: skip
    if line.hollow:
        axes.plot(
            line.x[: line.hollow], line.y[: line.hollow], color=style["color"], marker=style["marker"],
            markerfacecolor="white", linestyle="none", markersize=3.5 if thin else 5.5, label="_hollow", zorder=2.5,
        )  # fmt: skip


def _diameter(share: float) -> float:
    """The diameter of a marker for a mean over a share of the runs: never too small to see, a full one stands out."""
    return 0.55 + 0.35 * share


def _draw_band(axes: Axes, line: Series, index: int, *, least: int) -> None:
    low = [y - s for y, s in zip(line.y, line.spread, strict=True)]
    high = [y + s for y, s in zip(line.y, line.spread, strict=True)]
    axes.fill_between(
        line.x, low, high, where=[n >= least for n in line.runs] if least else None,
        color=_style(line, index)["color"], alpha=0.13, linewidth=0, label="_band",
    )  # fmt: skip


def _scale(axes: Axes, panel: LinePanel) -> None:
    lowest = min((x for line in panel.series for x in line.x if x > 0), default=1.0)
    if panel.x_scale == SYMLOG:
        axes.set_xscale(SYMLOG, linthresh=lowest)
    elif panel.x_scale == LOG:
        axes.set_xscale(LOG)
    if panel.y_scale != LINEAR:
        _log_y(axes, panel)
    if panel.ticks:
        axes.xaxis.set_major_locator(FixedLocator(_few(panel.ticks)))
        axes.xaxis.set_minor_locator(NullLocator())
    elif panel.x_scale == LINEAR:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))


def _log_y(axes: Axes, panel: LinePanel) -> None:
    """Makes the y axis logarithmic, without stretching it for a band that reaches down to zero."""
    values = [y for line in panel.series for y in line.y if y > 0]
    if panel.y_scale == SYMLOG:
        axes.set_yscale(SYMLOG, linthresh=min(values))
        axes.set_ylim(bottom=0)
    else:
        axes.set_yscale(LOG)
        axes.set_ylim(bottom=min(values) / 1.6)
        tick_log_axis(axes.yaxis, values)
    axes.yaxis.set_major_formatter(FuncFormatter(plain_number))


def _few(ticks: tuple[float, ...]) -> list[float]:
    """At most ten of the ticks, the last one among them."""
    step = -(-len(ticks) // 10)
    return list(ticks[::-1][::step])
