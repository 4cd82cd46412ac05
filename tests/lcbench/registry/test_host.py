from __future__ import annotations

import logging
import warnings as python_warnings
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

import lcbench
from lcbench.cli import app as app_module
from lcbench.contract import hookspecs
from lcbench.contract.hookspecs import hookimpl
from lcbench.contract.specs import MethodSpec, MetricKind, MetricSpec, Setting, StreamSpec, SuiteSpec, TaskShape
from lcbench.errors import PluginError
from lcbench.registry import host as host_module
from lcbench.registry.host import PluginHost, plugin_host, raw_data
from lcbench.running.provenance import _constant_facts

HOOKS = {name for name in vars(hookspecs) if name.startswith("lcbench_")}


def point(found, name="plug", distribution="stranger"):
    """An entry point; `found` is what it loads, or what loading raises."""

    def load():
        if isinstance(found, BaseException):
            raise found
        return found

    dist = distribution and SimpleNamespace(name=distribution, version="1.2")
    return SimpleNamespace(name=name, value="stranger.module", dist=dist, load=load)


def module(**functions):
    """A plugin with these functions as its hooks."""
    made = ModuleType("stranger_module")
    vars(made).update({name: hookimpl(function) for name, function in functions.items()})
    return made


def method(name):
    return MethodSpec(name, "nowhere:Nothing", Setting.SINGLE_TASK)


def registering(*specs, **more):
    """A plugin that registers `specs` as methods."""

    def implementation(register):
        for spec in specs:
            register(spec)

    return module(lcbench_register_methods=implementation, **more)


def adding(*names):
    """A hook that adds commands; each prints whose it is."""

    def lcbench_register_commands(app):
        for name in names:
            app.command(name)(lambda: print("theirs"))

    return lcbench_register_commands


def raising(error):
    def implementation(app):
        raise error

    return implementation


def broken(register):
    register(method("half"))
    raise RuntimeError("boom")


def wrapping(register):
    yield


UNMARKED, WRAPPING = ModuleType("unmarked"), ModuleType("wrapping")
UNMARKED.lcbench_register_methods = lambda register: None
WRAPPING.lcbench_register_methods = hookimpl(wrapper=True)(wrapping)
BROKEN = {
    "raises on import": (ImportError("no module named torch"), "ImportError: no module named torch"),
    "exits on import": (SystemExit("bye"), "SystemExit: bye"),
    "raises when asked": (module(lcbench_register_methods=broken), "RuntimeError: boom"),
    "misspelt hook": (module(lcbench_register_methds=broken), "lcbench_register_methds"),
    "wrong argument": (module(lcbench_register_methods=lambda registry: None), "registry"),
    "nothing marked": (UNMARKED, "implements no hook"),
    "empty": (module(), "implements no hook"),
    "no spec": (registering("l2sc"), "a MethodSpec is needed"),
    "wraps a hook": (WRAPPING, "wraps the hook lcbench_register_methods"),
}


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
    caches = (plugin_host, _constant_facts)
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


