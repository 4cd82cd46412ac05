from __future__ import annotations

import io
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from lcbench.report.figures.chart import Chart, LinePanel
from lcbench.report.figures.files import chart_bytes, file_names

HOSTILE = ["$x_1$", "a_b^{c}", r"\frac{1}{2}", "<script>alert(1)</script>", "€ 😀", "\x1b[31m\x00", "a\nb", "$"]


def test_names_are_never_read_as_formulas_and_an_svg_has_them_as_text(make_chart):
    root = ElementTree.fromstring(chart_bytes(make_chart(HOSTILE), "svg"))
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"$x_1$", "a_b^{c}", r"\frac{1}{2}", "<script>alert(1)</script>", "€ 😀", "$"} <= texts
    assert "\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}" in texts
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_same_chart_gives_the_same_bytes_whatever_the_users_settings(make_chart, format, start):
    first = chart_bytes(make_chart(["a", "b"]), format)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red"}):
        second = chart_bytes(make_chart(["a", "b"]), format)
        assert matplotlib.rcParams["font.size"] == 30
    assert first == second
    assert first.startswith(start)
    assert b"2026" not in first or format == "png"


def test_a_picture_is_not_empty_and_reads_in_grey(make_chart):
    image = Image.open(io.BytesIO(chart_bytes(make_chart(["a", "b"]), "png"))).convert("L")
    assert image.width > 800
    assert np.mean(np.asarray(image) < 128) > 0.003


def test_a_character_missing_from_the_font_gives_a_warning_but_not_for_svg(make_lines, caplog):
    chart = Chart(("k",), "\U0001f9ff任", "", (LinePanel("", "x", "y", make_lines(["a"])),))
    chart_bytes(chart, "svg")
    assert not caplog.records
    chart_bytes(chart, "png")
    assert "characters that the font cannot draw: --format svg keeps them" in caplog.text


def test_files_are_named_after_what_they_show_and_no_two_names_are_the_same():
    abouts = [
        ("lifelong", "webkb4:weighting=counts", "l2sc:lam=1"), ("lifelong", "webkb4:weighting=counts", "L2SC:lam=1"),
        ("lifelong", "../../etc", "pass/wd"), ("lifelong", "$(rm *)", "😀"), ("lifelong", "数据", "m"),
        ("lifelong", "x" * 400, "m"), ("lifelong", "x" * 400, "n"),
    ]  # fmt: skip
    names = file_names([Chart(about, "", "", ()) for about in abouts], "png")
    assert names[:5] == [
        "lifelong-webkb4-weighting=counts-l2sc-lam=1.png", "lifelong-webkb4-weighting=counts-L2SC-lam=1-2.png",
        "lifelong-etc-pass-wd.png", "lifelong-rm.png", "lifelong-数据-m.png",
    ]  # fmt: skip
    assert len({name.casefold() for name in names}) == len(names)
    assert all(len(name.encode()) < 220 for name in names)
