from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from lcbench.analysis.published.file import published_for, read_published, streams_with_figures
from lcbench.errors import ParameterError, PluginError, UnknownNameError
from lcbench.registry.host import plugin_host

GOOD = """
source = "Nobody: Made Up, 2020"
table = "Table 9"
same_data = true
[protocol]
stream = "digits:seed=1"
[tasks]
A = "task-1"
B = "task-2"
C = "task-3"
D = "task-4"
[methods]
Plain = { entry = "stsc" }
[figures.purity]
A = ["80.00 ± 1.00"]
B = ["80.00 ± 1.00"]
C = ["80.00 ± 1.00"]
D = ["80.00 ± 1.00"]
average = ["80.00 ± 1.00"]
"""


@pytest.fixture
def registry():
    return plugin_host().registry


@pytest.fixture
def spec_with(tmp_path, monkeypatch, registry):
    """The spec of digits with a file of published figures that holds some text."""
    monkeypatch.delitem(sys.modules, "made_up_figures", raising=False)
    package = tmp_path / "made_up_figures"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(text: str, published: str = "made_up_figures:data/digits.toml"):
        (package / "data").mkdir(exist_ok=True)
        (package / "data" / "digits.toml").write_text(text, encoding="utf-8")
        return replace(registry.streams["digits"], published=published)

    return make


def test_figures_are_read_from_the_package_of_the_plugin(spec_with, registry):
    published = read_published(spec_with(GOOD), registry)
    assert published.figure("purity", "C", "Plain").mean == 80
    assert (published.protocol.order, published.protocol.repeats) == ("random", 10)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("same_data = true", "same_data = ", "Invalid value"),
        ('table = "Table 9"', "", "table: Field required"),
        ('Plain = { entry = "stsc" }', 'Plain = { entri = "stsc" }', "methods.Plain.entry"),
        ('B = ["80.00 ± 1.00"]', 'B = ["eighty"]', "figures.purity.B.0: a figure is a text"),
        ('B = "task-2"', 'B = "task-9"', "tasks names task-1, task-9, task-3, task-4, and the stream has task-1"),
        ('"digits:seed=1"', '"topics"', "protocol.stream is 'topics', but the figures are those of 'digits'"),
        ('"digits:seed=1"', '"digits:sede=1"', "has no parameter 'sede'"),
        ("figures.purity", "figures.purty", "There is no metric 'purty'"),
        ("figures.purity", "figures.silhouette", "only metrics in percent"),
    ],
)  # fmt: skip
def test_a_fault_in_the_file_is_refused_with_its_place(spec_with, registry, old, new, said):
    assert old in GOOD
    with pytest.raises(PluginError) as error:
        read_published(spec_with(GOOD.replace(old, new, 1)), registry)
    assert "'made_up_figures:data/digits.toml' of stream 'digits' cannot be used" in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "place", ["no_such_package:x.toml", "made_up_figures:data/other.toml", "digits.toml", ":x", "y:"]
)
def test_a_file_that_does_not_exist_is_refused(spec_with, registry, place):
    with pytest.raises(PluginError, match="cannot be used"):
        read_published(spec_with(GOOD, place), registry)


def test_a_stream_without_figures_is_refused_with_the_names_of_those_that_have_some(registry):
    assert streams_with_figures(registry) == ["webkb4", "reuters", "20newsgroups"]
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
