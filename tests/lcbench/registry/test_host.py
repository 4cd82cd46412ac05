from __future__ import annotations

import ast
import importlib.metadata
import logging
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

import lcbench
from lcbench.contract import hookspecs
from lcbench.contract.hookspecs import hookimpl
from lcbench.contract.specs import MethodSpec, MetricKind, MetricSpec, Setting, StreamSpec, TaskShape
from lcbench.errors import PluginError
from lcbench.registry import host as host_module
from lcbench.registry.host import PluginHost, plugin_host, raw_data
from lcbench.running.environment import environment_facts

HOOKS = {name for name in vars(hookspecs) if name.startswith("lcbench_")}


@dataclass
class FakePoint:
    """Stands in for importlib.metadata.EntryPoint; `found` is what it loads, or what loading raises."""

    found: object
    name: str = "plug"
    distribution: str = "stranger"

    value = "stranger.module"

    @property
    def dist(self):
        return SimpleNamespace(name=self.distribution, version="1.2")

    def load(self):
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


def module(**functions):
    made = ModuleType("stranger_module")
    vars(made).update(functions)
    return made


def method(name):
    return MethodSpec(name, "nowhere:Nothing", Setting.SINGLE_TASK)


def registering(*specs):
    """A plugin that registers `specs` as methods."""

    @hookimpl
    def implementation(register):
        for spec in specs:
            register(spec)

    return module(lcbench_register_methods=implementation)


@hookimpl
def no_argument_of_that_name(registry):
    pass


@hookimpl
def broken(register):
    register(method("half"))
    raise RuntimeError("boom")


BROKEN = {
    "raises on import": (ImportError("no module named torch"), "ImportError: no module named torch"),
    "exits on import": (SystemExit("bye"), "SystemExit: bye"),
    "raises when asked": (module(lcbench_register_methods=broken), "RuntimeError: boom"),
    "misspelt hook": (module(lcbench_register_methds=broken), "lcbench_register_methds"),
    "wrong argument": (module(lcbench_register_methods=no_argument_of_that_name), "registry"),
    "nothing marked": (module(lcbench_register_methods=lambda register: None), "implements no hook"),
    "empty": (module(), "implements no hook"),
    "no spec": (registering("l2sc"), "a MethodSpec is needed"),
}
every_broken_plugin = pytest.mark.parametrize(("found", "reason"), BROKEN.values(), ids=BROKEN)


