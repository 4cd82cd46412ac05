from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from lcbench_multitask import transport
from lcbench_multitask.transport import blocks_of, transport_plan, transport_plans


def oracle(supply, demand, cost) -> float:
    """The least cost by a linear programme whose constraints are written out one by one."""
    m, n = cost.shape
    constraints = np.zeros((m + n, m * n))
    for i in range(m):
        for j in range(n):
            constraints[i, i * n + j] = constraints[m + j, i * n + j] = 1.0
    return linprog(cost.ravel(), A_eq=constraints, b_eq=np.concatenate([supply, demand]), method="highs").fun


def check(R, supply, demand) -> None:
    assert (R >= 0).all()
    np.testing.assert_allclose(R.sum(axis=1), supply, atol=1e-12)
    np.testing.assert_allclose(R.sum(axis=0), demand, atol=1e-12)


def partition(generator, k, *, empty=False):
    counts = generator.integers(0 if empty else 1, 6, k).astype(float)
    counts[0] += 1
    return counts / counts.sum()


def test_a_hand_worked_plan():
    cost = np.array([[0.0, 2.0], [1.0, 0.0]])
    np.testing.assert_allclose(
        transport_plan(np.array([0.5, 0.5]), np.array([0.25, 0.75]), cost), [[0.25, 0.25], [0.0, 0.5]]
    )


@pytest.mark.parametrize("seed", range(24))
def test_the_cost_is_that_of_a_linear_programme(seed):
    generator = np.random.default_rng(seed)
    m, n = generator.integers(1, 11, 2)
    supply, demand = partition(generator, m, empty=seed % 3 == 0), partition(generator, n, empty=seed % 3 == 0)
    cost = generator.random((m, n)) if seed % 2 else generator.integers(0, 4, (m, n)).astype(float)
    R = transport_plan(supply, demand, cost)
    check(R, supply, demand)
    assert np.sum(R * cost) == pytest.approx(oracle(supply, demand, cost), abs=1e-9)


@settings(deadline=None)
@given(st.integers(1, 10), st.integers(1, 10), st.integers(0, 2**31), st.integers(1, 3))
def test_marginals_hold_on_degenerate_and_tied_problems(m, n, seed, levels):
    generator = np.random.default_rng(seed)
    supply, demand = partition(generator, m, empty=True), partition(generator, n, empty=True)
    check(transport_plan(supply, demand, generator.integers(0, levels, (m, n)).astype(float)), supply, demand)


def test_equal_masses_give_an_assignment():
    cost = np.random.default_rng(0).random((7, 7))
    R = transport_plan(np.full(7, 1 / 7), np.full(7, 1 / 7), cost)
    rows, columns = linear_sum_assignment(cost)
    expected = np.zeros((7, 7))
    expected[rows, columns] = 1 / 7
    np.testing.assert_allclose(R, expected, atol=1e-15)


@pytest.mark.parametrize("shape", [(11, 11), (3, 14), (12, 2)])
def test_beyond_ten_clusters_highs_takes_over(shape, monkeypatch):
    monkeypatch.setattr(transport, "_transportation_simplex", None)
    generator = np.random.default_rng(1)
    supply, demand, cost = partition(generator, shape[0]), partition(generator, shape[1]), generator.random(shape)
    R = transport_plan(supply, demand, cost)
    check(R, supply, demand)
    assert np.sum(R * cost) == pytest.approx(oracle(supply, demand, cost), abs=1e-9)


@pytest.mark.parametrize("pivots", [0, 2])
def test_blands_rule_reaches_the_same_cost_from_any_pivot_on(pivots, monkeypatch):
    monkeypatch.setattr(transport, "GREEDY_PIVOTS", pivots)
    generator = np.random.default_rng(3)
    for _ in range(20):
        supply, demand = partition(generator, 6, empty=True), partition(generator, 5, empty=True)
        cost = generator.integers(0, 5, (6, 5)).astype(float)
        R = transport_plan(supply, demand, cost)
        assert np.sum(R * cost) == pytest.approx(oracle(supply, demand, cost), abs=1e-9)


def test_when_the_simplex_gives_up_highs_answers(monkeypatch):
    monkeypatch.setattr(transport, "MOST_PIVOTS", 0)
    cost = np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(transport_plan(np.full(2, 0.5), np.full(2, 0.5), cost), [[0, 0.5], [0.5, 0]], atol=1e-9)


def test_large_and_small_costs_give_the_same_plan():
    generator = np.random.default_rng(4)
    supply, demand, cost = partition(generator, 5), partition(generator, 5), generator.random((5, 5))
    R = transport_plan(supply, demand, cost)
    np.testing.assert_array_equal(transport_plan(supply, demand, 1e9 * cost), R)
    np.testing.assert_array_equal(transport_plan(supply, demand, 1e-9 * cost), R)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_plans_of_all_pairs_stand_in_blocks(symmetric):
    generator = np.random.default_rng(5)
    sizes = [3, 1, 4]
    masses = [partition(generator, k) for k in sizes]
    cost = generator.random((8, 8))
    cost = cost + cost.T if symmetric else cost
    R = transport_plans(masses, cost, symmetric=symmetric)
    blocks = blocks_of(sizes)
    for t, rows in enumerate(blocks):
        assert not R[rows, rows].any()
        for s, columns in enumerate(blocks):
            if s != t:
                check(R[rows, columns], masses[t], masses[s])
                least = oracle(masses[t], masses[s], cost[rows, columns])
                assert np.sum(R[rows, columns] * cost[rows, columns]) == pytest.approx(least, abs=1e-9)
    if symmetric:
        np.testing.assert_array_equal(R, R.T)


def test_blocks_follow_each_other():
    assert blocks_of([3, 1, 4]) == (slice(0, 3), slice(3, 4), slice(4, 8))
