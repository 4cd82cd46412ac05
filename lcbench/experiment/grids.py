"""Reads parameter grids such as `l2sc.lam=0.1,1,10` and expands them into points.

A grid lists the values to try (`l2sc.lam=0.1,1,10`) or names a grid that the method comes with (`l2sc.lam=paper`).
Nothing heavy is imported here.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import Param, stays_at_default
from lcbench.errors import ParameterError, did_you_mean
from lcbench.registry.names import is_name

if TYPE_CHECKING:
    from lcbench.registry.catalogue import Registry
    from lcbench.running.planned_run import ConfiguredMethod

MOST_POINTS = 100_000
_GRID = re.compile(r"\s*(?P<method>[^=]+)\.(?P<param>[A-Za-z_]\w*)\s*=(?P<values>.*)", re.DOTALL)
_VALUE = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",]*))\s*(?P<end>,|$)')


@dataclass(frozen=True, slots=True)
class Grid:
    """The values to try for one parameter of one method, as written; a single one may be the name of a grid."""

    method: str
    param: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GridPoint:
    """One point of a grid: the value of every parameter that is varied, and the method configured with them."""

    values: dict[str, Any]
    entry: ConfiguredMethod


@dataclass(frozen=True, slots=True, eq=False)
class GriddedEntry:
    """A configured method with the points of its grid; it has no points if no grid applies to it."""

    entry: ConfiguredMethod
    points: tuple[GridPoint, ...] = ()

    @property
    def methods(self) -> list[ConfiguredMethod]:
        """The methods that are run: the points of the grid, or the entry itself if it has none."""
        return [point.entry for point in self.points] or [self.entry]


def parse_grid(text: str) -> Grid:
    """Reads a grid like `METHOD.param=value,value`; a value that holds a comma stands in double quotes."""
    match = _GRID.fullmatch(text)
    if match is None or not is_name(match["method"]):
        raise ParameterError(f"'{text}' is no grid: write METHOD.param=value,value or METHOD.param=NAME.")
    return Grid(match["method"], match["param"], _parse_values(match["values"], text))


def as_grids(grid: Any) -> list[Grid]:
    """Grids from texts, or from a mapping such as `{"l2sc": {"lam": [0.1, 1], "mu": "paper"}}`."""
    if grid is None:
        return []
    if isinstance(grid, Mapping):
        return [made for method, params in grid.items() for made in _method_grids(method, params)]
    texts = [grid] if isinstance(grid, str) else grid
    return [text if isinstance(text, Grid) else parse_grid(text) for text in texts]


def varied_params(grids: Iterable[Grid]) -> dict[str, list[str]]:
    """Maps each method to the parameters that grids vary; two grids for one parameter are refused."""
    varied: dict[str, list[str]] = {}
    for grid in grids:
        params = varied.setdefault(grid.method, [])
        if grid.param in params:
            raise ParameterError(f"There are two grids for {grid.param} of '{grid.method}': write one.")
        params.append(grid.param)
    return varied


def apply_grids(entries: Sequence[ConfiguredMethod], grids: Sequence[Grid], registry: Registry) -> list[GriddedEntry]:
    """The entries, each with the points of the grids that apply to it.

    A grid applies to every entry of its method that does not set the parameter itself. Lists of values make a Cartesian
    product; named grids vary one parameter at a time, with the others at the entry's own values. No point comes twice.
    """
    resolved = [_resolved(grid, entries, registry) for grid in grids]
    return [_gridded(entry, [r for r in resolved if r.is_for(entry)], registry) for entry in entries]


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A grid with its values parsed; `named` is True if they were given by the name of a grid."""

    method: str
    param: str
    values: tuple[Any, ...]
    named: bool

    def is_for(self, entry: ConfiguredMethod) -> bool:
        return entry.name == self.method and self.param not in entry.written


