"""The orders of stored runs as `--order` and `--repeats` say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lcbench.errors import OrderError
from lcbench.orders import ALL, FIXED, RANDOM, Order, plan_orders
from lcbench.record import RunRecord


class OrderWords(NamedTuple):
    """What to say for a set of orders: `random` with ten repeats, or the names of tasks."""

    order: str
    repeats: int


def order_words(runs: Sequence[RunRecord]) -> list[tuple[OrderWords, set[str]]]:
    """What to say for the orders of these runs, of one seed on one stream, each with the ids of its runs.

    A kind of orders is said where the runs have all that it makes, the kind with most of them first; what is left is
    listed order by order.
    """
    there: dict[tuple[int, Order], set[str]] = {}
    for run in runs:
        there.setdefault((run.repeat, run.order), set()).add(run.run_id)
    kinds = [_most_of(kind, runs[0], set(there)) for kind in (FIXED, RANDOM, ALL)]
    left = dict(there)
    found: list[tuple[OrderWords, set[str]]] = []
    for words, pairs in sorted(kinds, key=lambda kind: -len(kind[1])):
        ids = set().union(*(left.pop(pair) for pair in pairs if pair in left))
        if ids:
            found.append((words, ids))
    by_order: dict[Order, dict[int, set[str]]] = {}
    for (repeat, order), ids in left.items():
        by_order.setdefault(order, {})[repeat] = ids
    listed = [
        (OrderWords(",".join(order), max(repeats) + 1), set().union(*repeats.values()))
        for order, repeats in by_order.items()
    ]
    return [*found, *listed]


def _most_of(kind: str, run: RunRecord, there: set[tuple[int, Order]]) -> tuple[OrderWords, list[tuple[int, Order]]]:
    """A kind with as many repeats as have all their orders among `there`, and these orders."""
    most = max(repeat for repeat, _ in there) + 1
    try:
        pairs = plan_orders(kind, run.stream_tasks or run.order, repeats=most, seed=run.seed, stream=run.stream)
    except OrderError:  # too many tasks for all permutations
        return OrderWords(kind, 0), []
    repeats = min((repeat for repeat, order in pairs if (repeat, order) not in there), default=most)
    return OrderWords(kind, repeats), [pair for pair in pairs if pair[0] < repeats]
