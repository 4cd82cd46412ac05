"""What to say where there is nothing to draw: why, and which command makes the runs."""

from __future__ import annotations

import shlex

from lcbench.names import format_entry
from lcbench.plugins import plugin_host
from lcbench.record import RunRecord
from lcbench.report.figures.kinds import Kind
from lcbench.report.figures.values import own_methods
from lcbench.report.selection import Selection


def nothing_to_draw(kind: Kind, selection: Selection, options: str = "") -> str:
    """A sentence or two; `options` name the results folder, as a command line has them."""
    if not any(run.status == "ok" for run in selection.runs):
        return "There is nothing to draw: no run that fits came to its end ('lcbench results list' shows how they did)."
    said = f"There is nothing to draw: {kind.lacking}."
    run = _example(selection)
    if not kind.options or run is None:
        return said
    registry = plugin_host().registry
    spec = registry.methods.get(run.method)
    numbers = [p.name for p in spec.params if p.type is float] if spec is not None else []
    if "{param}" in kind.options and not numbers:
        return said
    wanted = kind.options.format(method=run.method, param=numbers[0] if numbers else "")
    if spec is None or registry.streams.get(run.stream) is None:  # where a stream's own folder is, no run says
        return f"{said} The same 'lcbench run' with {wanted} makes such runs."
    varied = numbers[:1] if "{param}" in kind.options else []
    defaults = {p.name: p.default for p in spec.params}
    own = {name: v for name, v in run.params.items() if v != defaults.get(name) and name not in varied}
    words = ["lcbench", "run", "--method", format_entry(run.method, own), "--stream", run.stream_label, *wanted.split()]
    return f"{said} This makes such runs: {shlex.join(words)}{options}"


def _example(selection: Selection) -> RunRecord | None:
    """A run of a method that is not only a baseline."""
    for stream in selection.streams:
        for method in own_methods(stream, ()):
            return method.done[0]
    return None
