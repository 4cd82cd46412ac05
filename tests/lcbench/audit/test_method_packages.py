from __future__ import annotations

import importlib
import json
import sys
from types import ModuleType

import pytest

from lcbench.audit import method_packages
from lcbench.audit.method_packages import MethodPackages, is_known_module, is_module_dict, packages_of
from lcbench.contract.clusterer import Clusterer


@pytest.fixture
def imported(monkeypatch):
    """Put modules into `sys.modules`; those of namespace packages have no file. The last one has a method."""

    def put(*names, namespaces=()):
        for name in names:
            module = ModuleType(name)
            if name not in namespaces:
                module.__file__ = f"{name}.py"
            monkeypatch.setitem(sys.modules, name, module)
        module.Method = type("Method", (Clusterer,), {"__module__": module.__name__, "__qualname__": "Method"})
        return module.Method

    return put


def names(packages):
    return {module.__name__ for module in packages.modules()}


def test_classes_are_those_a_method_inherits_from_without_those_of_the_core(cheats):
    found = MethodPackages(cheats.HidesOnDisk).classes
    assert found == [cheats.HidesOnDisk, cheats.HidesElsewhere, cheats.Keeps]


def test_all_imported_modules_of_the_package_count_and_later_ones_when_they_are_imported(cheats, monkeypatch):
    monkeypatch.delitem(sys.modules, "lcbench_cheats.late", raising=False)
    packages = MethodPackages(cheats.Lifelong)
    before = {"lcbench_cheats", *(f"lcbench_cheats.{name}" for name in ("methods", "hiding", "outside", "stash"))}
    assert names(packages) == before
    importlib.import_module("lcbench_cheats.late")
    assert names(packages) == {*before, "lcbench_cheats.late"}


def test_modules_that_a_server_noted_count_as_those_that_were_imported_since(monkeypatch, imported):
    early, gone = imported("mine"), imported("mine.gone")
    monkeypatch.setattr(method_packages, "_imported_before", "")
    method_packages.note_imported_modules()
    monkeypatch.delitem(sys.modules, gone.__module__)
    late = imported("mine.late")
    assert names(MethodPackages(late)) == {early.__module__, late.__module__}


def test_a_package_whose_name_only_begins_alike_does_not_count(imported):
    imported("mine_too")
    assert names(MethodPackages(imported("mine", "mine.method"))) == {"mine", "mine.method"}


def test_of_a_namespace_package_only_the_part_of_the_method_counts(imported):
    imported("shared", "shared.other", namespaces=["shared"])
    method = imported("shared", "shared.mine", "shared.mine.method", namespaces=["shared"])
    assert names(MethodPackages(method)) == {"shared.mine", "shared.mine.method"}


def test_classes_and_functions_of_the_package_belong_to_it_and_those_of_libraries_do_not(cheats):
    packages = MethodPackages(cheats.Lifelong)
    assert packages.has(cheats.Lifelong)
    assert packages.has(cheats.split)
    assert not packages.has(json.JSONDecoder)
    assert not packages.has(json.dumps)


def test_what_only_claims_to_be_from_a_library_belongs_to_the_method(cheats):
    packages = MethodPackages(cheats.Lifelong)
    assert packages.has(type("JSONDecoder", (), {"__module__": "json"}))
    assert packages.has(type("Unknown", (), {"__module__": "no_such_module"}))
    assert packages.has(type("Odd", (), {"__module__": 5}))


def test_a_class_is_looked_up_once(cheats):
    assert packages_of(cheats.Lifelong) is packages_of(cheats.Lifelong)


def test_a_module_is_known_only_if_importing_its_name_gives_it():
    assert is_known_module(json)
    assert not is_known_module(ModuleType("json"))
    assert not is_known_module(ModuleType("never_imported"))


def test_the_globals_of_a_module_are_told_from_a_copy_of_them():
    assert is_module_dict(vars(json))
    assert not is_module_dict(dict(vars(json)))
    assert not is_module_dict({"__name__": 5})
    assert not is_module_dict({})
