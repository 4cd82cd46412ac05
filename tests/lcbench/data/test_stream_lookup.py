"""Streams are found by their name, or as the path of a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lcbench
from lcbench.api.loading import load_stream
from lcbench.contract.specs import Param
from lcbench.data.folders.folder_spec import SOURCE, folder_spec
from lcbench.data.stream_lookup import built_stream, path_entry, stream_params, stream_spec
from lcbench.data.transforms import with_transform
from lcbench.errors import ParameterError, PluginError, UnknownNameError
from lcbench.registry.names import Entry


def test_a_registered_name_gives_the_spec_and_the_plugin_that_registered_it():
    spec, source = stream_spec(Entry("digits"))
    assert spec.name == "digits"
    assert source.distribution == "lcbench"
    assert source != SOURCE


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(UnknownNameError, match="Did you mean 'digits'"):
        stream_spec(Entry("digts"))


def test_the_name_of_a_folder_without_a_path_separator_is_refused_with_the_path_to_write():
    Path("news").mkdir()
    said = r"^There is no stream 'news'; for the folder of that name write '\./news'\.$"
    with pytest.raises(UnknownNameError, match=said):
        stream_spec(Entry("news"))


def test_a_registered_stream_is_found_though_a_folder_has_its_name():
    Path("digits").mkdir()
    assert stream_spec(Entry("digits"))[1] != SOURCE


@pytest.mark.parametrize(
    ("folder", "toml", "name"),
    [("news", "", "news"), ("digits", "", "folder-digits"), ("news", 'name = "digits"', "folder-digits")],
)
def test_a_folder_gets_another_name_only_if_a_registered_stream_has_it(folder, toml, name):
    Path(folder).mkdir()
    np.savez(Path(folder, "one.npz"), X=np.eye(12), y=np.arange(12) % 2)
    Path(folder, "stream.toml").write_text(toml)
    spec, source = stream_spec(path_entry(Path(folder)))
    assert (spec.name, spec.fixed["name"], source) == (name, name, SOURCE)
    assert spec.digest == folder_spec(f"./{folder}").digest


def test_a_folder_is_loaded_by_its_path_with_a_quoted_column_that_holds_a_colon(tmp_path):
    made = tmp_path / "my:news"
    made.mkdir()
    for name in ("one", "two"):
        (made / f"{name}.csv").write_text("u,v,kind of: text\n1,2,a\n3,1,b\n2,2,a\n")
    tasks = load_stream(f'{made}:label="kind of: text"').tasks()
    assert [(t.name, t.classes) for t in tasks] == [("one", ("a", "b")), ("two", ("a", "b"))]
    same = load_stream(made, label="kind of: text").tasks()
    assert [t.y.tolist() for t in same] == [t.y.tolist() for t in tasks]


def test_a_path_object_is_not_searched_for_parameters(tmp_path):
    odd = tmp_path / "x:label=y"
    with pytest.raises(UnknownNameError, match=r"There is no folder '.*x:label=y'"):
        load_stream(odd)


def test_a_transform_that_does_nothing_is_no_parameter_so_that_ids_of_runs_stay():
    spec, _ = stream_spec(Entry("digits"))
    assert stream_params(spec, {}) == stream_params(spec, {"transform": "none"})
    assert "transform" not in stream_params(spec, {})
    assert stream_params(spec, {"transform": "sqrt"})["transform"] == "sqrt"
    with pytest.raises(
        ParameterError, match="Stream 'digits': transform takes one of sqrt, standardise, minmax or none"
    ):
        stream_params(spec, {"transform": "cube"})


def test_every_stream_can_be_transformed_a_folder_too():
    Path("mine").mkdir()
    np.savez(Path("mine", "one.npz"), X=np.arange(24.0).reshape(12, 2), y=np.arange(12) % 2)
    (plain,), (roots,) = (load_stream("./mine", transform=name).tasks() for name in (None, "sqrt"))
    np.testing.assert_allclose(roots.task.X**2, plain.task.X)
    (run,) = lcbench.run("kmeans", "./mine:transform=sqrt")
    assert (run.stream_label, run.stream_params["transform"]) == ("mine:transform=sqrt", "sqrt")


def test_a_stream_keeps_a_transform_of_its_own():
    spec, source = stream_spec(Entry("digits"))
    own = replace(spec, params=(Param("transform", str, "mine", "its own"),), factory="builtins:dict")
    assert with_transform(own) is own
    assert stream_params(own, {}) == {"transform": "mine"}
    with pytest.raises(PluginError, match="makes a dict"):  # it is handed to the factory
        built_stream(own, {"transform": "mine"}, source)