@pytest.mark.parametrize(("found", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_costs_one_warning_that_names_it_and_the_others_load_or_is_an_error_when_strict(
    found, reason, warnings
):
    host = loaded(
        point(registering(method("before")), "a", "alpha"),
        point(found, "bad", "broken-dist"),
        point(registering(method("after")), "z", "zulu"),
    )
    assert names(host) == ["before", "after"]
    (warning,) = warnings()
    assert warning.startswith("plugin 'bad' of distribution 'broken-dist'")
    assert reason in warning
    assert [plugin.problems for plugin in host.plugins] == [[], [warning], []]
    with pytest.raises(PluginError) as caught:
        loaded(point(found, "bad", "broken-dist"), strict=True)
    assert str(caught.value) == warning


def test_what_a_plugin_prints_and_warns_of_when_it_is_loaded_goes_to_standard_error(capsys, warnings):
    def lcbench_register_methods(register):
        print("hello")
        python_warnings.warn_explicit("it is old", UserWarning, "/a/mine.py", 4)

    loaded(point(module(lcbench_register_methods=lcbench_register_methods), "loud", "dist"))
    assert capsys.readouterr() == ("", "hello\n")
    assert warnings() == ["plugin 'loud' of distribution 'dist': UserWarning: it is old (mine.py:4)"]


def test_a_taken_name_is_left_out_with_both_distributions_named_and_the_plugins_other_names_stay(warnings):
    host = loaded(
        point(registering(method("l2sc"), method("mine")), "extra", "aaa-stranger"),
        point(registering(method("l2sc")), "spectral", "lcbench"),
    )
    assert names(host) == ["l2sc", "mine"]
    assert host.registry.methods.source("l2sc").distribution == "lcbench", "ours come first"
    assert host.registry.methods.source("mine").distribution == "aaa-stranger"
    (warning,) = warnings()
    assert "distribution 'aaa-stranger'" in warning
    assert "distribution 'lcbench'" in warning


def test_a_plugin_is_recorded_with_its_version_target_and_names():
    (plugin,) = loaded(point(registering(method("one"), method("two")), "plug", "dist")).plugins
    assert (plugin.source.version, plugin.target, plugin.names) == ("1.2", "stranger.module", ["one", "two"])


@pytest.mark.parametrize(
    ("only", "expected"),
    [(None, ["a", "b", "c"]), (["first"], ["a"]), (["two", "third"], ["b", "c"]), (["second"], ["b"]), ([], [])],
)
def test_plugins_can_be_limited_by_their_own_name_or_that_of_their_distribution(only, expected, warnings):
    points = [
        point(registering(method("a")), "first", "one"),
        point(registering(method("b")), "second", "two"),
        point(registering(method("c")), "third", "two-more"),
    ]
    left_out = [] if only is None else [point(AssertionError("imported"), "left-out")]
    assert names(loaded(*points, *left_out, only=only)) == expected
    assert warnings() == []


def test_an_unknown_name_in_only_costs_a_warning_with_a_suggestion(warnings):
    host = loaded(point(registering(method("a")), "first", "one"), only=["first", "frist"])
    assert names(host) == ["a"]
    assert warnings() == ["LCBENCH_PLUGINS names 'frist', which is not installed. Did you mean 'first'?"]


def test_a_point_without_a_distribution_is_loaded_as_unknown():
    host = loaded(point(registering(method("a")), distribution=None))
    assert host.registry.methods.source("a").distribution == "unknown"


@pytest.fixture
def app():
    """Our own command line: the command `run` and the group `list` with a command `methods`."""
    app, group = typer.Typer(), typer.Typer()
    app.command("run")(lambda: print("ours"))
    group.command("methods")(lambda: print("ours"))
    app.add_typer(group, name="list")
    return app


def printed(app, *arguments):
    return CliRunner().invoke(app, arguments).stdout.strip()


@pytest.mark.parametrize("error", [RuntimeError("no commands"), SystemExit(3)], ids=repr)
def test_a_plugin_that_fails_to_add_its_commands_costs_a_warning_and_the_others_add_theirs(warnings, app, error):
    host = loaded(
        point(module(lcbench_register_commands=raising(error)), "bad", "alpha"),
        point(module(lcbench_register_commands=adding("mine")), "good", "zulu"),
    )
    host.register_commands(app)
    assert printed(app, "mine") == "theirs"
    said = (
        f"plugin 'bad' of distribution 'alpha' could not add its commands: {type(error).__name__}: {error} (test_host"
    )
    (warning,) = warnings()
    assert warning.startswith(said)


def test_a_command_whose_name_is_taken_is_left_out_and_the_plugins_others_stay(warnings, app):
    loaded(point(module(lcbench_register_commands=adding("run", "list", "new")))).register_commands(app)
    assert warnings() == [
        f"plugin 'plug' of distribution 'stranger' adds the command '{name}', which is taken: it is left out."
        for name in ("run", "list")
    ]
    assert [printed(app, *names) for names in (["run"], ["list", "methods"], ["new"])] == ["ours", "ours", "theirs"]


def test_a_plugin_that_was_refused_adds_no_commands(app):
    refused = module(lcbench_register_commands=adding("mine"), lcbench_register_methods=broken)
    loaded(point(refused)).register_commands(app)
    assert [command.name for command in app.registered_commands] == ["run"]


def test_a_second_entry_point_to_the_same_module_does_not_switch_off_the_first(warnings, app):
    shared = registering(method("kept"), lcbench_register_commands=adding("mine"))
    host = loaded(point(shared, "one", "a"), point(shared, "two", "b"))
    host.register_commands(app)
    assert names(host) == ["kept"]
    assert printed(app, "mine") == "theirs"
    assert "distribution 'b'" in warnings()[-1]


@pytest.mark.usefixtures("fresh_host")
def test_our_own_plugins_load_without_a_problem_even_when_strict(monkeypatch):
    monkeypatch.setenv("LCBENCH_STRICT_PLUGINS", "1")
    ours = {plugin.source.plugin for plugin in plugin_host().plugins if plugin.source.distribution == "lcbench"}
    assert {"spectral", "baselines", "indices", "streams"} <= ours


@pytest.mark.usefixtures("fresh_host")
@pytest.mark.parametrize(("value", "expected"), [(" indices , baselines,", ["baselines", "indices"]), ("", [])])
def test_the_environment_limits_the_plugins(monkeypatch, value, expected):
    monkeypatch.setenv("LCBENCH_PLUGINS", value)
    assert [plugin.source.plugin for plugin in plugin_host().plugins] == expected


@pytest.mark.usefixtures("fresh_host")
@pytest.mark.parametrize(("value", "strict"), [("yes", True), ("0", False), ("", False)])
def test_the_environment_makes_plugins_strict(monkeypatch, value, strict, warnings):
    monkeypatch.setenv("LCBENCH_STRICT_PLUGINS", value)
    monkeypatch.setattr(host_module, "entry_points", lambda group: [point(ImportError("gone"))])
    if strict:
        with pytest.raises(PluginError, match="gone"):
            plugin_host()
    else:
        plugin_host()
        assert len(warnings()) == 1


def every_hook(calls):
    """A plugin that implements every hook and notes what was called, with what."""

    def registers(hook, spec):
        def implementation(register):
            calls.append(hook)
            register(spec)

        return implementation

    def lcbench_register_commands(app):
        calls.append("lcbench_register_commands")
        app.command("zz-command")(lambda: typer.echo("said by the plugin"))

    def lcbench_run_started(run):
        calls.append(("lcbench_run_started", run.method, run.labels_digest))

    def lcbench_task_learned(run, step):
        calls.append(("lcbench_task_learned", step.task, len(run.learn_seconds)))

    def lcbench_run_finished(run):
        calls.append(("lcbench_run_finished", run.status, len(run.learn_seconds)))

    specs = {
        "lcbench_register_methods": replace(method("zz-method"), factory="lcbench_baselines.controls:OneCluster"),
        "lcbench_register_streams": StreamSpec("zz", "lcbench_streams.topics:WebKB4Sim", (TaskShape("cornell"),)),
        "lcbench_register_metrics": MetricSpec("zz-metric", "lcbench_indices.indices:Purity", MetricKind.EXTERNAL),
        "lcbench_register_suites": SuiteSpec("zz-suite", Path("zz-suite.toml")),
    }
    rest = (lcbench_register_commands, lcbench_run_started, lcbench_task_learned, lcbench_run_finished)
    hooks = {hook: registers(hook, spec) for hook, spec in specs.items()} | {hook.__name__: hook for hook in rest}
    return module(**hooks)


@pytest.mark.usefixtures("fresh_host")
def test_a_plugin_that_implements_every_hook_has_each_of_them_called(monkeypatch, blob_stream):
    calls, installed = [], host_module.entry_points
    plugin = point(every_hook(calls))
    for home in (host_module, app_module):
        found = lambda group: [*installed(group=group), *([plugin] if group == "lcbench" else [])]  # noqa: E731
        monkeypatch.setattr(home, "entry_points", found)
    results = lcbench.run("zz-method", blob_stream, metrics=["zz-metric"])
    assert results[0].scores["zz-metric"] == results[0].scores["purity"]
    assert lcbench.load_stream("zz").tasks()[0].name == "cornell"
    assert plugin_host().registry.suites["zz-suite"].file == Path("zz-suite.toml")
    assert "said by the plugin" in CliRunner().invoke(app_module.build_app(), ["zz-command"]).output
    assert calls == [
        "lcbench_register_methods",
        "lcbench_register_streams",
        "lcbench_register_metrics",
        "lcbench_register_suites",
        ("lcbench_run_started", "zz-method", None),
        ("lcbench_task_learned", "task-1", 1),
        ("lcbench_task_learned", "task-2", 2),
        ("lcbench_task_learned", "task-3", 3),
        ("lcbench_run_finished", "ok", 3),
        "lcbench_register_commands",
    ]
    assert {call if isinstance(call, str) else call[0] for call in calls} == HOOKS


def test_the_raw_data_of_streams_are_found_by_the_name_of_the_stream(tiny_stream):
    found = raw_data()
    assert found["tiny"] == tiny_stream.data
    assert "digits" not in found  # made without raw data
