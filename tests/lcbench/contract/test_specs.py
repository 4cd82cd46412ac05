from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lcbench.contract.specs import (
    SIZES,
    MethodSpec,
    MetricKind,
    MetricSpec,
    Param,
    Setting,
    StreamSpec,
    TaskShape,
    resolve_params,
)
from lcbench.errors import ParameterError

SIGMA = Param("sigma", float, "median", choices=("median",), above=0)
WIDTH = Param("k", int, None, minimum=1, optional=True)
GRAPH = Param("affinity", str, "knn", choices=("knn", "full"))
FREE = Param("path", str, "")
UNIT = Param("unit_rows", bool, True)
CLASSES = Param("classes", tuple, (3, 5))
SEED = Param("seed", int, 0)
SHARE = Param("share", float, 0.5, minimum=0, maximum=1)


@pytest.mark.parametrize(
    ("param", "given", "value"),
    [
        (SIGMA, "0.5", 0.5),
        (SIGMA, " 1e-3 ", 0.001),
        (SIGMA, 2, 2.0),
        (SIGMA, np.float64(0.25), 0.25),
        (SIGMA, "median", "median"),
        (WIDTH, "4", 4),
        (WIDTH, "4.0", 4),
        (WIDTH, 4.0, 4),
        (WIDTH, np.int64(4), 4),
        (WIDTH, "none", None),
        (WIDTH, "None", None),
        (WIDTH, None, None),
        (GRAPH, "full", "full"),
        (FREE, "a, b", "a, b"),
        (UNIT, True, True),
        (UNIT, "Yes", True),
        (UNIT, "on", True),
        (UNIT, "1", True),
        (UNIT, "false", False),
        (UNIT, "OFF", False),
        (UNIT, "0", False),
        (CLASSES, "3,5, 8", (3, 5, 8)),
        (CLASSES, "7", (7,)),
        (CLASSES, [3, 5.0], (3, 5)),
        (CLASSES, np.array([3, 5]), (3, 5)),
        (SEED, "9007199254740993", 9007199254740993),
        (SEED, 9007199254740993, 9007199254740993),
        (SEED, "1e3", 1000),
        (SHARE, "0", 0.0),
    ],
)
def test_a_value_is_typed_whether_it_comes_as_text_or_from_python(param, given, value):
    parsed = param.parse(given)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("param", "given"),
    [
        *[(SIGMA, bad) for bad in ("0", -1, "mean", "", "inf", "-inf", "nan", float("nan"), True, None, "none", [1])],
        *[(WIDTH, bad) for bad in (0, "0", "2.5", 2.5, "inf", float("inf"), "four", False, "1e999")],
        *[(GRAPH, bad) for bad in ("KNN", "", 1, None)],
        *[(FREE, bad) for bad in (3, None, True)],
        *[(UNIT, bad) for bad in ("maybe", "", "2", 1, 0.0, None)],
        *[(CLASSES, bad) for bad in ("", "3,", "3;5", "1.5", [1.5], [], 3, "none", [float("nan")], ["a"])],
        *[(CLASSES, bad) for bad in ([float("inf")], [True, False])],
        *[(SHARE, bad) for bad in ("-0.1", 1.5)],
    ],
)
def test_a_value_of_another_type_or_out_of_bounds_is_refused_with_what_is_taken(param, given):
    with pytest.raises(ParameterError) as caught:
        param.parse(given)
    assert str(caught.value) == f"{param.name} takes {param.takes()}, not {given!r}"


@pytest.mark.parametrize(
    ("param", "words"),
    [
        (SIGMA, "a number above 0 or median"),
        (WIDTH, "a whole number of at least 1 or none"),
        (GRAPH, "one of knn, full"),
        (FREE, "text"),
        (UNIT, "true or false"),
        (CLASSES, 'whole numbers such as "1,4,7", with the double quotes'),
        (SHARE, "a number from 0 to 1"),
        (Param("k", int, 1, maximum=9), "a whole number of at most 9"),
    ],
)
def test_the_values_a_parameter_takes_are_described_in_words(param, words):
    assert param.takes() == words


