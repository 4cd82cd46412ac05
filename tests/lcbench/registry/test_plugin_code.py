from __future__ import annotations

import logging
import re
import sys
import warnings

import numpy as np
import pytest

from lcbench import Clusterer
from lcbench.contract.task import Task
from lcbench.errors import DataUnavailableError, ParameterError, PluginError, StreamError
from lcbench.registry import plugin_code
from lcbench.registry.building import build_metric
from lcbench.registry.catalogue import Source
from lcbench.registry.plugin_code import LONGEST_TEXT, READ_ONLY, calling, fault_of, importing

SOURCE = Source("mine", "my-package")


def caught(call) -> BaseException:
    with pytest.raises(BaseException) as found:  # noqa: PT011  any
        call()
    return found.value


def told(call) -> str:
    """What is said of an error of plugin code."""

    def called():
        with calling(SOURCE, "failed"):
            call()

    return str(caught(called))


@pytest.mark.parametrize(
    "error",
    [each("no") for each in (ValueError, SystemExit, GeneratorExit, StopIteration)],
    ids=lambda each: type(each).__name__,
)
def test_every_error_names_plugin_distribution_kind_text_and_line(error):
    def fails():
        raise error

    said = rf"failed: {type(error).__name__}: no \(test_plugin_code\.py:\d+\)\."
    assert re.fullmatch(rf"plugin 'mine' of distribution 'my-package' {said}", told(fails))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ParameterError("Say so."), DataUnavailableError("None.")])
def test_an_interrupt_and_sentences_of_lcbench_pass(error):
    def fails():
        raise error

    with pytest.raises(type(error)) as found, calling(SOURCE, "failed"):
        fails()
    assert found.value is error


def test_sentences_of_lcbench_are_told_with_the_plugin_where_only_others_may_pass():
    with (
        pytest.raises(StreamError, match=r"^plugin 'mine' .* failed: ParameterError: the grid 'g' of a is empty"),
        calling(SOURCE, "failed", StreamError, passing=PluginError),
    ):
        raise ParameterError("the grid 'g' of a is empty")


def test_the_line_is_the_deepest_of_the_plugin_and_not_one_of_numpy():
    def fails():
        np.linalg.inv(np.zeros((2, 3)))

    line = fails.__code__.co_firstlineno + 1
    assert fault_of(caught(fails)).place == f"test_plugin_code.py:{line}"


def test_no_line_is_named_where_no_plugin_was_called():
    error = caught(lambda: build_metric("no_such_module:Thing", {}, SOURCE))
    assert str(error) == (
        "plugin 'mine' of distribution 'my-package' could not build 'no_such_module:Thing': ModuleNotFoundError: No "
        "module named 'no_such_module'."
    )


def test_a_long_text_is_cut_and_stays_on_one_line():
    def fails():
        raise ValueError("x\n" * 50_000)

    said = told(fails)
    assert re.search(r"x x +\.\.\. +x x", said)
    assert "\n" not in said
    assert len(said) < LONGEST_TEXT + 200


class Forgetful(Clusterer):
    def __init__(self, *, random_state=None):
        pass

    def partial_fit(self, task):
        return self

    def predict(self, task):
        return []


def writes_to_its_input():
    Task("a", np.ones((2, 2)), 1).X[0, 0] = 1.0


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (writes_to_its_input, f"{READ_ONLY}."),
        (Forgetful().get_params, "The constructor must store its argument: self.random_state = random_state."),
        (lambda: build_metric("lcbench_indices.indices:Purty", {}, SOURCE), "Did you mean 'Purity'?"),
    ],
    ids=["read-only", "not stored", "misspelt"],
)
def test_a_known_cause_has_a_hint(call, hint):
    assert told(call).endswith(f". {hint}")


def test_what_a_plugin_prints_goes_to_standard_error(capsys):
    with calling(SOURCE, "failed"):
        print("hello")
    assert capsys.readouterr() == ("", "hello\n")
    assert sys.stdout is not sys.stderr


def test_warnings_of_an_import_are_told_once_with_the_plugin_and_remembered(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)
    monkeypatch.setattr(plugin_code, "told_at_import", known := set())
    with importing(SOURCE):
        warnings.warn_explicit("it is old", UserWarning, "/a/mine.py", 4)
    assert known == {"UserWarning: it is old (mine.py:4)"}
    assert caplog.messages == [f"{SOURCE}: UserWarning: it is old (mine.py:4)"]
