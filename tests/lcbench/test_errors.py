from __future__ import annotations

import pytest

from lcbench import errors
from lcbench.errors import LcbenchError, did_you_mean, suggestion

EXIT_CODES = {
    "ContractError": 1, "DiskFullError": 1, "RunFailedError": 1, "StreamError": 1, "UnknownTaskError": 1,
    "UnsuitableTaskError": 1,
    "DataRefusedError": 3, "DataUnavailableError": 3,
}  # fmt: skip
CLASSES = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, LcbenchError)
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_failed_run_ends_with_1_missing_data_with_3_and_wrong_use_with_2(name):
    assert CLASSES[name]("a sentence").exit_code == EXIT_CODES.get(name, 2)


def test_every_error_is_a_base_error_and_those_with_exit_codes_of_their_own_exist():
    defined = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind.__module__ == errors.__name__]
    assert set(defined) == set(CLASSES.values())
    assert set(EXIT_CODES) <= set(CLASSES)


def test_a_task_that_does_not_suit_is_also_a_value_error_as_scikit_learn_raises():
    with pytest.raises(ValueError, match="too few samples"):
        raise errors.UnsuitableTaskError("too few samples")


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("l2cs", ["l2sc", "stsc", "kmeans"], " Did you mean 'l2sc'?"),
        ("KMEANS", ["l2sc", "kmeans"], " Did you mean 'kmeans'?"),
        ("task-", ["task-1", "task-2", "other"], " Did you mean 'task-1' or 'task-2'?"),
        ("task-", ["task-3", "task-1", "task-2"], " Did you mean 'task-1', 'task-2' or 'task-3'?"),
        ("zzz", ["nmi", "ari"], " There is ari, nmi."),
        ("zzz", [], ""),
    ],
)
def test_the_nearest_known_names_are_suggested_or_all_are_listed(name, known, hint):
    assert did_you_mean(name, known) == hint


def test_a_long_list_without_a_similar_name_is_not_shown():
    many = [f"column{i}" for i in range(100)]
    assert suggestion("xyz", many) == ""
    assert suggestion("colum7", many) == " Did you mean 'column7'?"
    assert suggestion("COLUM7", many) == did_you_mean("COLUM7", many) != ""


@pytest.mark.parametrize(("count", "listed"), [(2, True), (12, True), (13, False)])
def test_up_to_twelve_known_names_are_listed(count, listed):
    known = [f"a{i}" for i in range(count)]
    assert suggestion("xyz", known) == (f" There is {', '.join(sorted(known))}." if listed else "")
