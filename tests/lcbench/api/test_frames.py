from __future__ import annotations

import sys

import pandas as pd
import pytest
from making import make_record

from lcbench.api.results import Results
from lcbench.errors import MissingExtraError, ParameterError

NAN = float("nan")


def test_the_matrix_of_one_run_has_rows_by_the_task_learned_and_columns_in_the_order_of_the_stream():
    run = make_record("m", [[0.5, None], [0.6, 0.8]], order=("b", "a"), metric="nmi")
    found = Results([run], ["nmi"]).matrix("nmi")
    expected = pd.DataFrame({"a": [NAN, 0.8], "b": [0.5, 0.6]}, index=pd.Index(["b", "a"], name="learned"))
    pd.testing.assert_frame_equal(found, expected.rename_axis(columns="task"))


def test_runs_that_differ_are_told_apart_by_what_they_differ_in():
    runs = [make_record(label, repeat=repeat) for label in ("x", "y") for repeat in (0, 1)]
    found = Results(runs, ["purity"]).matrix("purity")
    assert list(found.index.names) == ["method", "repeat", "learned"]
    assert found.loc[("y", 1, "b"), "a"] == 0.6
    assert list(Results(runs, ["purity"]).matrix("purity", method="x").index.names) == ["repeat", "learned"]


def test_tasks_of_other_streams_are_columns_too():
    runs = [make_record(), make_record(stream="t", order="cd")]
    found = Results(runs, ["purity"]).matrix("purity")
    assert list(found.columns) == ["a", "b", "c", "d"]
    assert found.loc["s", ["c", "d"]].isna().all(axis=None)
    assert list(Results(runs, ["purity"]).matrix("purity", stream="t").columns) == ["c", "d"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"metric": "nmi"}, "None of the runs has nmi"),
        ({"metric": "purity", "method": "mm"}, "There are no runs of method 'mm'. Did you mean 'm'?"),
        ({"metric": "purity", "stream": "z"}, "There are no runs of stream 'z'"),
    ],
)
def test_what_no_run_has_is_refused(arguments, sentence):
    with pytest.raises(ParameterError) as refused:
        Results([make_record()], ["purity"]).matrix(**arguments)
    assert sentence in str(refused.value)


def test_without_pandas_the_matrix_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"matrix needs pandas: pip install 'lcbench\[frames\]'"):
        Results([make_record()], ["purity"]).matrix("purity")
