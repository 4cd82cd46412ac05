from __future__ import annotations

import pluggy

from lcbench.contract import hookspecs

ARGUMENTS = {
    "lcbench_register_methods": ("register",),
    "lcbench_register_streams": ("register",),
    "lcbench_register_metrics": ("register",),
    "lcbench_register_suites": ("register",),
    "lcbench_register_commands": ("app",),
    "lcbench_run_started": ("run",),
    "lcbench_task_learned": ("run", "step"),
    "lcbench_run_finished": ("run",),
}


def test_the_hooks_have_the_names_and_arguments_that_plugins_rely_on():
    manager = pluggy.PluginManager("lcbench")
    manager.add_hookspecs(hookspecs)
    found = {name: caller.spec.argnames for name, caller in vars(manager.hook).items() if caller.has_spec()}
    assert found == ARGUMENTS
