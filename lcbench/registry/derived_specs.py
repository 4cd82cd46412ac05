"""Derives the spec of a method from its class, where nobody wrote one."""

from __future__ import annotations

import inspect
import re
import types
import typing
from typing import Any

from lcbench.contract.specs import MethodSpec, Param, Setting
from lcbench.errors import ParameterError, PluginError
from lcbench.registry.spec_check import SEED

TYPES = (bool, int, float, str)
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])|_+")


def derived_specs(module: types.ModuleType, provenance: str) -> list[MethodSpec]:
    """A spec for each method that a module defines; a single one is named like the module, several like the classes.

    Classes that are imported, abstract or begin with an underscore do not count. PluginError if there is no other.
    """
    found = _methods(module)
    if not found:
        raise PluginError(_nothing_found(module))
    alone = len(found) == 1
    return [
        _spec(module.__name__ if alone else kebab(name), f"{module.__name__}:{name}", method, provenance)
        for name, method in found.items()
    ]


def kebab(name: str) -> str:
    """The name of a class as a name of a method: `CarryMeans` is `carry-means`, `L2SC` is `l2sc`.

    >>> kebab("CarryMeans"), kebab("L2SC"), kebab("SCWithPrior")
    ('carry-means', 'l2sc', 'sc-with-prior')
    """
    return _NEW_WORD.sub("-", name).strip("-").lower()


def _own_clusterers(module: types.ModuleType) -> dict[str, type]:
    """The methods, by name, that are defined in a module itself; one with two names counts by the first."""
    from lcbench.contract.clusterer import Clusterer

    found: dict[type, str] = {}
    for name, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, Clusterer) and value.__module__ == module.__name__:
            found.setdefault(value, name)
    return {name: value for value, name in found.items() if not name.startswith("_")}


def _methods(module: types.ModuleType) -> dict[str, type]:
    return {name: value for name, value in _own_clusterers(module).items() if not inspect.isabstract(value)}


def _nothing_found(module: types.ModuleType) -> str:
    abstract = {
        name: sorted(getattr(value, "__abstractmethods__", ())) for name, value in _own_clusterers(module).items()
    }
    if abstract:
        name, missing = next(iter(abstract.items()))
        return f"its class {name} is no whole method: write {' and '.join(missing)}."
    return "it has neither a class that is a lcbench.Clusterer nor a hook of lcbench (marked @hookimpl)."


def _spec(name: str, factory: str, method: type, provenance: str) -> MethodSpec:
    setting = getattr(method, "setting", None)
    if not isinstance(setting, Setting):
        raise PluginError(f"its class {method.__name__} has no setting: add `setting = Setting.LIFELONG`, say.")
    params, at_default = _params(method)
    documented = inspect.cleandoc(method.__doc__ or "").partition("\n")[0]
    return MethodSpec(
        name=name,
        factory=factory,
        setting=setting,
        params=tuple(params),
        revision=0,  # no run of it is taken for one of a package that has the same names
        summary=documented.rstrip("."),
        provenance=provenance,
        at_default=tuple(at_default),
    )


def _params(method: type) -> tuple[list[Param], list[str]]:
    """The parameters of a constructor that can be described, and the names of the others."""
    params, at_default = [], []
    hints = _hints(method)
    for name, parameter in inspect.signature(method).parameters.items():
        if name == SEED or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            raise PluginError(f"its class {method.__name__} cannot be built without '{name}': give it a default.")
        described = _param(name, parameter.default, hints.get(name))
        if described is None:
            at_default.append(name)
        else:
            params.append(described)
    return params, at_default


def _hints(method: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(method.__init__)  # type: ignore[misc]
    except Exception:  # a type that is not there at run time; the defaults still tell
        return {}


def _param(name: str, default: Any, hint: Any) -> Param | None:
    """A parameter by its annotation, or else by its default; None if neither tells which values it takes."""
    union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    hinted = [each for each in (typing.get_args(hint) if union else [hint]) if each is not type(None)]
    optional = default is None or (union and type(None) in typing.get_args(hint))
    kinds = [hinted[0]] if len(hinted) == 1 and hinted[0] in TYPES else []
    kinds += [type(default)] if type(default) in TYPES else []
    for kind in kinds:
        try:
            return Param(name, kind, default, optional=optional)
        except ParameterError:  # the default is not of that type, or not finite
            continue
    return None
