from __future__ import annotations

import pluggy
import pytest

from lcbench.contract import hookspecs
from lcbench.contract.hookspecs import hookimpl

ARGUMENTS = {
    "lcbench_register_methods": ("register",),
    "lcbench_register_streams": ("register",),
    "lcbench_register_metrics": ("register",),
    "lcbench_register_commands": ("app",),
    "lcbench_run_started": ("run",),
    "lcbench_task_learned": ("run", "step"),
    "lcbench_run_finished": ("run",),
}


@pytest.fixture
def manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("lcbench")
    manager.add_hookspecs(hookspecs)
    return manager


def test_the_hooks_have_the_names_and_arguments_that_plugins_rely_on(manager):
    found = {name: caller.spec.argnames for name, caller in vars(manager.hook).items() if caller.has_spec()}
    assert found == ARGUMENTS


@pytest.mark.parametrize(("hook", "names"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_a_marked_function_is_called_with_every_argument_of_its_hook(manager, hook, names):
    code = f"def {hook}({', '.join(names)}):\n    return {{{', '.join(f'{name!r}: {name}' for name in names)}}}"
    defined = {}
    exec(code, defined)
    manager.register(type("Plugin", (), {hook: staticmethod(hookimpl(defined[hook]))}))
    manager.check_pending()
    given = {name: object() for name in names}
    assert getattr(manager.hook, hook)(**given) == [given]


def test_a_function_that_is_not_marked_is_not_called(manager):
    class Unmarked:
        @staticmethod
        def lcbench_run_started(run):
            raise AssertionError("called")

    manager.register(Unmarked)
    assert manager.hook.lcbench_run_started(run=None) == []
