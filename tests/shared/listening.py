"""Listeners of events, for tests that ask which runs were started."""

from __future__ import annotations

from lcbench import hookimpl


class Started:
    """Notes the labels of the runs that are started."""

    def __init__(self) -> None:
        self.labels: list[str] = []

    @hookimpl
    def lcbench_run_started(self, run):
        self.labels.append(run.label)
