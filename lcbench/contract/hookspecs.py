"""The hooks a plugin may implement: register things, add commands, hear of events.

`docs/plugins.md` shows each of them at work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pluggy import HookimplMarker, HookspecMarker

if TYPE_CHECKING:
    from collections.abc import Callable

    from lcbench.contract.specs import MethodSpec, MetricSpec, StreamSpec, SuiteSpec
    from lcbench.records.record import RunRecord, Step

hookspec = HookspecMarker("lcbench")
hookimpl = HookimplMarker("lcbench")


@hookspec
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """Call `register` with a MethodSpec for each clustering method."""


@hookspec
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """Call `register` with a StreamSpec for each task stream."""


@hookspec
def lcbench_register_metrics(register: Callable[[MetricSpec], None]) -> None:
    """Call `register` with a MetricSpec for each metric."""


@hookspec
def lcbench_register_suites(register: Callable[[SuiteSpec], None]) -> None:
    """Call `register` with a SuiteSpec for each suite."""


@hookspec
def lcbench_register_commands(app: Any) -> None:
    """Add commands of your own to the typer application `app`."""


@hookspec
def lcbench_run_started(run: RunRecord) -> None:
    """A run is about to begin."""


@hookspec
def lcbench_task_learned(run: RunRecord, step: Step) -> None:
    """A task was learned and the tasks seen so far were scored."""


@hookspec
def lcbench_run_finished(run: RunRecord) -> None:
    """A run ended; `run.status` says how."""
