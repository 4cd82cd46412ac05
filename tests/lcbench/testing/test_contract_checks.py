"""The spec of a method against its class; the other checks have their broken methods in `test_kit.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lcbench_broken.sound import Sound

from lcbench import MethodSpec, Param, Setting
from lcbench.testing.contract_checks import CONTRACT_CHECKS, check_spec, check_unseen_task
from lcbench.testing.subjects import MethodSubject, subjects_of

SPEC = MethodSpec(
    name="sound",
    factory="lcbench_broken.sound:Sound",
    setting=Setting.LIFELONG,
    params=(Param("share", float, 0.5, "a share"),),
)


def test_a_spec_passes_if_it_says_what_the_class_is_and_else_fails_with_all_that_differs():
    check_spec(MethodSubject("sound", Sound(), Sound, SPEC))
    wrong = replace(SPEC, params=(Param("share", float, 0.6, ""),), setting=Setting.MULTI_TASK)
    with pytest.raises(AssertionError, match=r"(?s)^sound: (?=.*0\.6)(?=.*multi-task).*\.$"):
        check_spec(MethodSubject("sound", Sound(), Sound, wrong))


def test_the_sentence_about_an_unseen_task_names_what_came_and_what_should():
    class Unseen(Sound):
        predicts_unseen = True

    (subject,) = subjects_of(Unseen())
    with pytest.raises(AssertionError, match=r"answers with UnknownTaskError .* predicts_unseen = True that is labels"):
        check_unseen_task(subject)


def test_what_predict_raises_of_an_unseen_task_is_told_without_advice_that_does_not_fit():
    class Broken(Sound):
        predicts_unseen = True

        def predict(self, task):
            if "never learned" in task.name:
                task.X[0, 0] = 1.0
            return super().predict(task)

    (subject,) = subjects_of(Broken())
    check = next(check for check in CONTRACT_CHECKS if check.name == "check_unseen_task")
    result = check.result(subject)
    assert result.reason.startswith("It raised ValueError: assignment destination is read-only")
    assert "UnknownTaskError" not in result.hint