@pytest.fixture
def warnings(caplog, monkeypatch):
    """The messages that were logged, also when another test ran the command line, which takes the log for itself."""
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)
    return lambda: [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


@pytest.fixture
def fresh_host(monkeypatch):
    """`plugin_host` loads anew, before and after; the environment sets nothing."""
    for name in ("LCBENCH_PLUGINS", "LCBENCH_STRICT_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    caches = (plugin_host, environment_facts)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def loaded(*points, **options):
    host = PluginHost(**options)
    host.load(points)
    return host


def names(host):
    return [spec.name for spec in host.registry.methods]


@every_broken_plugin
def test_a_broken_plugin_costs_one_warning_that_names_it_and_the_others_load(found, reason, warnings):
    host = loaded(
        FakePoint(registering(method("before")), "a", "alpha"),
        FakePoint(found, "bad", "broken-dist"),
        FakePoint(registering(method("after")), "z", "zulu"),
    )
    assert names(host) == ["before", "after"]
    (warning,) = warnings()
    assert warning.startswith("plugin 'bad' of distribution 'broken-dist'")
    assert reason in warning
    assert [plugin.problems for plugin in host.plugins] == [[], [warning], []]


@every_broken_plugin
def test_a_broken_plugin_is_an_error_when_strict(found, reason):
    with pytest.raises(PluginError, match="broken-dist") as caught:
        loaded(FakePoint(found, "bad", "broken-dist"), strict=True)
    assert reason in str(caught.value)


def test_a_taken_name_is_left_out_with_both_distributions_named_and_the_plugins_other_names_stay(warnings):
    host = loaded(
        FakePoint(registering(method("l2sc"), method("mine")), "extra", "aaa-stranger"),
        FakePoint(registering(method("l2sc")), "spectral", "lcbench"),
    )
    assert names(host) == ["l2sc", "mine"]
    assert host.registry.methods.source("l2sc").distribution == "lcbench", "ours come first"
    assert host.registry.methods.source("mine").distribution == "aaa-stranger"
    (warning,) = warnings()
    assert "distribution 'aaa-stranger'" in warning
    assert "distribution 'lcbench'" in warning


def test_a_plugin_is_recorded_with_its_version_target_and_names():
    (plugin,) = loaded(FakePoint(registering(method("one"), method("two")), "plug", "dist")).plugins
    assert (plugin.source.version, plugin.target, plugin.names) == ("1.2", "stranger.module", ["one", "two"])


@pytest.mark.parametrize(
    ("only", "expected"),
    [(None, ["a", "b", "c"]), (["first"], ["a"]), (["two", "third"], ["b", "c"]), (["second"], ["b"]), ([], [])],
)
def test_plugins_can_be_limited_by_their_own_name_or_that_of_their_distribution(only, expected, warnings):
    points = [
        FakePoint(registering(method("a")), "first", "one"),
        FakePoint(registering(method("b")), "second", "two"),
        FakePoint(registering(method("c")), "third", "two-more"),
    ]
    assert names(loaded(*points, only=only)) == expected
    assert warnings() == []


def test_a_plugin_left_out_is_not_imported():
    host = loaded(FakePoint(AssertionError("imported"), "left-out"), only=[], strict=True)
    assert host.plugins == []


def test_an_unknown_name_in_only_costs_a_warning_with_a_suggestion(warnings):
    host = loaded(FakePoint(registering(method("a")), "first", "one"), only=["first", "frist"])
    assert names(host) == ["a"]
    assert warnings() == ["LCBENCH_PLUGINS names 'frist', which is not installed. Did you mean 'first'?"]


def test_a_point_without_a_distribution_is_loaded_as_unknown():
    point = SimpleNamespace(name="loose", value="m", dist=None, load=lambda: registering(method("a")))
    assert loaded(point).registry.methods.source("a").distribution == "unknown"


def test_a_plugin_that_fails_to_add_its_commands_costs_a_warning_and_the_others_add_theirs(warnings):
    @hookimpl
    def fails(app):
        raise RuntimeError("no commands")

    @hookimpl
    def works(app):
        app.command("mine")(print)

    host = loaded(
        FakePoint(module(lcbench_register_commands=fails), "bad", "alpha"),
        FakePoint(module(lcbench_register_commands=works), "good", "zulu"),
    )
    app = typer.Typer()
    host.register_commands(app)
    assert [command.name for command in app.registered_commands] == ["mine"]
    assert warnings() == [
        "plugin 'bad' of distribution 'alpha' could not add its commands: RuntimeError: no commands",
    ]


def test_a_plugin_that_was_refused_adds_no_commands():
    @hookimpl
    def adds(app):
        app.command("mine")(print)

    refused = module(lcbench_register_commands=adds, lcbench_register_methods=broken)
    app = typer.Typer()
    loaded(FakePoint(refused)).register_commands(app)
    assert app.registered_commands == []


@pytest.mark.usefixtures("fresh_host")
def test_our_own_plugins_load_without_a_problem_even_when_strict(monkeypatch):
    monkeypatch.setenv("LCBENCH_STRICT_PLUGINS", "1")
    ours = {plugin.source.plugin for plugin in plugin_host().plugins if plugin.source.distribution == "lcbench"}
    assert {"spectral", "baselines", "indices", "streams"} <= ours


@pytest.mark.usefixtures("fresh_host")
def test_the_environment_limits_the_plugins(monkeypatch):
    monkeypatch.setenv("LCBENCH_PLUGINS", " indices , baselines,")
    assert [plugin.source.plugin for plugin in plugin_host().plugins] == ["baselines", "indices"]
    assert "l2sc" not in plugin_host().registry.methods


@pytest.mark.usefixtures("fresh_host")
def test_an_empty_limit_in_the_environment_loads_nothing(monkeypatch):
    monkeypatch.setenv("LCBENCH_PLUGINS", "")
    assert plugin_host().plugins == []


@pytest.mark.usefixtures("fresh_host")
@pytest.mark.parametrize(("value", "strict"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_makes_plugins_strict(monkeypatch, value, strict, warnings):
    monkeypatch.setenv("LCBENCH_STRICT_PLUGINS", value)
    monkeypatch.setattr(host_module, "entry_points", lambda group: [FakePoint(ImportError("gone"))])
    if strict:
        with pytest.raises(PluginError, match="gone"):
            plugin_host()
    else:
        plugin_host()
        assert len(warnings()) == 1


class EveryHook:
    """A plugin that implements every hook and remembers which were called, with what."""

    def __init__(self):
        self.calls = []

    @hookimpl
    def lcbench_register_methods(self, register):
        self.calls.append("lcbench_register_methods")
        register(MethodSpec("zz-method", "lcbench_baselines.controls:OneCluster", Setting.SINGLE_TASK))

    @hookimpl
    def lcbench_register_streams(self, register):
        self.calls.append("lcbench_register_streams")
        register(StreamSpec("zz-stream", "lcbench_streams.topics:WebKB4Sim", (TaskShape("cornell"),)))

    @hookimpl
    def lcbench_register_metrics(self, register):
        self.calls.append("lcbench_register_metrics")
        register(MetricSpec("zz-metric", "lcbench_indices.matching:Purity", MetricKind.EXTERNAL))

    @hookimpl
    def lcbench_register_commands(self, app):
        self.calls.append("lcbench_register_commands")
        app.command("zz-command")(lambda: typer.echo("said by the plugin"))

    @hookimpl
    def lcbench_run_started(self, run):
        self.calls.append(("lcbench_run_started", run.method, run.labels_digest))

    @hookimpl
    def lcbench_task_learned(self, run, step):
        self.calls.append(("lcbench_task_learned", step.task, len(run.learn_seconds)))

    @hookimpl
    def lcbench_run_finished(self, run):
        self.calls.append(("lcbench_run_finished", run.status, len(run.learn_seconds)))


@pytest.mark.usefixtures("fresh_host")
def test_a_plugin_that_implements_every_hook_has_each_of_them_called(monkeypatch, blob_stream):
    from lcbench.cli.app import build_app

    plugin, installed = EveryHook(), host_module.entry_points
    for home in (host_module, importlib.metadata):
        monkeypatch.setattr(
            home,
            "entry_points",
            lambda group: [*installed(group=group), *([FakePoint(plugin)] if group == "lcbench" else [])],
        )
    results = lcbench.run("zz-method", blob_stream, metrics=["zz-metric"])
    assert results[0].scores["zz-metric"] == results[0].scores["purity"]
    assert lcbench.load_stream("zz-stream").tasks()[0].name == "cornell"
    assert "said by the plugin" in CliRunner().invoke(build_app(), ["zz-command"]).output
    assert plugin.calls == [
        "lcbench_register_methods",
        "lcbench_register_streams",
        "lcbench_register_metrics",
        ("lcbench_run_started", "zz-method", None),
        ("lcbench_task_learned", "task-1", 1),
        ("lcbench_task_learned", "task-2", 2),
        ("lcbench_task_learned", "task-3", 3),
        ("lcbench_run_finished", "ok", 3),
        "lcbench_register_commands",
    ]
    assert {call if isinstance(call, str) else call[0] for call in plugin.calls} == HOOKS


def imported_packages(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_nothing_in_the_core_imports_from_a_plugin():
    files = list(Path(lcbench.__file__).parent.rglob("*.py"))
    imported = {package for file in files for package in imported_packages(file.read_text(encoding="utf-8"))}
    assert "lcbench" in imported, "the walk found our own imports"
    assert {name for name in imported if name.startswith("lcbench_")} == set()


def test_a_second_entry_point_to_the_same_module_does_not_switch_off_the_first(warnings):
    @hookimpl
    def lcbench_register_commands(app):
        app.command("mine")(print)

    shared = registering(method("kept"))
    shared.lcbench_register_commands = lcbench_register_commands
    host = loaded(FakePoint(shared, "one", "a"), FakePoint(shared, "two", "b"))
    app = typer.Typer()
    host.register_commands(app)
    assert "kept" in names(host)
    assert [command.name for command in app.registered_commands] == ["mine"]
    assert "distribution 'b'" in warnings()[-1]


def test_a_plugin_that_exits_while_it_adds_commands_costs_a_warning(warnings):
    @hookimpl
    def lcbench_register_commands(app):
        raise SystemExit(3)

    point = FakePoint(module(lcbench_register_commands=lcbench_register_commands), distribution="quitter")
    loaded(point).register_commands(typer.Typer())
    assert "distribution 'quitter' could not add its commands" in warnings()[-1]


def test_a_hook_cannot_be_wrapped(warnings):
    @hookimpl(wrapper=True)
    def lcbench_register_methods(register):
        yield

    loaded(FakePoint(module(lcbench_register_methods=lcbench_register_methods), distribution="wrapping"))
    assert "distribution 'wrapping' wraps the hook lcbench_register_methods" in warnings()[-1]


def test_a_command_whose_name_is_taken_is_left_out_and_the_plugins_others_stay(warnings):
    @hookimpl
    def lcbench_register_commands(app):
        app.command("run")(lambda: print("not yours"))
        app.command("new")(lambda: print("mine"))

    app = typer.Typer()
    app.command("run")(lambda: print("ours"))
    point = FakePoint(module(lcbench_register_commands=lcbench_register_commands), distribution="greedy")
    loaded(point).register_commands(app)
    assert "distribution 'greedy' adds the command 'run', which is taken" in warnings()[-1]
    assert CliRunner().invoke(app, ["run"]).stdout == "ours\n"
    assert CliRunner().invoke(app, ["new"]).stdout == "mine\n"


def test_a_command_cannot_take_the_name_of_a_group(warnings):
    @hookimpl
    def lcbench_register_commands(app):
        app.command("list")(lambda: print("not yours"))

    app, ours = typer.Typer(), typer.Typer()
    ours.command("methods")(lambda: print("ours"))
    app.add_typer(ours, name="list")
    app.command("run")(lambda: None)
    point = FakePoint(module(lcbench_register_commands=lcbench_register_commands), distribution="greedy")
    loaded(point).register_commands(app)
    assert "distribution 'greedy' adds the command 'list', which is taken" in warnings()[-1]
    assert CliRunner().invoke(app, ["list", "methods"]).stdout == "ours\n"


def test_the_raw_data_of_streams_are_found_by_the_name_of_the_stream(tiny_stream):
    found = raw_data()
    assert found["tiny"] == tiny_stream.data
    assert "digits" not in found  # made without raw data