def test_parameters_are_typed_and_completed_in_the_order_of_the_spec():
    resolved = resolve_params("Method 'm'", (SIGMA, WIDTH, GRAPH), {"affinity": "full", "sigma": "2"})
    assert list(resolved.items()) == [("sigma", 2.0), ("k", None), ("affinity", "full")]


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ((SIGMA, GRAPH), {"sigm": 1}, "Method 'm' has no parameter 'sigm'. Did you mean 'sigma'?"),
        ((SIGMA, GRAPH), {"zzz": 1}, "Method 'm' has no parameter 'zzz'. There is affinity, sigma."),
        ((), {"lam": 1}, "Method 'm' has no parameter 'lam'. It takes no parameters."),
        ((GRAPH,), {"affinity": "all"}, "Method 'm': affinity takes one of knn, full, not 'all'."),
        ((SIGMA,), {"random_state": 1}, "Method 'm' takes no random_state: every seed comes from the run's own seed."),
    ],
)
def test_an_unknown_parameter_or_a_bad_value_is_refused_in_one_sentence(params, given, message):
    with pytest.raises(ParameterError) as caught:
        resolve_params("Method 'm'", params, given)
    assert str(caught.value) == message


def test_notes_and_shapes_are_given_or_depend_on_the_parameters():
    method = MethodSpec("m", "a:B", Setting.LIFELONG, note=lambda params: f"k is {params['k']}")
    stream = StreamSpec("s", "a:B", tasks=lambda params: tuple(TaskShape(f"t{i}") for i in range(params["tasks"])))
    assert (method.note_for({"k": 3}), replace(method, note="always").note_for({})) == ("k is 3", "always")
    assert stream.shapes({"tasks": 2}) == (TaskShape("t0"), TaskShape("t1"))
    assert replace(stream, tasks=(TaskShape("t"),)).shapes({}) == (TaskShape("t"),)


def test_a_default_is_the_same_value_as_when_it_is_written_out():
    param = Param("lam", float, 1)
    assert isinstance(param.default, float)
    with pytest.raises(ParameterError, match="decay takes a number from 0 to 1, not 2"):
        Param("decay", float, 2, minimum=0, maximum=1)


def test_the_values_of_a_grid_are_typed_like_a_default():
    lam = Param("lam", float, 1, minimum=0, grids={"few": (0, "0.5", 2)})
    assert lam.grids == {"few": (0.0, 0.5, 2.0)}
    assert {type(value) for value in lam.grids["few"]} == {float}
    assert Param("lam", float, 1).grids == {}
    assert hash(lam) == hash(Param("lam", float, 1, minimum=0))


@pytest.mark.parametrize(
    ("param", "grids", "message"),
    [
        (WIDTH, {"few": (1, 0)}, "k takes a whole number of at least 1 or none, not 0"),
        (WIDTH, {"few": ()}, "the grid 'few' of k is empty"),
        (GRAPH, {"full": ("knn", "full")}, "a grid of affinity cannot be called 'full', which is a value it takes"),
        (WIDTH, {"none": (1, 2)}, "a grid of k cannot be called 'none', which is a value it takes"),
    ],
)
def test_a_grid_that_is_empty_or_named_like_a_value_is_refused(param, grids, message):
    with pytest.raises(ParameterError) as caught:
        replace(param, grids=grids)
    assert str(caught.value) == message


def test_a_metric_allows_the_scores_of_its_range_rounding_aside_and_without_one_all():
    def allowed(range, *scores):
        spec = MetricSpec("m", "p:M", MetricKind.EXTERNAL, range=range)
        return [score for score in scores if spec.allows(score)]

    assert allowed((0, 1), -0.1, -1e-12, 0, 0.5, 1, 1 + 1e-12, 2.0) == [-1e-12, 0, 0.5, 1, 1 + 1e-12]
    assert allowed((-math.inf, 1), -1e300, 1.1) == [-1e300]
    assert allowed(None, -7, 200) == [-7, 200]


@pytest.mark.parametrize("range", [(0,), (1, 0), (0, 0), "01", (0, "1"), 3, ()], ids=str)
def test_a_range_that_is_none_is_refused(range):
    with pytest.raises(ParameterError, match="the range of m is its lowest and its highest score, not"):
        MetricSpec("m", "p:M", MetricKind.EXTERNAL, range=range)


def test_sizes_of_a_task_that_are_not_known_are_question_marks_in_its_row():
    shape = TaskShape("a", 1200, None, 3, (("x", 700), ("y", 500)))
    assert dict(zip(SIZES, shape.texts, strict=True)) == {
        "task": "a", "samples": "1,200", "features": "?", "clusters": "3", "classes": "x 700, y 500",
    }  # fmt: skip
