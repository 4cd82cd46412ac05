"""Explains why there is nothing to draw, and names a command that makes the runs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lcbench.analysis.selection import Selection
from lcbench.contract.specs import MethodSpec, Param, Setting
from lcbench.errors import ParameterError
from lcbench.records.record import RunRecord
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry, format_value
from lcbench.report.figures.kind import Kind
from lcbench.report.figures.series import own_methods

_PREFERRED = (Setting.LIFELONG, Setting.MULTI_TASK, Setting.SINGLE_TASK)
_DECADES = (0.001, 0.01, 0.1, 1, 10, 100)
_FACTORS = (0.5, 1, 2)


class _Example(NamedTuple):
    """A method to run on the stream of a stored run; `params` are its parameters that differ from the defaults."""

    spec: MethodSpec
    params: Mapping[str, Any]
    run: RunRecord


def nothing_to_draw(kind: Kind, selection: Selection, options: str = "", named: Sequence[str] = ()) -> str:
    """The reason, and a command if one helps; `options` are added to it, such as those that name the results folder."""
    if not any(run.status == "ok" for run in selection.runs):
        return "There is nothing to draw: no run that fits came to its end ('lcbench results list' shows how they did)."
    said = f"There is nothing to draw: {kind.lacking}."
    varies = "{grid}" in kind.options
    for example in _examples(selection, named, single_task=varies) if kind.options else ():
        grid = _grid(example.spec) if varies else ("", "")
        if grid is not None:
            return f"{said} {_advice(kind, example, *grid)}{options if _is_known(example.run) else ''}"
    return said


def _advice(kind: Kind, example: _Example, param: str, values: str) -> str:
    wanted = kind.options.format(grid=f"{example.spec.name}.{param}={values}")
    if not _is_known(example.run):  # a record does not say in which folder its stream lies
        return f"The same 'lcbench run' with {wanted} makes such runs."
    own = {name: value for name, value in example.params.items() if name != param}
    entry, stream = format_entry(example.spec.name, own), example.run.stream_label
    return "This makes such runs: " + shlex.join(
        ["lcbench", "run", "--method", entry, "--stream", stream, *wanted.split()]
    )


def _examples(selection: Selection, named: Sequence[str], *, single_task: bool) -> Iterator[_Example]:
    """Methods with stored runs, lifelong ones first, then all registered ones; single-task ones if wanted or named."""
    registry = plugin_host().registry
    runs = [method.done[0] for stream in selection.streams for method in own_methods(stream, named)]
    runs.sort(key=lambda run: not _is_known(run))
    for setting in _PREFERRED if single_task or named else _PREFERRED[:-1]:
        for run in runs:
            spec = registry.methods.get(run.method)
            if spec is not None and spec.setting == setting:
                defaults = {param.name: param.default for param in spec.params}
                yield _Example(spec, {n: v for n, v in run.params.items() if v != defaults.get(n)}, run)
    for setting in _PREFERRED[:-1]:
        yield from (_Example(spec, {}, runs[0]) for spec in registry.methods if spec.setting == setting and runs)


def _is_known(run: RunRecord) -> bool:
    """True if the stream of a run is registered, so that a command can name it."""
    return plugin_host().registry.streams.get(run.stream) is not None


def _grid(spec: MethodSpec) -> tuple[str, str] | None:
    """A parameter that is a number, and two or more values it accepts; a float rather than an int."""
    for type in (float, int):
        for param in spec.params:
            values = _values(param) if param.type is type else []
            if len(values) > 1:
                return param.name, ",".join(map(format_value, values))
    return None


def _values(param: Param) -> list[Any]:
    """Values to try for a parameter, without those that it refuses."""
    if not isinstance(param.default, int | float):
        return []
    tried = _DECADES if param.type is float else [param.default * factor for factor in _FACTORS]
    taken = []
    for value in tried:
        try:
            taken.append(param.parse(value))
        except ParameterError:
            continue
    return taken
