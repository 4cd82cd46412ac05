"""Plans the runs that reproduce a published table, all of it or some methods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lcbench.analysis.published.table import Published, PublishedMethod
from lcbench.contract.hashing import canonical_json
from lcbench.errors import UnknownNameError, did_you_mean
from lcbench.experiment.options import Experiment
from lcbench.experiment.resolving import configured_methods
from lcbench.experiment.tuning import NONE, ORACLE
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry, parse_entry
from lcbench.running.planned_run import ConfiguredMethod, PlannedRun

GRID = "paper"
"""The named grid of a parameter that holds the values a paper tried."""


@dataclass(frozen=True)
class Reproduction:
    """A table to reproduce, or some of its methods; with `full`, parameters are tuned with the labels (oracle)."""

    published: Published
    repeats: int
    seed: int = 0
    full: bool = False

    @cached_property
    def entries(self) -> dict[str, ConfiguredMethod]:
        """The configured method that each method of the paper is run as."""
        texts = [self._text(method) for method in self.published.methods.values()]
        found = configured_methods(texts, plugin_host().registry)
        return dict(zip(self.published.methods, found, strict=True))

    def experiment(self, **how: Any) -> Experiment:
        """The experiment that makes the figures of the table; `how` are options that do not change its runs."""
        grids = self._grids()
        return Experiment(
            methods=[self._text(method) for method in self.published.methods.values()],
            streams=[self.published.protocol.stream],
            order=self.published.protocol.order,
            repeats=self.repeats,
            seed=self.seed,
            grid=grids or None,
            tune=ORACLE if grids else NONE,
            tune_metric=next(iter(self.published.figures)) if grids else None,
            metrics=list(self.published.figures),
            solo=False,
            **how,
        )

    def tuned(self, method: str) -> bool:
        """True if the parameters of a method are tuned."""
        return self.full and bool(self.published.methods[method].grid)

    def runs_of(self, method: str, runs: Iterable[RunRecord]) -> list[RunRecord]:
        """Those of `runs` that belong to the method, failed ones included."""
        entry = self.entries[method]
        wanted = (entry.name, canonical_json(entry.params), ORACLE if self.tuned(method) else NONE)
        return [run for run in runs if (run.method, canonical_json(run.params), run.tune["protocol"]) == wanted]

    def seconds(self, left: Sequence[PlannedRun]) -> float:
        """About how many seconds some runs take one after the other; baselines count as nothing."""
        costs: dict[str, float] = {}
        for name, method in self.published.methods.items():
            costs[self.entries[name].name] = method.seconds
        return sum(costs.get(planned.record.method, 0.0) for planned in left)

    def _text(self, method: PublishedMethod) -> str:
        """The entry of a method, without the parameters that are tuned."""
        if not (self.full and method.grid):
            return method.entry
        entry = parse_entry(method.entry)
        return format_entry(entry.name, {k: v for k, v in entry.params.items() if k not in method.grid})

    def _grids(self) -> dict[str, Any]:
        methods = self.published.methods.values() if self.full else ()
        return {parse_entry(m.entry).name: dict.fromkeys(m.grid, GRID) for m in methods if m.grid}


def choose_methods(published: Published, names: Sequence[str]) -> Published:
    """The table with some methods only, each named as in the paper or as the method it is run as."""
    known = {name.lower(): name for name in published.methods}
    known |= {parse_entry(method.entry).name: name for name, method in published.methods.items()}
    for name in names:
        if name.lower() not in known:
            raise UnknownNameError(f"{published.table} has no method '{name}'.{did_you_mean(name, published.methods)}")
    wanted = {known[name.lower()] for name in names}
    return published.chosen({name: method for name, method in published.methods.items() if name in wanted})
