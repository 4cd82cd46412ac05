from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from lcbench.running.randomness import (
    GlobalGenerators,
    generator_states,
    preserved_generators,
    seed_generators,
    set_generator_states,
)


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


def normal():
    return np.random.standard_normal()  # noqa: NPY002


def numbers(generator):
    """The state of a generator of numpy, in a form that compares."""
    name, key, *rest = generator.get_state()
    return name, key.tolist(), *rest


@pytest.mark.parametrize("before", [0, 1, 2, 700], ids=["untouched", "half a pair of normals", "a pair", "a new round"])
@pytest.mark.parametrize("inside", [0, 1, 2, 1300])
def test_the_state_of_numpy_is_restored_whatever_was_drawn_before_and_inside(before, inside):
    alone = np.random.RandomState(6)
    alone.standard_normal(before)
    with GlobalGenerators(6):
        for _ in range(before):
            normal()  # they come in pairs, of which the second one is kept and draws nothing
        with preserved_generators():
            for _ in range(inside):
                normal()
        assert numbers(np.random) == numbers(alone)
        assert normal() == alone.standard_normal()


@pytest.mark.parametrize("before", [0, 1, 2, 700], ids=["untouched", "half a pair of normals", "a pair", "a new round"])
@pytest.mark.parametrize("inside", [0, 1, 2, 1300])
def test_the_state_of_python_is_restored_whatever_was_drawn_before_and_inside(before, inside):
    alone = random.Random(6)
    with GlobalGenerators(6):
        assert [random.gauss() for _ in range(before)] == [alone.gauss() for _ in range(before)]
        with preserved_generators():
            for _ in range(inside):
                random.gauss()
        assert random.getstate() == alone.getstate()
        assert random.gauss() == alone.gauss()


def test_a_state_that_was_read_before_is_read_again_once_it_has_changed():
    with GlobalGenerators(9):
        alone = np.random.RandomState(9)
        for count in (1, 1, 2, 3, 0, 5):  # after an odd number of normals in all one is in store
            normals = [normal() for _ in range(count)]
            assert normals == alone.standard_normal(count).tolist()
            set_generator_states(generator_states())
            assert numbers(np.random) == numbers(alone)


def test_a_state_holds_in_another_process_and_after_other_seeds():
    with GlobalGenerators(7):
        states = pickle.loads(pickle.dumps(generator_states()))
        seed_generators(8)
        draw()
        set_generator_states(states)
        assert [draw(), draw()] == expected(7, 2)


def test_another_kind_of_generator_is_left_as_it_is():
    ours = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(1))
    try:
        alone = np.random.RandomState(np.random.PCG64(1))
        for _ in range(2):
            with preserved_generators():
                draw()
            assert draw()[1] == alone.random_sample()
    finally:
        np.random.set_bit_generator(ours)
