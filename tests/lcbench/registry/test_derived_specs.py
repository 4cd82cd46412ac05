from __future__ import annotations

from types import ModuleType
from typing import Optional

import numpy as np
import pytest

from lcbench import Clusterer, MultiTaskClusterer, Setting, SingleTaskClusterer
from lcbench.contract.specs import Param, resolve_params
from lcbench.errors import ParameterError, PluginError
from lcbench.registry.derived_specs import derived_specs, kebab

ARRAY = np.zeros(2)


def method(name="Mine", init=None, base=SingleTaskClusterer, module="mine", **more):
    """A class as a file would define it."""
    body = {"predict": lambda self, task: None, "__module__": module, **({"__init__": init} if init else {}), **more}
    return type(name, (base,), body)


def specs(*classes, **names):
    module = ModuleType("mine")
    vars(module).update({each.__name__: each for each in classes} | names)
    return derived_specs(module, "from a file")


def params(init):
    (spec,) = specs(method(init=init))
    return spec


def test_a_single_method_is_named_like_the_file_and_described_by_its_class():
    (spec,) = specs(method(__doc__="  Does much.\n\n    And more."))
    assert (spec.name, spec.factory, spec.setting) == ("mine", "mine:Mine", Setting.SINGLE_TASK)
    assert (spec.summary, spec.provenance, spec.params, spec.revision) == ("Does much", "from a file", (), 0)


def test_the_docstring_of_a_base_class_is_not_taken_for_its_own():
    assert specs(method())[0].summary == ""


def test_several_methods_are_named_like_their_classes():
    found = specs(method("CarryMeans"), method("L2SC"))
    assert [(spec.name, spec.factory) for spec in found] == [("carry-means", "mine:CarryMeans"), ("l2sc", "mine:L2SC")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Mine", "mine"), ("CarryKMeans", "carry-k-means"), ("SCWithPrior", "sc-with-prior"), ("My_Own2", "my-own2")],
)
def test_kebab_case_parts_words(name, expected):
    assert kebab(name) == expected


def test_imported_abstract_and_private_classes_and_second_names_do_not_count():
    own = method("Own")
    abstract = type("Base", (Clusterer,), {"__module__": "mine"})
    others = method("Imported", module="elsewhere"), method("_Private"), abstract, SingleTaskClusterer
    (spec,) = specs(*others, own, Alias=own, number=3)
    assert spec.factory == "mine:Own"


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        ([], "it has neither a class that is a lcbench.Clusterer nor a hook of lcbench (marked @hookimpl)."),
        ([method(module="elsewhere")], "it has neither a class"),
        ([type("Half", (Clusterer,), {"__module__": "mine"})], "its class Half is no whole method: write partial_fit "
         "and predict."),
        ([type("Half", (MultiTaskClusterer,), {"__module__": "mine"})], "its class Half is no whole method: write "
         "fit_tasks."),
        ([method(base=Clusterer, partial_fit=lambda self, task: self)], "its class Mine has no setting: add `setting = "
         "Setting.LIFELONG`, say."),
        ([method(init=lambda self, k, *, lam=1: None)], "its class Mine cannot be built without 'k': give it a "
         "default."),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(classes, sentence):
    with pytest.raises(PluginError) as refused:
        specs(*classes)
    assert str(refused.value).startswith(sentence)


def test_parameters_come_from_the_defaults_of_the_constructor():
    spec = params(lambda self, whole=3, *, real=0.5, flag=True, word="cosine", random_state=0: None)
    assert spec.params == (
        Param("whole", int, 3), Param("real", float, 0.5), Param("flag", bool, True), Param("word", str, "cosine"),
    )  # fmt: skip
    assert spec.at_default == ()


def test_an_annotation_says_more_than_the_default():
    def init(self, *, a: float = 1, b: int | None = None, c: Optional[str] = "x", d: float | None = 2, e: int = 1.5):  # noqa: UP045
        pass

    assert params(init).params == (
        Param("a", float, 1.0), Param("b", int, None, optional=True), Param("c", str, "x", optional=True),
        Param("d", float, 2.0, optional=True), Param("e", float, 1.5),
    )  # fmt: skip


def test_an_annotation_that_cannot_be_resolved_leaves_the_default():
    def init(self, *, a: NoSuchType = 1):  # noqa: F821
        pass

    assert params(init).params == (Param("a", int, 1),)


def test_what_has_no_plain_type_stays_at_its_default_and_a_sentence_says_so_to_who_sets_it():
    def init(self, *, plain=None, array=ARRAY, endless=float("inf"), none="none", mixed: int | str | None = None, k=2):
        pass

    spec = params(init)
    assert [p.name for p in spec.params] == ["k"]
    assert spec.at_default == ("plain", "array", "endless", "none", "mixed")
    with pytest.raises(ParameterError, match=r"^Method 'mine' has 'array', which stays at its default: nothing says"):
        resolve_params("Method 'mine'", spec.params, {"array": "1"}, spec.at_default)
