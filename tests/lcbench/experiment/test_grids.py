from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_file_plugins import METHOD

from lcbench.errors import LcbenchError, ParameterError, UnknownNameError
from lcbench.experiment.grids import Grid, apply_grids, as_grids, parse_grid, varied_params
from lcbench.experiment.resolving import configured_methods
from lcbench.registry.host import plugin_host
from lcbench.registry.plugin_files import load_plugin_files

VALUES = st.text(min_size=1, max_size=8).filter(lambda text: '"' not in text and text.strip() == text)


def points(methods, grid) -> dict[str, list[tuple[str, dict]]]:
    """label -> the labels and values of its points."""
    registry, grids = plugin_host().registry, as_grids(grid)
    entries = configured_methods(methods, registry, varied_params(grids))
    return {
        gridded.entry.label: [(point.entry.label, point.values) for point in gridded.points]
        for gridded in apply_grids(entries, grids, registry)
    }


@pytest.mark.parametrize(
    ("text", "grid"),
    [
        ("l2sc.lam=0.1,1", Grid("l2sc", "lam", ("0.1", "1"))),
        ("l2sc.lam=paper", Grid("l2sc", "lam", ("paper",))),
        (" l2sc.lam = 0.1 , 1 ", Grid("l2sc", "lam", ("0.1", "1"))),
        ("my.own-method.k=3", Grid("my.own-method", "k", ("3",))),
        ('m.classes="1,2","3"', Grid("m", "classes", ("1,2", "3"))),
        ('m.path="",a=b', Grid("m", "path", ("", "a=b"))),
    ],
)
def test_a_grid_is_read_as_its_parts(text, grid):
    assert parse_grid(text) == grid


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("l2sc", "is no grid"),
        ("lam=1,2", "is no grid"),
        ("l2sc.2=1", "is no grid"),
        ("-x.lam=1", "is no grid"),
        (".lam=1", "is no grid"),
        ("l2sc.lam=", "holds no value"),
        ("l2sc.lam=1,", "has an empty value"),
        ("l2sc.lam=1,,2", "has an empty value"),
        ('m.classes="1,2', "comma in double quotes"),
        ('m.classes="1"2', "comma in double quotes"),
    ],
)
def test_what_is_no_grid_is_refused_and_quoted(text, said):
    with pytest.raises(ParameterError, match=said) as caught:
        parse_grid(text)
    assert f"'{text}'" in str(caught.value)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_values_come_back_as_they_were_quoted(values):
    written = ",".join(f'"{value}"' if "," in value else value for value in values)
    grid = parse_grid(f"m.p={written}")
    assert list(grid.values) == values


def test_texts_and_a_mapping_mean_the_same():
    mapping = {"l2sc": {"lam": np.array([0.1, 1]), "mu": "paper"}, "stsc": {"n_neighbors": 5, "sigma": ["median", 2]}}
    texts = ["l2sc.lam=0.1,1", "l2sc.mu=paper", "stsc.n_neighbors=5", "stsc.sigma=median,2"]
    methods = ["l2sc", "stsc"]
    assert points(methods, mapping) == points(methods, texts)
    assert points("l2sc", "l2sc.lam=0.1") == {"l2sc": [("l2sc:lam=0.1", {"lam": 0.1})]}
    assert points("l2sc", None) == {"l2sc": []}


def test_lists_of_one_method_make_their_cartesian_product():
    found = points(["l2sc", "stsc"], ["l2sc.lam=0.1,1", "l2sc.k=none,3,4"])
    assert [values for _, values in found["l2sc"]] == [
        {"lam": lam, "k": k} for lam, k in itertools.product((0.1, 1.0), (None, 3, 4))
    ]
    assert found["l2sc"][1][0] == "l2sc:lam=0.1,k=3"
    assert found["stsc"] == []


def test_a_named_grid_varies_one_parameter_at_a_time_with_the_others_as_they_were():
    found = points("l2sc:k=4", ["l2sc.lam=paper", "l2sc.mu=paper"])["l2sc:k=4"]
    paper = next(p for p in plugin_host().registry.methods["l2sc"].params if p.name == "lam").grids["paper"]
    lines = [{"lam": value, "mu": 0.01} for value in paper] + [{"lam": 1.0, "mu": value} for value in paper]
    assert [values for _, values in found] == [line for i, line in enumerate(lines) if line not in lines[:i]]
    assert len(found) == 58 + 58 - 1  # the defaults are on both lines
    assert found[0][0] == "l2sc:k=4,lam=0.001"
    assert found[-1][0] == "l2sc:k=4,mu=800"


def test_lists_and_named_grids_together_are_the_product_and_the_lines():
    found = points("l2sc", {"l2sc": {"lam": [0.5, 1], "k": [3, 4], "mu": "paper"}})["l2sc"]
    assert [label for label, _ in found[:5]] == [
        "l2sc:lam=0.5,k=3", "l2sc:lam=0.5,k=4", "l2sc:lam=1,k=3", "l2sc:lam=1,k=4", "l2sc:mu=0.001",
    ]  # fmt: skip
    assert found[0][1] == {"lam": 0.5, "k": 3, "mu": 0.01}
    assert found[4][1] == {"lam": 1.0, "k": None, "mu": 0.001}
    assert len(found) == 4 + 58


