from __future__ import annotations

from itertools import combinations

import pytest

from lcbench.report.figures.chart import RankPanel

RANKS = (("a", 1.25), ("b", 2.0), ("c", 2.75), ("d", 4.0))


@pytest.fixture
def diagram(figure_of):
    """Draws a diagram and gives its axes."""

    def axes_of(ranks=RANKS, difference=1.0, groups=()):
        return figure_of(RankPanel("p", tuple(ranks), difference, tuple(groups))).axes[0]

    return axes_of


def lines(axes, label):
    return [line for line in axes.get_lines() if line.get_label() == label]


def test_each_method_has_a_point_at_its_rank_and_its_name_with_the_rank_beside(diagram):
    axes = diagram()
    for name, rank in RANKS:
        (point,) = lines(axes, name)
        assert (list(point.get_xdata()), list(point.get_ydata())) == ([rank], [0])
    texts = [text.get_text().split() for text in axes.texts]
    for words in (["a", "1.25"], ["b", "2.00"], ["2.75", "c"], ["4.00", "d"]):
        assert words in texts


def test_a_bar_joins_the_first_and_the_last_method_of_each_group_at_a_height_of_its_own(diagram):
    first, second = lines(diagram(groups=[(0, 1), (1, 3)]), "_group")
    assert first.get_xdata() == pytest.approx([1.25, 2.0], abs=0.05)
    assert second.get_xdata() == pytest.approx([2.0, 4.0], abs=0.05)
    assert {first.get_ydata()[0], first.get_ydata()[1]}.isdisjoint(second.get_ydata())


def test_a_critical_difference_longer_than_the_axis_is_cut_and_marked_so(diagram):
    for difference, length, text in ((1.5, 1.5, "critical difference 1.50"), (7.0, 3, "7.00, longer than the axis")):
        axes = diagram(difference=difference)
        (bar,) = lines(axes, "_difference")
        start, end = bar.get_xdata()
        assert end - start == pytest.approx(length)
        assert any(shown.get_text().endswith(text) for shown in axes.texts)


@pytest.mark.parametrize("count", [2, 3, 9, 16])
def test_no_two_texts_lie_on_each_other_however_many_methods_there_are(diagram, count):
    ranks = [(f"method number {i}", 1.0 + i) for i in range(count)]
    axes = diagram(ranks, groups=[(i, i + 1) for i in range(count - 1)])
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) >= count
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
