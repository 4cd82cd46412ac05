"""Finds the modules and classes of the package that a method comes from."""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import takewhile
from types import ModuleType
from typing import Any

from lcbench.audit.reference_graph import ReferenceGraph
from lcbench.contract.clusterer import Clusterer

_CORE = frozenset({"lcbench", "numpy", "scipy", "sklearn"}) | sys.stdlib_module_names - {"__main__"}


class MethodPackages:
    """The packages of a method's class and of the methods it inherits from, except those of the core.

    Of a namespace package only the part with the class counts. `constants` are objects of these modules, by id, that
    can hold nothing new, such as names and numbers; a search fills it. Kept alive, so that no id is used again. `graph`
    are the references of these modules as they were last, if these held no data.
    """

    def __init__(self, method: type[Clusterer]) -> None:
        self.classes = [c for c in method.__mro__ if issubclass(c, Clusterer) and not _is_core(c.__module__)]
        self.constants: dict[int, Any] = {}
        self.graph: ReferenceGraph | None = None
        packages = dict.fromkeys(_package(c.__module__) for c in self.classes)
        self._names = frozenset(packages)
        self._prefixes = tuple(f"{name}." for name in packages)
        self._known = 0
        self._loaded: list[str] = []

    def modules(self) -> list[Any]:
        """The modules of these packages that are imported now."""
        if len(sys.modules) != self._known:
            self._known = len(sys.modules)
            self._loaded = [name for name in imported_modules() if self._is_within(name)]
        return [sys.modules[name] for name in self._loaded if name in sys.modules]

    def _is_within(self, module: str) -> bool:
        return module in self._names or module.startswith(self._prefixes)

    def has(self, owner: Any) -> bool:
        """True if a class or function was made in one of the modules, or cannot be found under the name it claims."""
        module, name = getattr(owner, "__module__", None), getattr(owner, "__qualname__", None)
        if type(module) is not str or type(name) is not str:
            return True
        if self._is_within(module):
            return True
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, "__dict__", {}).get(part)
        return found is not owner


_imported_before = ""  # names of modules in one text, the last one imported first


def note_imported_modules() -> None:
    """Note the modules that a server has imported, in one text, before it forks.

    To look at a name is to write to its reference count, and a fork copies each page that it writes to.
    """
    global _imported_before
    _imported_before = "\n".join(reversed(sys.modules))


def imported_modules() -> list[str]:
    """The names of the modules that are imported now, the last one first; and of those noted, if still there or not."""
    before = _imported_before.split("\n")
    since = list(takewhile(lambda name: name != before[0], reversed(sys.modules)))
    return since + before


@lru_cache(maxsize=64)
def packages_of(method: type[Clusterer]) -> MethodPackages:
    """The packages of a method's class, the same object for every run."""
    return MethodPackages(method)


def is_known_module(module: ModuleType) -> bool:
    """True if importing the module's name gives this very module."""
    return sys.modules.get(module.__dict__.get("__name__", "")) is module


def is_module_dict(namespace: dict[Any, Any]) -> bool:
    """True if this dictionary holds the globals of an imported module."""
    name = dict.get(namespace, "__name__")
    module = sys.modules.get(name) if type(name) is str else None
    return module is not None and getattr(module, "__dict__", None) is namespace


def _is_core(module: str) -> bool:
    return module.partition(".")[0] in _CORE


def _package(module: str) -> str:
    """The outermost package of a module that has a file: a namespace package, which projects share, has none."""
    parts = module.split(".")
    for i in range(1, len(parts)):
        name = ".".join(parts[:i])
        if getattr(sys.modules.get(name), "__file__", None) is not None:
            return name
    return module
