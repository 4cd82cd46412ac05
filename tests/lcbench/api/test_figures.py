from __future__ import annotations

import re
from pathlib import Path

import pytest
from making import make_record

from lcbench.api.results import Results
from lcbench.errors import ParameterError

PNG = b"\x89PNG"


@pytest.fixture
def results():
    traces = {"objective_trace": [[3.0, 2.0], [5.0, 1.0]]}
    runs = [make_record("l2sc", **traces), make_record("usc", [[0.4, None], [0.5, 0.6]], stream="digits")]
    return Results(runs, ["purity"])


def test_a_notebook_shows_every_figure_and_a_single_one_is_an_image_too(results):
    figures = results.plot("lifelong")
    assert len(figures) == 2
    assert figures._repr_html_().count("<img ") == 2
    assert figures._repr_png_() is None
    assert figures[1]._repr_png_().startswith(PNG)
    assert [len(each) for each in figures] == [1, 1]
    assert "usc on digits" in repr(figures)


@pytest.mark.parametrize("kind", ["convergence", "runtime"])
def test_a_kind_is_drawn_and_saved(results, kind):
    figures = results.plot(kind, methods="l2sc")
    assert [path.name for path in figures.save("drawn")] == [name.name for name in sorted(Path("drawn").iterdir())]
    (file,) = figures.save("one.svg")
    assert "<svg" in file.read_text(encoding="utf-8")


def test_a_figure_for_a_paper_has_names_of_specs_a_width_and_a_caption_beside_it(results):
    figures = results.plot("lifelong", streams="digits", paper=True, width=100, names={"a": "First task"})
    (file,) = figures.save("one.pdf")
    caption = file.with_suffix(".txt").read_text(encoding="utf-8")
    assert caption.startswith("uSC on Digits: each task as more are learned")
    (drawn,) = figures.matplotlib()
    assert drawn.get_figwidth() == pytest.approx(100 / 25.4)
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["First task", "b"]
    assert figures.captions[0] in file.with_suffix(".txt").read_text(encoding="utf-8")


def test_an_image_in_a_notebook_is_as_wide_as_the_figure(results):
    figures = results.plot("lifelong", streams="digits", paper=True, width=100)
    assert re.search(r"width: (\d+)px", figures._repr_html_())[1] == "378"  # 100 mm at 96 dots per inch


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda results: results.plot("lifelng"), "There is no figure 'lifelng'. Did you mean 'lifelong'?"),
        (lambda results: results.plot("lifelong", methods="x"), "There are no runs of method 'x': there is l2sc, usc."),
        (lambda results: results.plot("transfer"), "There is nothing to draw"),
        (lambda results: results.plot("lifelong").save("a.pdf"), "These are 2 figures, and 'a.pdf' is one file"),
        (lambda results: results.plot("lifelong")[0].save("a.gif"), "'a.gif' does not say its format"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(results, call, sentence):
    with pytest.raises(ParameterError) as refused:
        call(results)
    assert sentence in str(refused.value)
