"""Plans the order of tasks: fixed, random, every permutation, leave-one-out, listed.

This needs the names of the tasks, not their data.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from lcbench.contract.hashing import derive_seed
from lcbench.errors import OrderError, did_you_mean

Order: TypeAlias = tuple[str, ...]
FIXED, RANDOM, ALL, LEAVE_ONE_OUT = "fixed", "random", "all", "leave-one-out"
WORDS = (FIXED, RANDOM, ALL, LEAVE_ONE_OUT)
MOST_TASKS_FOR_ALL = 5


def parse_order(text: str) -> str | Order:
    """Reads an order from text: one of `WORDS`, or else task names separated by commas."""
    text = text.strip()
    if text in WORDS:
        return text
    return tuple(name.strip() for name in text.split(","))


def plan_orders(
    order: str | Sequence[str], names: Sequence[str], *, repeats: int, seed: int, stream: str
) -> list[tuple[int, Order]]:
    """The (repeat, order) pairs of a stream, one per run of a method; each repeat has its own seed."""
    if isinstance(order, str):
        order = parse_order(order)
    names = tuple(names)
    if order == RANDOM:
        return list(enumerate(itertools.islice(random_orders(names, seed, stream), repeats)))
    if order == LEAVE_ONE_OUT:
        whole = itertools.islice(random_orders(names, seed, stream), repeats)
        return [(repeat, o) for repeat, drawn in enumerate(whole) for o in _with_each_left_out(drawn, stream)]
    if order == ALL:
        if len(names) > MOST_TASKS_FOR_ALL:
            raise OrderError(
                f"Order 'all' runs every permutation and takes at most {MOST_TASKS_FOR_ALL} tasks, but stream "
                f"'{stream}' has {len(names)}: use 'random' with repeats."
            )
        return [(repeat, o) for repeat in range(repeats) for o in itertools.permutations(names)]
    chosen = names if order == FIXED else _check_listed(tuple(order), names, stream)
    return [(repeat, chosen) for repeat in range(repeats)]


def random_orders(names: Order, seed: int, stream: str) -> Iterator[Order]:
    """Draws random permutations for ever: none is drawn twice until all were drawn.

    The r-th depends on the names, the seed, the stream and r alone, not on how many are drawn after it.
    """
    used: set[Order] = set()
    for repeat in itertools.count():
        if len(used) == math.factorial(len(names)):
            used.clear()
        for attempt in itertools.count():
            generator = random.Random(derive_seed("order", seed, stream, repeat, attempt))
            order = tuple(generator.sample(names, len(names)))
            if order not in used:
                break
        used.add(order)
        yield order


def _with_each_left_out(order: Order, stream: str) -> list[Order]:
    """An order, then the same order without its first task, without its second, and so on."""
    if len(order) < 2:
        raise OrderError(f"Order '{LEAVE_ONE_OUT}' takes at least 2 tasks, but stream '{stream}' has {len(order)}.")
    return [order, *(order[:i] + order[i + 1 :] for i in range(len(order)))]


def _check_listed(order: Order, names: Order, stream: str) -> Order:
    """Refuses a listed order that is empty, names an unknown task, or names a task twice."""
    if not order:
        raise OrderError(f"The order for stream '{stream}' names no task.")
    for name in order:
        if name not in names:
            words = WORDS if len(order) == 1 else ()
            raise OrderError(f"Stream '{stream}' has no task '{name}'.{did_you_mean(name, (*words, *names))}")
        if order.count(name) > 1:
            raise OrderError(f"The order names task '{name}' of stream '{stream}' twice: a task arrives once.")
    return order
