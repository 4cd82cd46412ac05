"""The spec of a method against its class; the other checks have their broken methods in `test_kit.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lcbench_broken.sound import Sound

from lcbench import MethodSpec, Param, Setting
from lcbench.testing.contract_checks import check_spec, check_unseen_task
from lcbench.testing.subjects import MethodSubject, subjects_of

SPEC = MethodSpec(
    name="sound",
    factory="lcbench_broken.sound:Sound",
    setting=Setting.LIFELONG,
    params=(Param("share", float, 0.5, "a share"),),
)


def check(spec: MethodSpec) -> None:
    check_spec(MethodSubject("sound", Sound(), Sound, spec))


def test_a_spec_that_says_what_the_class_is_passes():
    check(SPEC)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"params": ()}, "share"),
        ({"params": (Param("share", float, 0.6, ""),)}, "0.6"),
        ({"params": (*SPEC.params, Param("more", int, 1, ""))}, "more"),
        ({"setting": Setting.MULTI_TASK}, "multi-task"),
    ],
)
def test_a_spec_that_differs_from_the_class_fails_with_what_differs(changed, words):
    with pytest.raises(AssertionError, match=words):
        check(replace(SPEC, **changed))


def test_the_sentence_about_an_unseen_task_names_what_came_and_what_should():
    class Unseen(Sound):
        predicts_unseen = True

    (subject,) = subjects_of(Unseen())
    with pytest.raises(AssertionError, match=r"answers with UnknownTaskError .* predicts_unseen = True that is labels"):
        check_unseen_task(subject)
