"""Draws the critical-difference diagram: the mean ranks of methods on one axis.

A bar joins methods that do not differ significantly.

Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006 (figure 1).
"""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from lcbench.report.figures.chart import RankPanel
from lcbench.report.figures.style import short_names, shortened

STEP = 0.24


def ranks_height(panel: RankPanel) -> float:
    """The height of the diagram in inches."""
    return 1.15 + STEP * (math.ceil(len(panel.ranks) / 2) + 0.6 * len(panel.groups))


def draw_ranks(axes: Axes, panel: RankPanel) -> None:
    """Draws the diagram, best on the left; the point of a method is labelled with its name, a bar `_group`."""
    count = len(panel.ranks)
    names = short_names([name for name, _ in panel.ranks])
    half = math.ceil(count / 2)
    first = 1.0 + 0.6 * len(panel.groups)
    axes.plot([1, count], [0, 0], color="black", linewidth=1, label="_axis")
    for tick in range(1, count + 1, 1 if count <= 12 else 2):
        axes.plot([tick, tick], [0, -0.3], color="black", linewidth=1, label="_tick")
        axes.text(tick, -0.45, str(tick), ha="center", va="bottom", fontsize=8.5)
    for place, (name, rank) in enumerate(panel.ranks):
        left = place < half
        depth = first + (place if left else count - 1 - place)
        edge = 0.8 if left else count + 0.2
        axes.plot([rank, rank, edge], [0, depth, depth], color="black", linewidth=0.8, label="_stem")
        axes.plot([rank], [0], linestyle="none", marker="o", markersize=4.5, color="black", label=name)
        text = f"{names[place]}  {rank:.2f} " if left else f" {rank:.2f}  {names[place]}"
        axes.text(edge, depth, text, ha="right" if left else "left", va="center", fontsize=8.5)
    for i, (start, end) in enumerate(panel.groups):
        y = 0.5 + 0.6 * i
        ends = [panel.ranks[start][1] - 0.04, panel.ranks[end][1] + 0.04]
        axes.plot(ends, [y, y], color="black", linewidth=3.5, solid_capstyle="butt", label="_group")
    shown = min(panel.critical_difference, count - 1)
    axes.plot([1, 1 + shown], [-1.7, -1.7], color="black", linewidth=1.2, marker="|", markersize=8, label="_difference")
    cut = "" if shown == panel.critical_difference else ", longer than the axis"
    axes.text(1, -2.0, f"critical difference {panel.critical_difference:.2f}{cut}", va="bottom", fontsize=8)
    axes.set_title(shortened(panel.title, 80), loc="left")
    margin = 0.32 * max(count - 1, 1) + 0.4
    axes.set_xlim(1 - margin, count + margin)
    axes.set_ylim(first + half - 0.2, -2.9)
    axes.axis("off")
