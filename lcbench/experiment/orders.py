"""Plans the order of tasks: fixed, random, every permutation, leave-one-out, listed.

A kind of orders is a generator marked with `order_kind`: it gets the names of the tasks, the seed and the name of the
stream, and yields, without end, for each repeat a list of its orders, each a tuple of names. No other code knows it:
the command line, experiment files and Python take the kinds from `ORDERS`; docs/command-line.md has a table of them.
"""

from __future__ import annotations

import csv
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from lcbench.contract.hashing import derive_seed
from lcbench.errors import OrderError, did_you_mean

Order: TypeAlias = tuple[str, ...]
Orders: TypeAlias = Callable[[Order, int, str], Iterator[Sequence[Order]]]
FIXED, LISTED = "fixed", "listed"  # the second is the kind of an order that the user spelled out
MOST_TASKS_FOR_ALL = 5


class OrderKind(NamedTuple):
    """A kind of orders: a few words about it, and the generator of the orders of each repeat."""

    help: str
    orders: Orders


ORDERS: dict[str, OrderKind] = {}


def order_kind(name: str, help: str) -> Callable[[Orders], Orders]:
    """Registers a generator as the kind of orders called `name`."""

    def register(orders: Orders) -> Orders:
        if name in ORDERS:
            raise ValueError(f"there are two kinds of orders called '{name}': give one another name")
        ORDERS[name] = OrderKind(help, orders)
        return orders

    return register


def plan_orders(
    order: str | Sequence[str], names: Sequence[str], *, repeats: int, seed: int, stream: str
) -> list[tuple[int, Order]]:
    """The (repeat, order) pairs of a stream, one per run of a method; each repeat has its own seed.

    `order` is the name of a kind, or the names of tasks: a sequence, or a text with commas between them, in which names
    that hold a comma stand in double quotes.
    """
    names = tuple(names)
    kind = ORDERS.get(order.strip()) if isinstance(order, str) else None
    if kind is None:
        listed = _listed(order) if isinstance(order, str) else order
        chosen = _check_listed(tuple(listed), names, stream)
        return [(repeat, chosen) for repeat in range(repeats)]
    made = [
        _checked(orders, str(order), names) for orders in itertools.islice(kind.orders(names, seed, stream), repeats)
    ]
    if len(made) < repeats:
        raise OrderError(f"The kind of orders '{order}' ended after {len(made)} of {repeats} repeats: it must not end.")
    return [(repeat, tasks) for repeat, orders in enumerate(made) for tasks in orders]


def _listed(text: str) -> list[str]:
    """The names of tasks in a text."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True)) or [text]]


def runs_in_a_repeat(order: str | Sequence[str], names: Sequence[str], stream: str, *, alone: bool) -> int:
    """The number of orders that `plan_orders` makes of each repeat; with `alone` every task by itself counts as one."""
    orders = {tasks for _, tasks in plan_orders(order, names, repeats=1, seed=0, stream=stream)}
    return len(orders | ({(task,) for tasks in orders for task in tasks} if alone else set()))


@order_kind(FIXED, "as the stream has them")
def fixed_order(names: Order, seed: int, stream: str) -> Iterator[Sequence[Order]]:
    """The order of the stream, again and again."""
    return itertools.repeat([names])


@order_kind("random", "seeded")
def random_order(names: Order, seed: int, stream: str) -> Iterator[Sequence[Order]]:
    """One random permutation per repeat: none is drawn twice until all were drawn.

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
        yield [order]


@order_kind("all", f"every permutation, up to {MOST_TASKS_FOR_ALL} tasks")
def every_order(names: Order, seed: int, stream: str) -> Iterator[Sequence[Order]]:
    """Every permutation in every repeat."""
    if len(names) > MOST_TASKS_FOR_ALL:
        raise OrderError(
            f"Order 'all' runs every permutation and takes at most {MOST_TASKS_FOR_ALL} tasks, but stream "
            f"'{stream}' has {len(names)}: use 'random' with repeats."
        )
    return itertools.repeat(list(itertools.permutations(names)))


@order_kind("leave-one-out", "random orders, whole and without each task in turn")
def leave_one_out(names: Order, seed: int, stream: str) -> Iterator[Sequence[Order]]:
    """Each random order, then the same order without its first task, without its second, and so on."""
    if len(names) < 2:
        raise OrderError(f"Order 'leave-one-out' takes at least 2 tasks, but stream '{stream}' has {len(names)}.")
    for (order,) in random_order(names, seed, stream):
        yield [order, *(order[:i] + order[i + 1 :] for i in range(len(order)))]


def _checked(orders: object, kind: str, names: Order) -> list[Order]:
    """The orders of one repeat; refuses what is no list of orders, each of one or more of the tasks, each once."""
    known = set(names)
    for tasks in orders if isinstance(orders, (list, tuple)) else [orders]:
        if (
            not isinstance(tasks, (list, tuple))
            or not tasks
            or len(set(tasks)) < len(tasks)
            or not known.issuperset(tasks)
        ):
            raise OrderError(
                f"The kind of orders '{kind}' made {tasks!r}: it must yield, for each repeat, a list of orders; "
                f"each is a tuple of one or more of the tasks {', '.join(names)}, each once."
            )
    return [tuple(tasks) for tasks in orders]  # type: ignore[attr-defined]


def _check_listed(order: Order, names: Order, stream: str) -> Order:
    """Refuses a listed order that is empty, names an unknown task, or names a task twice."""
    if not order:
        raise OrderError(f"The order for stream '{stream}' names no task.")
    for name in order:
        if name not in names:
            words = ORDERS if len(order) == 1 else ()
            hint = did_you_mean(name, (*words, *names))
            if words and not hint.startswith(" Did you mean"):
                kinds = f"The kinds of orders are {', '.join(words)}; another one is a function in {__name__}"
                hint = f"{did_you_mean(name, names)} {kinds}."
            raise OrderError(f"Stream '{stream}' has no task '{name}'.{hint}")
        if order.count(name) > 1:
            raise OrderError(f"The order names task '{name}' of stream '{stream}' twice: a task arrives once.")
    return order
