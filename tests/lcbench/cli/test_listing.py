from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from lcbench.cli import listing
from lcbench.cli.app import build_app
from lcbench.registry.host import PluginHost

NAMES = {
    "methods": {"l2sc", "stsc", "usc", "kmeans", "pooled-kmeans", "random", "one-cluster"},
    "streams": {"digits", "topics", "webkb4-sim"},
    "metrics": {"purity", "nmi", "ri", "ari", "ami", "accuracy", "silhouette"},
    "plugins": {"spectral", "baselines", "indices", "streams"},
}


def listed(*arguments: str) -> str:
    result = CliRunner().invoke(build_app(), ["list", *arguments])
    assert result.exit_code == 0
    return result.stdout


def first_words(text: str) -> set[str]:
    return {line.split()[0] for line in text.splitlines() if line.strip()}


@pytest.mark.parametrize("kind", NAMES)
def test_each_kind_lists_our_names_and_not_those_of_other_kinds(kind):
    names = first_words(listed(kind))
    assert NAMES[kind] <= names
    others = set().union(*(NAMES[other] for other in NAMES if other != kind)) - NAMES[kind] - {kind}
    assert not others & names


def test_without_a_kind_everything_is_listed():
    assert set().union(*NAMES.values()) <= first_words(listed())


def test_a_method_is_listed_with_its_setting():
    line = next(line for line in listed("methods").splitlines() if line.split()[:1] == ["usc"])
    assert line.split()[1] == "multi-task"


def test_a_plugin_that_failed_is_listed_with_the_reason(monkeypatch):
    host = PluginHost()
    host.load([EntryPoint("broken", "no_such_module_here", "lcbench")])
    monkeypatch.setattr(listing, "plugin_host", lambda: host)
    text = " ".join(listed("plugins").split())
    assert "broken" in text
    assert "ModuleNotFoundError" in text


def test_an_unknown_kind_is_a_usage_error_that_names_the_known_ones():
    result = CliRunner().invoke(build_app(), ["list", "nothing"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'nothing' is not one of" in result.stderr
    assert all(kind in result.stderr for kind in NAMES)
