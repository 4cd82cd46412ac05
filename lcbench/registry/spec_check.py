"""Compares specs with what their factories name: a sentence for each difference.

A factory that is a function is compared by its signature: what it makes is known only once it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lcbench.contract.specs import MethodSpec, MetricSpec, Param, StreamSpec
from lcbench.errors import ParameterError
from lcbench.registry.names import format_value

SEED = "random_state"  # filled in by the harness, and not part of a spec


def method_differences(spec: MethodSpec, factory: Any) -> list[str]:
    """The differences of a method's spec to its class: base class, setting, and parameters with their defaults."""
    from lcbench.contract.clusterer import Clusterer

    found = [*_kind_differences(factory, Clusterer, "setting", spec.setting), *_not_taken(factory, _names(spec.params))]
    known = {*_names(spec.params), *spec.at_default, SEED}
    taken = _single(_parameters(factory) or {})
    found += [
        f"it takes '{name}', which the spec does not have"
        for name, parameter in taken.items()
        if name not in known and parameter.default is not parameter.empty
    ]
    return [*found, *_other_defaults(factory, spec.params)]


def stream_differences(spec: StreamSpec, factory: Any) -> list[str]:
    """The differences of a stream's spec to its factory: base class, arguments that it takes, and their defaults."""
    from lcbench.contract.stream import TaskStream

    found = [*_kind_differences(factory, TaskStream), *_not_taken(factory, [*spec.fixed, *_names(spec.params)])]
    own = _single(_parameters(factory) or {})
    defaults = [p for p in spec.params if p.name in own and own[p.name].default is not inspect.Parameter.empty]
    return [*found, *_other_defaults(factory, defaults)]


def metric_differences(spec: MetricSpec, factory: Any) -> list[str]:
    """The differences of a metric's spec to its class: base class, kind, and the arguments that it takes."""
    from lcbench.contract.metric import Metric

    return [*_kind_differences(factory, Metric, "kind", spec.kind), *_not_taken(factory, _names(spec.params))]


def _names(params: Sequence[Param]) -> list[str]:
    return [param.name for param in params]


def _kind_differences(factory: Any, base: type, attribute: str = "", said: Any = None) -> Iterator[str]:
    """A factory that cannot be called, a class of another base, or one that says another setting or kind."""
    if not callable(factory):
        yield f"its factory is a {type(factory).__name__}, which cannot be called"
    elif isinstance(factory, type) and not issubclass(factory, base):
        yield f"its class {factory.__name__} is no {base.__name__}"
    elif isinstance(factory, type) and attribute:
        own = getattr(factory, attribute, None)
        if own is not said:
            yield f"its {attribute} is {said.value} in the spec and {getattr(own, 'value', own)} in the class"


def _not_taken(factory: Any, names: Sequence[str]) -> Iterator[str]:
    """Arguments that a factory is handed by name and does not take, and those that it needs and is not handed."""
    parameters = _parameters(factory)
    if parameters is None:
        return
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        by_name = {name for name, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        yield from (f"the spec has '{name}', which it does not take" for name in names if name not in by_name)
    for name, parameter in _single(parameters).items():
        if parameter.default is parameter.empty and name not in names:
            yield f"it cannot be built without '{name}'"


def _other_defaults(factory: Any, params: Sequence[Param]) -> Iterator[str]:
    parameters = _single(_parameters(factory) or {})
    for param in params:
        if param.name in parameters and not _same(param, own := parameters[param.name].default):
            there = "has no default" if own is inspect.Parameter.empty else _shown(own)
            yield f"'{param.name}' is {format_value(param.default)} by default in the spec, and {there} in the code"


def _parameters(factory: Any) -> Mapping[str, inspect.Parameter] | None:
    """The parameters of a callable; None where they cannot be found out."""
    try:
        return inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return None


def _single(parameters: Mapping[str, inspect.Parameter]) -> dict[str, inspect.Parameter]:
    """The parameters without `*args` and `**kwargs`."""
    return {name: p for name, p in parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


def _same(param: Param, own: Any) -> bool:
    """True if the default of a constructor is that of the spec, once it is read as the parameter's type."""
    if own is None or param.default is None:
        return own is param.default
    try:
        return param.parse(own) == param.default
    except ParameterError:
        return False


def _shown(value: Any) -> str:
    return (
        format_value(value) if isinstance(value, bool | int | float | str | tuple | list | None) else repr(value)[:40]
    )
