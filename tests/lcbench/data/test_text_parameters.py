from __future__ import annotations

import pytest

from lcbench.contract.specs import resolve_params
from lcbench.data.text_parameters import WEIGHTINGS, check_idf, text_params
from lcbench.errors import ParameterError

PARAMS = text_params(weighting="tfidf", max_features=2500, idf="pool")


def test_defaults_are_those_given_and_all_three_can_be_set():
    assert set(WEIGHTINGS) == {"tfidf", "counts", "log", "sqrt", "sublinear-tfidf", "binary"}
    assert resolve_params("x", PARAMS, {}) == {"weighting": "tfidf", "max_features": 2500, "idf": "pool"}
    given = {"weighting": "log", "max_features": "none", "idf": "task"}
    assert resolve_params("x", PARAMS, given) == {**given, "max_features": None}


@pytest.mark.parametrize("given", [{"weighting": "TFIDF"}, {"max_features": "0"}, {"idf": "all"}])
def test_other_values_are_refused(given):
    with pytest.raises(ParameterError, match=next(iter(given))):
        resolve_params("x", PARAMS, given)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_an_idf_per_task_is_refused_where_the_weighting_has_none(weighting):
    check_idf("Stream 'x'", weighting, "pool")
    if "idf" in weighting:
        check_idf("Stream 'x'", weighting, "task")
    else:
        with pytest.raises(ParameterError, match=f"Stream 'x': idf=task changes nothing with weighting={weighting}"):
            check_idf("Stream 'x'", weighting, "task")
