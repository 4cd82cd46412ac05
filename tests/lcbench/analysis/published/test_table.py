from __future__ import annotations

import pytest

from lcbench.analysis.published.table import parse_figure, published_for, read_published
from lcbench.analysis.run_scores import AVERAGE
from lcbench.errors import ParameterError, PluginError, UnknownNameError
from lcbench.registry.host import plugin_host

PLAIN = 'Plain = {entry = "stsc:n_neighbors=5", seconds = 1}'
B = 'B = ["70.00 ± 2.00", "80.00 ± 0.00"], '


@pytest.fixture
def registry():
    return plugin_host().registry


def test_figures_are_read_from_the_package_of_the_plugin(publish, registry):
    published = read_published(publish(protocol={"stream": "digits:seed=1"}), registry)
    assert published.figure("purity", "C", "Plain").mean == 60
    assert (published.protocol.order, published.protocol.repeats) == ("random", 10)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("same_data = true", "same_data = ", ", line 3: Invalid value."),
        ("same_data = true", 'same_data = "yes"', "same_data should be a valid boolean, not 'yes'."),
        ('table = "Table 9"', "", "'table' is missing."),
        ('"Nobody: Made Up, 2020"', '" "', "source must be a text, not ' '."),
        ("source", "surce", "there is no setting 'surce'. Did you mean 'source'?"),
        ("entry", "entri", "there is no setting 'methods.Plain.entri'."),
        (
            f"methods = {{{PLAIN}",
            f"methods = {{}}\nx = {{{PLAIN}",
            "methods must be a table with an entry or more, not {}.",
        ),
        (B, 'B = ["x", "1"], ', """figures.purity.B.1 must be a text such as "62.66 ± 0.00", not 'x'."""),
        (B, "", "figures.purity needs the rows A, B, C, D, average, and has A, C, D, average."),
        (B, "B = [], ", "figures.purity.B needs a figure for each of 2 methods, and has 0."),
        ('["1.5 ± 0.1", "0.5"]', '["1.5"]', "runtime.seconds needs a figure"),
        ('B = "task-2"', 'B = "task-9"', "tasks names task-1, task-9, task-3, task-4, and the stream has task-1"),
        ('"digits:seed=1"', '"topics"', "protocol.stream is 'topics', but the figures are those of 'digits'."),
        ('"digits:seed=1"', '"digits:sede=1"', "has no parameter 'sede'"),
        ("{purity", "{purty", "There is no metric 'purty'"),
        ("{purity", "{silhouette", "only metrics in percent"),
    ],
)
def test_a_fault_in_the_file_is_refused_with_its_place(publish, registry, old, new, said):
    with pytest.raises(PluginError) as error:
        read_published(publish((old, new)), registry)
    assert str(error.value).startswith("The published figures 'made_up_figures:data/digits.toml' of stream 'digits'")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("no_such_package:x.toml", "there is no package 'no_such_package'"),
        ("made_up_figures:data/other.toml", "there is no such file"),
        ("digits.toml", "write package:path/of/file.toml"),
        (":x", "write package:path/of/file.toml"),
        ("made_up_figures:", "this is a folder"),
    ],
)
def test_a_file_that_does_not_exist_is_refused(publish, registry, place, said):
    with pytest.raises(PluginError, match=f"'{place}' of stream 'digits': .*{said}"):
        read_published(publish(place=place), registry)


def test_a_stream_without_figures_is_refused_with_the_names_of_those_that_have_some(registry):
    with pytest.raises(
        UnknownNameError, match=r"no published figures for 'digits'\. There are some for webkb4, reuters, 20n"
    ):
        published_for("digits", registry)
    with pytest.raises(UnknownNameError, match=r"no published figures for 'webkb'\. Did you mean 'webkb4'\?"):
        published_for("webkb", registry)
    with pytest.raises(UnknownNameError, match=r"for 'nothing-like-it'\. There are some for"):
        published_for("nothing-like-it", registry)


def test_parameters_of_the_stream_are_refused(registry):
    with pytest.raises(ParameterError, match="write 'webkb4' alone"):
        published_for("webkb4:weighting=log", registry)


@pytest.mark.parametrize(
    ("text", "mean", "sd"),
    [("62.66 ± 0.00", 62.66, 0.0), ("62.66±0.31", 62.66, 0.31), ("4", 4.0, None), (" -1.5 ±  2 ", -1.5, 2.0)],
)
def test_a_figure_is_a_mean_with_or_without_a_standard_deviation(text, mean, sd):
    assert parse_figure(text)[:2] == (mean, sd)


def test_a_figure_keeps_the_digits_that_are_printed():
    assert parse_figure("80.00 ± 1.20").text == "80.00 ± 1.20"


@pytest.mark.parametrize("text", ["", "about 60", "62,66 ± 0.00", "62.66 ± ", "62.66 0.31", 62.66, None])
def test_a_text_that_is_not_a_figure_is_refused(text):
    with pytest.raises(ValueError, match="is not a figure"):
        parse_figure(text)


def test_figures_are_found_by_metric_task_and_method(published):
    assert published.figure("purity", "B", "Life").mean == 80
    assert published.figure("purity", AVERAGE, "Plain").sd == 2.5


def test_a_table_cut_to_some_methods_keeps_their_figures(published):
    part = published.chosen({"Life": published.methods["Life"]})
    assert list(part.methods) == ["Life"]
    assert [row[0].mean for row in part.figures["purity"].values()] == [90, 80, 70, 60, 77]
    assert [figure.mean for figure in part.runtime.seconds] == [0.5]
    assert len(published.methods) == 2
