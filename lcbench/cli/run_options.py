"""The options of `lcbench run`: those typed come before those of the experiment file."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer

    from lcbench.experiment.planning import Plan
    from lcbench.running.executor import ExecutionOptions

_NAMES = {"method": "methods", "stream": "streams", "metric": "metrics", "baseline": "baselines"}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of one experiment, under the names that an experiment file has for them."""

    methods: Any
    streams: Any
    order: Any
    repeats: int
    seed: int
    metrics: list[str] | None
    evaluate: str
    future: bool
    baselines: bool
    threads: int
    grid: Any
    tune: str
    tune_metric: str | None
    audit: Any
    jobs: int
    timeout: str | float | None
    memory_limit: str | int | None
    results: Path

    def over_file(self, path: Path, written: set[str]) -> RunOptions:
        """The options of a file, except those that were typed on the command line."""
        from lcbench.experiment.toml_file import read_experiment_file

        said = read_experiment_file(path)
        found = {field.name: getattr(said, field.name) for field in fields(self) if field.name not in written}
        return replace(self, **{name: value for name, value in found.items() if value is not None})

    def on(self, streams: list[str]) -> RunOptions:
        """The same options with other streams."""
        return replace(self, streams=streams)

    def plan(self) -> Plan:
        """Plans the runs."""
        from lcbench.experiment.planning import DEFAULT_METHODS, DEFAULT_STREAMS, plan_runs
        from lcbench.experiment.shown_metrics import first_metric

        return plan_runs(
            self.methods or list(DEFAULT_METHODS), self.streams or list(DEFAULT_STREAMS),
            order=self.order, repeats=self.repeats, seed=self.seed, evaluate=self.evaluate, future=self.future,
            threads=self.threads, baselines=self.baselines, grid=self.grid, tune=self.tune,
            tune_metric=self.tune_metric or first_metric(self.metrics, self.tune),
        )  # fmt: skip

    def execution(self, *, fresh: bool, retry_failed: bool) -> ExecutionOptions:
        """The limits, audits and resume options of the runs."""
        from lcbench.audit.verdict import checked_modes
        from lcbench.experiment.limits import make_limits
        from lcbench.running.executor import ExecutionOptions

        limits = make_limits(self.jobs, self.threads, self.timeout, self.memory_limit)
        return ExecutionOptions(limits, checked_modes(self.audit or ()), fresh, retry_failed)


def written_options(context: typer.Context) -> set[str]:
    """The options that were typed, under the names that an experiment file has for them."""
    return {
        _NAMES.get(name, name)
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    }
