from __future__ import annotations

import hashlib
import io
import subprocess
import sys
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
def test_the_same_chart_gives_the_same_bytes_in_another_process_and_whatever_the_users_settings(
    make_chart, format, start
):
    chart = make_chart(["a", "b"], spread=0.1)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red", "svg.hashsalt": "x"}):
        here = chart_bytes(chart, format)
        assert matplotlib.rcParams["font.size"] == 30
    assert here.startswith(start)
    code = f"""if True:
        import hashlib
        from lcbench.report.figures.chart import *
        from lcbench.report.figures.files import chart_bytes
        print(hashlib.sha256(chart_bytes({chart!r}, {format!r})).hexdigest())
    """
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == hashlib.sha256(here).hexdigest()


def test_a_picture_is_not_empty_and_reads_in_grey(make_chart):
    image = Image.open(io.BytesIO(chart_bytes(make_chart(["a", "b"]), "png"))).convert("L")
    assert image.width > 800
    assert np.mean(np.asarray(image) < 128) > 0.003


def test_a_character_missing_from_the_font_gives_a_warning_but_not_for_svg(make_lines, caplog):
    chart = Chart((), "\U0001f9ff任", "", (LinePanel("", "x", "y", make_lines(["a"])),))
    chart_bytes(chart, "svg")
    assert not caplog.records
    chart_bytes(chart, "png")
    assert "characters that the font cannot draw: --format svg keeps them" in caplog.text


def test_files_are_named_after_what_they_show_and_no_two_names_are_the_same():
    abouts = {
        ("webkb4:weighting=counts", "l2sc:lam=1"): "lifelong-webkb4-weighting=counts-l2sc-lam=1.png",
        ("webkb4:weighting=counts", "L2SC:lam=1"): "lifelong-webkb4-weighting=counts-L2SC-lam=1-2.png",
        ("../../etc", "pass/wd"): "lifelong-etc-pass-wd.png",
        ("$(rm *)", "😀"): "lifelong-rm.png",
        ("数据", "m"): "lifelong-数据-m.png",
        ("x" * 400, "m"): f"lifelong-{'x' * 191}.png",
        ("x" * 400, "n"): f"lifelong-{'x' * 191}-2.png",
    }
    assert file_names("lifelong", [Chart(about, "", "", ()) for about in abouts], "png") == list(abouts.values())
