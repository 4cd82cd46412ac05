"""A plugin that attacks lcbench in every way its authors could think of. It is found when its folder is on the path.

Each attack is a method, a metric or a listener of its own, named for what it does. This module is light.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lcbench import MethodSpec, MetricKind, MetricSpec, Setting, hookimpl
from lcbench_hostile.listeners import heard

METHODS = ("patching", "surroundings", "forging", "ending", "answering", "thieves", "messengers")
NO_ATTACKS = {"Forger", "FolderThief"}


def attacks(module: str, bases: set[str]) -> Iterator[tuple[str, str, str]]:
    """The name, factory and docstring of every attack in a file, read without importing it."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & bases:
            bases.add(node.name)
            if node.name not in NO_ATTACKS:
                name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", node.name).lower()
                yield name, f"lcbench_hostile.{module}:{node.name}", ast.get_docstring(node) or ""


@hookimpl
def lcbench_register_methods(register):
    for module in METHODS:
        for name, factory, summary in attacks(module, {"Hostile", "Thief"}):
            register(MethodSpec(name=name, factory=factory, setting=Setting.SINGLE_TASK, summary=summary))


@hookimpl
def lcbench_register_metrics(register):
    for name, factory, summary in attacks("metrics", {"InternalMetric"}):
        register(MetricSpec(name=name, factory=factory, kind=MetricKind.INTERNAL, summary=summary))


@hookimpl
def lcbench_run_started(run):
    heard(run)


@hookimpl
def lcbench_task_learned(run, step):
    heard(run, step)


@hookimpl
def lcbench_run_finished(run):
    heard(run)
