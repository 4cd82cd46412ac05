from __future__ import annotations

import tomllib

import pytest
from pydantic import ValidationError

from lcbench.experiment.toml_model import ExperimentModel


def validated(text: str) -> dict:
    """The keys that a TOML text sets, as the model has them."""
    model = ExperimentModel.model_validate(tomllib.loads(text))
    return model.model_dump(exclude_unset=True)


def wrong_fields(text: str) -> set[str]:
    with pytest.raises(ValidationError) as caught:
        validated(text)
    return {str(error["loc"][0]) for error in caught.value.errors()}


def test_every_key_may_be_left_out():
    assert set(ExperimentModel().model_dump().values()) == {None}


def test_values_of_the_right_type_are_not_changed():
    text = 'methods = ["l2sc", "stsc"]\norder = "random"\nrepeats = 3\nseed = 0\nfuture = true\nevaluate = "every:2"'
    assert validated(text) == tomllib.loads(text)


@pytest.mark.parametrize("key", ["methods", "streams", "metrics", "audit"])
def test_one_text_becomes_a_list_of_one(key):
    assert validated(f'{key} = "one"') == {key: ["one"]}


def test_methods_and_streams_may_be_tables_but_metrics_may_not():
    assert validated('[methods]\nmine = "l2sc"\n[streams]\nd = "digits"') == {
        "methods": {"mine": "l2sc"},
        "streams": {"d": "digits"},
    }
    assert wrong_fields('[metrics]\nmine = "nmi"') == {"metrics"}


def test_a_timeout_becomes_seconds_and_a_memory_limit_bytes():
    assert validated('timeout = "1.5h"\nmemory_limit = "2GiB"') == {"timeout": 1.5 * 3600, "memory_limit": 2 * 2**30}


def test_values_of_a_grid_keep_their_types():
    (values,) = validated('[grid.m]\np = [true, 1, 1.0, "1", [1, 2]]')["grid"]["m"].values()
    assert [(type(value), value) for value in values] == [
        (bool, True),
        (int, 1),
        (float, 1.0),
        (str, "1"),
        (list, [1, 2]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        'repeats = "3"', "repeats = 3.0", "repeats = true", "repeats = 0", "seed = -1", "future = 1", "jobs = 0",
        'methods = ""', "methods = []", "methods = [1]", 'order = " "', 'evaluate = "every:0"', 'tune = "orcale"',
        'timeout = "soon"', "timeout = 0", "memory_limit = 0.5", "grid = []", "results = 1", "colour = 1",
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_with_its_key_and_without_conversion(text):
    assert wrong_fields(text) == {text.partition(" ")[0]}


def test_all_wrong_keys_are_found_at_once():
    assert wrong_fields("repeats = 0\nseed = 1\ncolour = 1\njobs = 0") == {"repeats", "colour", "jobs"}
