from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.errors import OrderError
from lcbench.experiment.orders import parse_order, plan_orders

TASKS = ("cornell", "texas", "washington", "wisconsin")
THREE = TASKS[:3]


def plan(order, names=TASKS, *, repeats=1, seed=0, stream="webkb4"):
    return plan_orders(order, names, repeats=repeats, seed=seed, stream=stream)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("fixed", "fixed"),
        (" random ", "random"),
        ("all", "all"),
        ("leave-one-out", "leave-one-out"),
        ("a", ("a",)),
        ("a, b,c", ("a", "b", "c")),
    ],
)
def test_an_order_is_a_word_or_names_between_commas(text, order):
    assert parse_order(text) == order


def test_the_fixed_order_is_the_streams_own_in_every_repeat():
    assert plan("fixed", repeats=2) == [(0, TASKS), (1, TASKS)]


def test_an_explicit_order_may_name_a_part_of_the_tasks_as_text_or_as_a_list():
    expected = [(0, ("texas", "cornell"))]
    assert plan("texas,cornell") == plan(["texas", "cornell"]) == expected


def test_a_task_named_like_a_word_can_be_listed():
    assert plan(["random"], ("random", "other")) == [(0, ("random",))]


def test_an_order_that_names_a_task_twice_is_refused():
    with pytest.raises(OrderError, match="names task 'texas' of stream 'webkb4' twice"):
        plan("texas,cornell,texas")


@pytest.mark.parametrize("order", ["texas,cornel", "texas,", "", "Fixed"])
def test_an_order_that_names_a_task_the_stream_does_not_have_is_refused(order):
    with pytest.raises(OrderError, match="Stream 'webkb4' has no task"):
        plan(order)


def test_a_misspelt_task_gets_a_suggestion():
    with pytest.raises(OrderError, match="Did you mean 'cornell'"):
        plan("cornel")


def test_all_is_every_permutation_in_every_repeat():
    permutations = list(itertools.permutations(THREE))
    assert plan("all", THREE, repeats=2) == [(0, o) for o in permutations] + [(1, o) for o in permutations]


def test_all_takes_five_tasks_and_refuses_six():
    assert len(plan("all", "abcde")) == 120
    with pytest.raises(OrderError, match="at most 5 tasks, but stream 'webkb4' has 6: use 'random'"):
        plan("all", "abcdef")


def test_leave_one_out_is_each_random_order_whole_and_then_without_each_task_in_turn():
    assert plan("leave-one-out", repeats=2, seed=5) == [
        (repeat, order)
        for repeat, (a, b, c, d) in plan("random", repeats=2, seed=5)
        for order in ((a, b, c, d), (b, c, d), (a, c, d), (a, b, d), (a, b, c))
    ]


def test_leave_one_out_takes_two_tasks_and_refuses_one():
    assert [order for _, order in plan("leave-one-out", ("a", "b"), seed=1)][1:] in ([("a",), ("b",)], [("b",), ("a",)])
    with pytest.raises(OrderError, match="at least 2 tasks, but stream 'webkb4' has 1"):
        plan("leave-one-out", ("only",))


def test_a_misspelt_word_gets_a_suggestion():
    with pytest.raises(OrderError, match="Did you mean 'leave-one-out'"):
        plan("leave-one-ot")


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), repeats=st.integers(1, 9), more=st.integers(0, 9))
def test_more_repeats_leave_the_first_random_orders_as_they_were(seed, repeats, more):
    longer = plan("random", THREE, repeats=repeats + more, seed=seed)
    assert longer[:repeats] == plan("random", THREE, repeats=repeats, seed=seed)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), stream=st.text(max_size=8))
def test_no_random_order_comes_twice_until_all_have_come(seed, stream):
    orders = [order for _, order in plan("random", THREE, repeats=12, seed=seed, stream=stream)]
    assert set(orders[:6]) == set(orders[6:]) == set(itertools.permutations(THREE))


def test_random_orders_do_not_depend_on_the_global_generator():
    random.seed(1)
    before = plan("random", repeats=5)
    random.seed(2)
    assert plan("random", repeats=5) == before


def test_random_orders_differ_between_seeds_and_between_streams():
    by_seed = {plan("random", seed=seed)[0][1] for seed in range(20)}
    by_stream = {plan("random", stream=f"stream-{s}")[0][1] for s in range(20)}
    assert len(by_seed) > 5
    assert len(by_stream) > 5


def test_every_permutation_is_about_equally_likely_to_come_first():
    firsts = [plan("random", THREE, seed=seed)[0][1] for seed in range(600)]
    counts = [firsts.count(order) for order in itertools.permutations(THREE)]
    chi_square = sum((count - 100) ** 2 / 100 for count in counts)
    assert chi_square < 20.5  # the 0.999 quantile for 5 degrees of freedom


def test_a_stream_of_one_task_has_one_random_order_however_often_it_repeats():
    assert plan("random", ("only",), repeats=3) == [(r, ("only",)) for r in range(3)]


def test_an_order_without_tasks_is_refused():
    with pytest.raises(OrderError, match="names no task"):
        plan_orders([], ("a", "b"), repeats=1, seed=0, stream="s")
