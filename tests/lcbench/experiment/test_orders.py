from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.errors import OrderError
from lcbench.experiment.orders import ORDERS, OrderKind, order_kind, plan_orders, runs_in_a_repeat

TASKS = ("cornell", "texas", "washington", "wisconsin")
THREE = TASKS[:3]


def plan(order, names=TASKS, *, repeats=1, seed=0, stream="webkb4"):
    return plan_orders(order, names, repeats=repeats, seed=seed, stream=stream)


@pytest.mark.parametrize(
    ("order", "names", "expected"),
    [
        ("fixed", TASKS, TASKS),
        (" fixed ", TASKS, TASKS),
        ("texas,cornell", TASKS, ("texas", "cornell")),
        (" texas, cornell", TASKS, ("texas", "cornell")),
        (["texas", "cornell"], TASKS, ("texas", "cornell")),
        ("texas", TASKS, ("texas",)),
        (["random"], ("random", "other"), ("random",)),
        ("random", ("only",), ("only",)),
    ],
)
def test_a_fixed_or_listed_order_is_the_same_in_every_repeat(order, names, expected):
    assert plan(order, names, repeats=3) == [(repeat, expected) for repeat in range(3)]


@pytest.mark.parametrize(
    ("order", "names", "sentence"),
    [
        ("texas,cornell,texas", TASKS, "The order names task 'texas' of stream 'webkb4' twice"),
        ([], TASKS, "The order for stream 'webkb4' names no task"),
        ("texas,", TASKS, "Stream 'webkb4' has no task ''"),
        ("", TASKS, "Stream 'webkb4' has no task ''"),
        ("Fixed", TASKS, "Stream 'webkb4' has no task 'Fixed'"),
        ("texas,cornel", TASKS, "Stream 'webkb4' has no task 'cornel'. Did you mean 'cornell'"),
        (
            "zigzag",
            ("a", "b"),
            "Stream 'webkb4' has no task 'zigzag'. There is a, b. The kinds of orders are fixed, random, all, "
            "leave-one-out; another one is a function in lcbench.experiment.orders.",
        ),
        ("leave-one-ot", TASKS, "Stream 'webkb4' has no task 'leave-one-ot'. Did you mean 'leave-one-out'"),
        ("all", "abcdef", "Order 'all' runs every permutation and takes at most 5 tasks, but stream 'webkb4' has 6"),
        ("leave-one-out", "a", "Order 'leave-one-out' takes at least 2 tasks, but stream 'webkb4' has 1"),
    ],
)
def test_an_order_that_cannot_be_planned_is_refused_with_a_sentence(order, names, sentence):
    with pytest.raises(OrderError) as refused:
        plan(order, names)
    assert str(refused.value).startswith(sentence)


def test_all_is_every_permutation_in_every_repeat():
    assert plan("all", THREE, repeats=2) == [(r, order) for r in (0, 1) for order in itertools.permutations(THREE)]
    assert len(plan("all", "abcde")) == 120


def test_leave_one_out_is_each_random_order_whole_and_then_without_each_task_in_turn():
    assert plan("leave-one-out", repeats=2, seed=5) == [
        (repeat, order)
        for repeat, (a, b, c, d) in plan("random", repeats=2, seed=5)
        for order in ((a, b, c, d), (b, c, d), (a, c, d), (a, b, d), (a, b, c))
    ]
    assert len(plan("leave-one-out", "ab")) == 3


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), repeats=st.integers(1, 9), more=st.integers(0, 9))
def test_more_repeats_leave_the_first_random_orders_as_they_were(seed, repeats, more):
    longer = plan("random", THREE, repeats=repeats + more, seed=seed)
    assert longer[:repeats] == plan("random", THREE, repeats=repeats, seed=seed)


@settings(deadline=None, max_examples=40)
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
    assert len({plan("random", seed=seed)[0][1] for seed in range(20)}) > 5
    assert len({plan("random", stream=f"stream-{s}")[0][1] for s in range(20)}) > 5


def test_every_permutation_is_about_equally_likely_to_come_first():
    firsts = [plan("random", THREE, seed=seed)[0][1] for seed in range(600)]
    counts = [firsts.count(order) for order in itertools.permutations(THREE)]
    chi_square = sum((count - 100) ** 2 / 100 for count in counts)
    assert chi_square < 20.5  # the 0.999 quantile for 5 degrees of freedom


@pytest.mark.parametrize("order", [*ORDERS, "texas", ["texas", "cornell"]], ids=str)
def test_every_repeat_has_as_many_orders_as_are_said_before(order):
    assert len(plan(order, repeats=3)) == 3 * runs_in_a_repeat(order, TASKS, "webkb4", alone=False)


@pytest.mark.parametrize(
    ("order", "runs"), [("fixed", 5), ("all", 28), ("leave-one-out", 9), ("texas", 1), ("texas,cornell", 3)]
)
def test_a_task_alone_is_one_more_run_unless_it_is_an_order_already(order, runs):
    assert runs_in_a_repeat(order, TASKS, "webkb4", alone=True) == runs


@pytest.mark.parametrize(
    "made",
    [[("texas", "texas")], [()], [("texas", "utah")], ["texas"], ("texas", "cornell"), 3, [(0, 1)]],
    ids=["twice", "empty", "unknown", "a text", "no list", "a number", "numbers"],
)
def test_what_a_kind_makes_that_is_no_list_of_orders_is_refused_with_its_name(monkeypatch, made):
    monkeypatch.setitem(ORDERS, "mine", OrderKind("of my own", lambda names, seed, stream: itertools.repeat(made)))
    with pytest.raises(OrderError, match=r"The kind of orders 'mine' made .*: it must yield, for each repeat, a list"):
        plan("mine")


def test_a_kind_of_orders_that_ends_too_early_is_refused(monkeypatch):
    monkeypatch.setitem(ORDERS, "mine", OrderKind("of my own", lambda names, seed, stream: iter([[names], [names]])))
    assert len(plan("mine", repeats=2)) == 2
    with pytest.raises(OrderError, match="'mine' ended after 2 of 3 repeats"):
        plan("mine", repeats=3)


def test_two_kinds_of_orders_cannot_have_one_name():
    before = dict(ORDERS)
    with pytest.raises(ValueError, match="two kinds of orders called 'random'"):
        order_kind("random", "again")(lambda names, seed, stream: itertools.repeat([names]))
    assert before == ORDERS