def test_a_point_comes_once_however_it_was_written():
    assert points("l2sc", "l2sc.lam=1,1.0,1e0,2")["l2sc"] == [
        ("l2sc:lam=1", {"lam": 1.0}),
        ("l2sc:lam=2", {"lam": 2.0}),
    ]


def test_a_grid_is_for_the_entries_that_do_not_set_the_parameter_themselves():
    found = points(["l2sc", "l2sc:lam=10", "mine=l2sc:mu=1"], ["l2sc.lam=0.1", "l2sc.mu=2,3"])
    assert [label for label, _ in found["l2sc"]] == ["l2sc:lam=0.1,mu=2", "l2sc:lam=0.1,mu=3"]
    assert [label for label, _ in found["l2sc:lam=10"]] == ["l2sc:lam=10,mu=2", "l2sc:lam=10,mu=3"]
    assert [label for label, _ in found["mine"]] == ["mine:lam=0.1"]


def test_an_entry_that_sets_a_parameter_to_its_default_is_not_the_one_that_the_grid_is_for():
    assert points(["l2sc", "l2sc:lam=1"], "l2sc.lam=0.1,10") == {
        "l2sc": [("l2sc:lam=0.1", {"lam": 0.1}), ("l2sc:lam=10", {"lam": 10.0})],
        "l2sc:lam=1": [],
    }


def test_a_point_has_the_method_its_note_and_its_baseline():
    registry, grids = plugin_host().registry, as_grids({"l2sc": {"encoding": ["frozen"], "n_neighbors": [7]}})
    (gridded,) = apply_grids(configured_methods("l2sc", registry), grids, registry)
    (point,) = gridded.points
    assert point.entry.make().get_params()["n_neighbors"] == 7
    assert point.entry.note == ""
    assert gridded.entry.note == "old tasks re-encoded when asked"
    assert point.entry.baseline.params["n_neighbors"] == 7
    assert gridded.entry.baseline.params["n_neighbors"] == 10


@pytest.mark.parametrize(
    ("methods", "grid", "message"),
    [
        ("l2sc", "l2cs.lam=1", "There is no method 'l2cs'. Did you mean 'l2sc'?"),
        ("l2sc", "stsc.sigma=1", "There is a grid for 'stsc', which is not among the methods of the experiment."),
        (
            "l2sc",
            "l2sc.lamb=1",
            "Method 'l2sc' has no parameter 'lamb' to make a grid of. Did you mean 'lam'?",
        ),
        (
            "one-cluster",
            "one-cluster.k=1",
            "Method 'one-cluster' has no parameter 'k' to make a grid of. It takes none.",
        ),
        ("l2sc", "l2sc.lam=0,-1", "The grid for 'l2sc': lam takes a number of at least 0, not '-1'."),
        (
            "l2sc",
            {"l2sc": {"k": [2, 2.5]}},
            "The grid for 'l2sc': k takes a whole number of at least 1 or none, not 2.5.",
        ),
        (
            "l2sc",
            "l2sc.lam=papre",
            "The grid for 'l2sc': lam takes a number of at least 0, not 'papre', and its only named grids are paper.",
        ),
        (
            "l2sc",
            "l2sc.tol=paper",
            "The grid for 'l2sc': tol takes a number of at least 0, not 'paper', and it has no named grids.",
        ),
        (
            "l2sc",
            "l2sc.lam=paper,1000",
            "The grid for 'l2sc': lam takes a number of at least 0, not 'paper'; the grid called 'paper' stands alone.",
        ),
        ("l2sc", ["l2sc.lam=1", "l2sc.lam=2"], "There are two grids for lam of 'l2sc': write one."),
        ("l2sc", {"l2sc": {"lam": []}}, "The grid for lam of 'l2sc' holds no value."),
        (
            ["l2sc:lam=1", "l2sc:lam=2,mu=3"],
            "l2sc.lam=1",
            "There is a grid for lam of 'l2sc', but every entry of that method sets lam itself: leave it out of one.",
        ),
        (
            "l2sc",
            {"l2sc": {name: list(range(1, 200)) for name in ("lam", "mu", "k")}},
            "The grids of 'l2sc' make 7,880,599 points, and 100,000 is the most: list fewer values.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_a_grid_is_refused_in_one_sentence(methods, grid, message):
    with pytest.raises(LcbenchError) as caught:
        points(methods, grid)
    assert isinstance(caught.value, (ParameterError, UnknownNameError))
    assert str(caught.value) == message


def test_a_word_that_is_a_value_of_the_parameter_is_that_value():
    assert points("l2sc", "l2sc.solver=paper") == {"l2sc": [("l2sc:solver=paper", {"solver": "paper"})]}


def test_a_parameter_that_stays_at_its_default_makes_no_grid(plugin_file):
    load_plugin_files([plugin_file("fixed_part", METHOD.replace("shift=0", "shift=0, part=None"))])
    with pytest.raises(ParameterError, match=r"^Method 'fixed_part' has 'part', which stays at its default: nothing"):
        points("fixed_part", "fixed_part.part=1,2")
