from __future__ import annotations

import random

import numpy as np
import pytest

from lcbench.running.randomness import GlobalGenerators, preserved_generators


def draw():
    return random.random(), np.random.random()  # noqa: NPY002


def expected(seed, count):
    own, numpys = random.Random(seed), np.random.RandomState(seed)
    return [(own.random(), numpys.random_sample()) for _ in range(count)]


def test_a_run_draws_what_fresh_generators_of_its_seed_draw():
    with GlobalGenerators(5):
        assert [draw(), draw()] == expected(5, 2)


def test_a_run_that_is_entered_again_goes_on_where_it_was():
    generators = GlobalGenerators(5)
    with generators:
        first = draw()
    draw()
    with generators:
        assert [first, draw()] == expected(5, 2)


def test_outside_a_run_the_generators_are_as_they_were():
    with GlobalGenerators(1):
        with GlobalGenerators(2):
            draw()
        assert draw() == expected(1, 1)[0]


def test_within_a_run_the_generators_can_be_as_outside_for_a_while():
    with GlobalGenerators(1):
        with GlobalGenerators(2) as run:
            first = draw()
            with run.outside():
                assert draw() == expected(1, 1)[0]
            assert [first, draw()] == expected(2, 2)
        assert draw() == expected(1, 2)[1]


def test_two_runs_that_take_turns_do_not_disturb_each_other():
    a, b = GlobalGenerators(1), GlobalGenerators(2)
    drawn = {a: [], b: []}
    for run in (a, b, b, a):
        with run:
            drawn[run].append(draw())
    assert drawn == {a: expected(1, 2), b: expected(2, 2)}


def test_generators_are_restored_after_an_error():
    with GlobalGenerators(3):
        for guard in (preserved_generators(), GlobalGenerators(4)):
            with pytest.raises(ZeroDivisionError), guard:
                assert draw()[0] / 0
        assert draw() == expected(3, 1)[0]
