"""The grid of a tuned run as `--grid` says it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from lcbench.names import format_value
from lcbench.record import RunRecord
from lcbench.specs import MethodSpec


def grid_choices(run: RunRecord, method: MethodSpec) -> Iterator[tuple[str, ...]]:
    """What may have been said, the likely first: nothing, the values of each parameter, or the names of grids."""
    points = run.tune["grid"]
    if not points:
        yield ()
        return
    names = list(points[0])
    values = {name: list({format_value(point[name]): point[name] for point in points}) for name in names}
    yield tuple(f"{method.name}.{name}={','.join(values[name])}" for name in names)
    named: dict[str, Any] = {param.name: list(param.grids) for param in method.params}
    for choice in product(*(named.get(name, []) for name in names)):
        yield tuple(f"{method.name}.{name}={grid}" for name, grid in zip(names, choice, strict=True))
