"""The transport plan between two partitions (earth mover's distance)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import sparse

from lcbench import FloatArray

SIMPLEX_UP_TO = 10
GREEDY_PIVOTS = 50
MOST_PIVOTS = 2000
ROUNDING = 1e-12

Cell = tuple[int, int]


def transport_plan(supply: FloatArray, demand: FloatArray, cost: FloatArray) -> FloatArray:
    """The R >= 0 with R 1 = supply and Rᵀ 1 = demand that minimises sum R_kl cost_kl; both sides have the same sum.

    Up to SIMPLEX_UP_TO clusters a side by the transportation simplex, which for such sizes is some thirty times as fast
    as a general solver; beyond by HiGHS. Rows and columns without mass are allowed. Among several optimal plans always
    the same one is returned.

    References
    ----------
    Dantzig: Application of the Simplex Method to a Transportation Problem. 1951.
    """
    if max(cost.shape) <= SIMPLEX_UP_TO:
        flow = _transportation_simplex(supply.tolist(), demand.tolist(), cost.tolist())
        if flow is not None:
            plan = np.zeros(cost.shape)
            for cell, mass in flow.items():
                plan[cell] = mass
            return plan
    return _by_highs(supply, demand, cost)


def blocks_of(sizes: Sequence[int]) -> tuple[slice, ...]:
    """The places of tasks with so many clusters, or samples, each, when they are put one after the other."""
    ends = np.cumsum(sizes)
    return tuple(slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True))


def transport_plans(masses: Sequence[FloatArray], cost: FloatArray, *, symmetric: bool) -> FloatArray:
    """The plans of all pairs of tasks as one matrix of blocks; the blocks on the diagonal are zero.

    `cost` has the clusters of all tasks, one task after the other, as rows and columns. With `symmetric` costs the plan
    of (s, t) is the transpose of that of (t, s), else it is found by itself.
    """
    plans = np.zeros_like(cost)
    blocks = blocks_of([len(mass) for mass in masses])
    for t, rows in enumerate(blocks):
        for s, columns in enumerate(blocks[:t]):
            plan = transport_plan(masses[t], masses[s], cost[rows, columns])
            plans[rows, columns] = plan
            plans[columns, rows] = plan.T if symmetric else transport_plan(masses[s], masses[t], cost[columns, rows])
    return plans


def _transportation_simplex(
    supply: list[float], demand: list[float], cost: list[list[float]]
) -> dict[Cell, float] | None:
    """The masses of the basic cells of an optimal plan; None in the event that MOST_PIVOTS do not reach one.

    North-west start; the potentials of the basis tree price the other cells (MODI); the cheapest one enters, after
    GREEDY_PIVOTS the first that is worth it, so that no cycle of degenerate pivots can last (Bland).
    """
    flow = _north_west(supply, demand)
    m, n = len(supply), len(demand)
    least = -ROUNDING * max(max(map(abs, row)) for row in cost)
    for pivot in range(MOST_PIVOTS):
        potential, parent = _potentials(flow, cost, m, n)
        entering, best = None, least
        for i in range(m):
            row, u = cost[i], potential[i]
            for j in range(n):
                reduced = row[j] - u - potential[m + j]
                if reduced < best:
                    entering, best = (i, j), reduced
                    if pivot >= GREEDY_PIVOTS:
                        break
            if entering is not None and pivot >= GREEDY_PIVOTS:
                break
        if entering is None:
            return flow
        _pivot(flow, entering, parent, m)
    return None


def _north_west(supply: list[float], demand: list[float]) -> dict[Cell, float]:
    """A staircase of m + n - 1 cells, from the first row and column to the last."""
    flow: dict[Cell, float] = {}
    i = j = 0
    left, wanted = supply[0], demand[0]
    while True:
        mass = min(left, wanted)
        flow[i, j] = mass
        left, wanted = left - mass, wanted - mass
        if j == len(demand) - 1 or (i < len(supply) - 1 and left <= wanted):
            i += 1
            if i == len(supply):
                return flow
            left = supply[i]
        else:
            j += 1
            wanted = demand[j]


def _potentials(flow: dict[Cell, float], cost: list[list[float]], m: int, n: int) -> tuple[list[float], list[int]]:
    """u_i + v_j = cost_ij on the tree of basic cells, with u_0 = 0, and the parent of every node but the root.

    Rows are the nodes 0, ..., m - 1 and columns the nodes m, ..., m + n - 1.
    """
    neighbours: list[list[int]] = [[] for _ in range(m + n)]
    for i, j in flow:
        neighbours[i].append(m + j)
        neighbours[m + j].append(i)
    potential, parent = [0.0] * (m + n), [-1] * (m + n)
    stack = [0]
    while stack:
        node = stack.pop()
        for other in neighbours[node]:
            if other != parent[node]:
                price = cost[node][other - m] if node < m else cost[other][node - m]
                potential[other] = price - potential[node]
                parent[other] = node
                stack.append(other)
    return potential, parent


def _pivot(flow: dict[Cell, float], entering: Cell, parent: list[int], m: int) -> None:
    """Move as much mass as possible round the cycle that the entering cell closes; one of its cells leaves."""
    path = _tree_path(m + entering[1], entering[0], parent)
    cells = [(min(a, b), max(a, b) - m) for a, b in pairwise(path)]
    giving, taking = cells[::2], cells[1::2]
    leaving = min(giving, key=lambda cell: (flow[cell], cell))
    mass = flow.pop(leaving)
    for cell in giving:
        if cell != leaving:
            flow[cell] -= mass
    for cell in taking:
        flow[cell] += mass
    flow[entering] = mass


def _tree_path(start: int, end: int, parent: list[int]) -> list[int]:
    above = [end]
    while parent[above[-1]] >= 0:
        above.append(parent[above[-1]])
    path = [start]
    while path[-1] not in above:
        path.append(parent[path[-1]])
    return path + above[: above.index(path[-1])][::-1]


def _by_highs(supply: FloatArray, demand: FloatArray, cost: FloatArray) -> FloatArray:
    from scipy.optimize import linprog

    m, n = cost.shape
    rows = sparse.kron(sparse.eye_array(m), np.ones((1, n)))
    columns = sparse.kron(np.ones((1, m)), sparse.eye_array(n))
    found = linprog(
        cost.ravel() / max(float(np.abs(cost).max()), 1e-300),
        A_eq=sparse.vstack([rows, columns], format="csr"),
        b_eq=np.concatenate([supply, demand]),
        method="highs",
    )
    if not found.success:
        raise RuntimeError(f"no transport plan between {m} and {n} clusters was found: {found.message}")
    plan: FloatArray = np.maximum(found.x, 0.0).reshape(m, n)
    return plan
