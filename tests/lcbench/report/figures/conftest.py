"""Charts made by hand, and what is read back from the figures drawn of them."""

from __future__ import annotations

import pytest

from lcbench.report.figures.chart import Chart, DotPanel, Dots, HeatPanel, LinePanel, Series
from lcbench.report.figures.draw import draw
from lcbench.report.figures.style import style_applied


@pytest.fixture
def make_lines():
    """Lines of two points each, with the names given and the same standard deviation everywhere."""

    def make(names, *, spread=0.0):
        return tuple(Series(name, (1.0, 2.0), (float(i), i + 1.0), (spread, spread)) for i, name in enumerate(names))

    return make


@pytest.fixture
def make_chart(make_lines):
    """A chart with a panel of lines, one of dots and a heat map, and the first name in every text."""

    def make(names, *, spread=0.0):
        panel = LinePanel(names[0], names[0], names[0], make_lines(names, spread=spread))
        dots = DotPanel(names[0], "x", tuple(Dots(name, (1.0, 2.0), 1.5, 0.5) for name in names))
        cells = tuple(tuple(float(i - j) for i in range(3)) for j in range(3))
        heat = HeatPanel(names[0], "row", "column", "unit", tuple(f"{names[0]}{i}" for i in range(3)), cells, cells)
        return Chart((names[0],), names[0], names[0], (panel, dots, heat), 3, names[0])

    return make


def _figure(chart):
    return draw(chart if isinstance(chart, Chart) else Chart((), "t", "s", (chart,)))


@pytest.fixture
def figure_of():
    """Draws a chart or a single panel, and lays it out so that texts can be measured."""

    def figure(chart):
        with style_applied():
            made = _figure(chart)
            made.draw_without_rendering()
        return made

    return figure


@pytest.fixture
def drawn():
    """Draws a chart or a single panel, and gives the axes of each panel; to lay them out takes ten times as long."""

    def axes_of(chart):
        with style_applied():
            return [axes for axes in _figure(chart).axes if axes.get_label() != "<colorbar>"]

    return axes_of


@pytest.fixture
def points():
    """The points of all lines drawn, by their label, without the noise of rounding."""

    def of(axes):
        return {
            line.get_label(): [
                (round(x, 9), round(y, 9)) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
            ]
            for line in axes.get_lines()
        }

    return of
