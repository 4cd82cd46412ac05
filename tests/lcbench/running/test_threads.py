from __future__ import annotations

import os

import pytest

from lcbench.running.threads import VARIABLES, ThreadLimit, known_libraries, native_libraries, set_thread_variables


def numbers():
    return {library["num_threads"] for library in native_libraries()}


def test_libraries_use_the_given_number_of_threads_inside_and_their_own_outside():
    before = numbers()
    assert before == {1}, "tests/conftest.py sets the variables before numpy is imported"
    outer, inner = ThreadLimit(2), ThreadLimit(1)
    for _ in range(2):
        with outer:
            with inner:
                assert numbers() == {1}
            assert numbers() == {2}
        assert numbers() == before
    with pytest.raises(ValueError, match="no"), outer:
        raise ValueError("no")
    assert numbers() == before


def test_the_libraries_of_numpy_and_scikit_learn_are_found():
    assert {library["user_api"] for library in native_libraries()} == {"blas", "openmp"}


def test_libraries_that_are_known_are_those_that_are_loaded():
    def names(libraries):
        return [{key: value for key, value in library.items() if key != "num_threads"} for library in libraries]

    assert names(known_libraries()) == names(native_libraries())


def test_every_variable_is_set(monkeypatch):
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "9")
    set_thread_variables(3)
    assert {os.environ[variable] for variable in VARIABLES} == {"3"}
