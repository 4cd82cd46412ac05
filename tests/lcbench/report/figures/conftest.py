"""Runs and charts made by hand, and what is read back from the figures drawn of them."""

from __future__ import annotations

import pytest

from lcbench.records.record import RunRecord
from lcbench.report.figures.chart import Chart, DotPanel, Dots, HeatPanel, LinePanel, Series
from lcbench.report.figures.draw import draw
from lcbench.report.figures.files import style_applied


@pytest.fixture
def make_run():
    def make(order, R=None, *, metric="purity", label="m", stream="s", repeat=0, params=None, tasks=None, **changes):
        """A run over the tasks named by the letters of `order`; R may be the last row alone."""
        order = tuple(order)
        if R is not None and not isinstance(R[0], list):
            R = [*([[None] * len(order)] * (len(order) - 1)), list(R)]
        return RunRecord(
            **{
                "method": "m", "revision": 1, "params": params or {}, "setting": "lifelong", "stream": stream,
                "stream_params": {}, "stream_digest": "", "order": order, "seed": 0, "repeat": repeat, "label": label,
                "stream_label": stream, "stream_tasks": tuple(tasks or sorted(order)),
                "scores": {} if R is None else {metric: R},
                "learn_seconds": [1.0] * len(order), "state_bytes": [1] * len(order), **changes,
            }
        )  # fmt: skip

    return make


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
        return Chart(("k", names[0]), names[0], names[0], (panel, dots, heat), 3, names[0])

    return make


@pytest.fixture
def figure_of():
    """Draws a chart or a single panel, and lays it out so that texts can be measured."""

    def figure(chart):
        with style_applied():
            made = draw(chart if isinstance(chart, Chart) else Chart(("k",), "t", "s", (chart,)))
            made.draw_without_rendering()
        return made

    return figure


@pytest.fixture
def drawn():
    """Draws a chart and gives the axes of its panels."""

    def axes_of(chart):
        with style_applied():
            figure = draw(chart)
        return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]

    return axes_of


@pytest.fixture
def line():
    """name -> the points of the line that has it."""

    def points(axes, name):
        (found,) = [line for line in axes.get_lines() if line.get_label() == name]
        return list(zip(found.get_xdata(), found.get_ydata(), strict=True))

    return points


@pytest.fixture
def near():
    """Points or numbers that are equal but for rounding."""

    def approximately(values):
        if isinstance(values, dict):
            return {key: approximately(value) for key, value in values.items()}
        return [pytest.approx(value) for value in values]

    return approximately