def _gridded(entry: ConfiguredMethod, grids: Sequence[_Resolved], registry: Registry) -> GriddedEntry:
    """Expands the grids of one entry into points: first the product of the lists, then the named grids in turn."""
    from lcbench.experiment.resolving import at_point
    from lcbench.running.planned_run import frozen

    listed = [grid for grid in grids if not grid.named]
    size = math.prod(len(grid.values) for grid in listed)
    if size > MOST_POINTS:
        raise ParameterError(
            f"The grids of '{entry.label}' make {size:,} points, and {MOST_POINTS:,} is the most: list fewer values."
        )
    shown: list[dict[str, Any]] = []
    if listed:
        names = [grid.param for grid in listed]
        shown += [dict(zip(names, p, strict=True)) for p in itertools.product(*(grid.values for grid in listed))]
    shown += [{grid.param: value} for grid in grids if grid.named for value in grid.values]
    own = {grid.param: entry.params[grid.param] for grid in grids if grid.param in entry.params}
    points: dict[Any, GridPoint] = {}
    for point in shown:
        values = {**own, **point}
        key = frozen(values)
        if key not in points:
            points[key] = GridPoint(values, at_point(entry, point, registry))
    return GriddedEntry(entry, tuple(points.values()))


def _resolved(grid: Grid, entries: Sequence[ConfiguredMethod], registry: Registry) -> _Resolved:
    """Parses the values of a grid, and refuses one whose method or parameter is not there to be varied."""
    spec = registry.methods[grid.method]
    param = next((p for p in spec.params if p.name == grid.param), None)
    if grid.param in spec.at_default:
        raise ParameterError(f"Method '{grid.method}' {stays_at_default(grid.param)}")
    if param is None:
        hint = did_you_mean(grid.param, [p.name for p in spec.params]) if spec.params else " It takes none."
        raise ParameterError(f"Method '{grid.method}' has no parameter '{grid.param}' to make a grid of.{hint}")
    own = [entry for entry in entries if entry.name == grid.method]
    if not own:
        raise ParameterError(f"There is a grid for '{grid.method}', which is not among the methods of the experiment.")
    if all(grid.param in entry.written for entry in own):
        raise ParameterError(
            f"There is a grid for {grid.param} of '{grid.method}', but every entry of that method sets {grid.param} "
            f"itself: leave it out of one."
        )
    if len(grid.values) == 1 and _is_name_of(grid.values[0], param):
        return _Resolved(grid.method, grid.param, param.grids[grid.values[0]], named=True)
    return _Resolved(grid.method, grid.param, _values(grid, param), named=False)


def _values(grid: Grid, param: Param) -> tuple[Any, ...]:
    if not grid.values:
        raise ParameterError(f"The grid for {grid.param} of '{grid.method}' holds no value.")
    values = []
    for value in grid.values:
        try:
            values.append(param.parse(value))
        except ParameterError as error:
            raise ParameterError(f"The grid for '{grid.method}': {error}{_about_names(value, grid, param)}") from None
    return tuple(values)


def _about_names(value: Any, grid: Grid, param: Param) -> str:
    """The end of an error message, for a value that was perhaps meant to be the name of a grid."""
    if _is_name_of(value, param):
        return f"; the grid called '{value}' stands alone."
    if len(grid.values) > 1 or not isinstance(value, str) or not re.match(r"\s*[A-Za-z]", value):
        return "."
    names = ", ".join(param.grids)
    return f", and {f'its only named grids are {names}' if names else 'it has no named grids'}."


def _is_name_of(value: Any, param: Param) -> bool:
    return isinstance(value, str) and value in param.grids


def _method_grids(method: Any, params: Any) -> list[Grid]:
    if not isinstance(params, Mapping):
        raise ParameterError(f'A grid is a mapping such as {{"l2sc": {{"lam": [0.1, 1]}}}}; that of {method} is none.')
    grids = []
    for param, values in params.items():
        single = isinstance(values, (str, bytes)) or not isinstance(values, Iterable)
        grids.append(Grid(str(method), str(param), (values,) if single else tuple(values)))
    return grids


def _parse_values(text: str, whole: str) -> tuple[str, ...]:
    if not text.strip():
        raise ParameterError(f"'{whole}' holds no value: write METHOD.param=value,value.")
    values: list[str] = []
    position = 0
    while True:
        match = _VALUE.match(text, position)
        if match is None:
            raise ParameterError(
                f"'{whole}' cannot be read at '{text[position:]}': write METHOD.param=value,value, and a value that "
                "holds a comma in double quotes."
            )
        if match["quoted"] is None and not match["plain"].strip():
            raise ParameterError(f"'{whole}' has an empty value: write METHOD.param=value,value.")
        values.append(match["plain"].strip() if match["quoted"] is None else match["quoted"])
        position = match.end()
        if match["end"] == "":
            return tuple(values)
