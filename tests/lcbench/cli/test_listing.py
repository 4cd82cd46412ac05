from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from lcbench.cli import listing
from lcbench.registry.host import PluginHost

NAMES = {
    "methods": {"l2sc", "stsc", "usc", "kmeans", "pooled-kmeans", "random", "one-cluster"},
    "streams": {"digits", "topics", "webkb4-sim"},
    "metrics": {"purity", "nmi", "ri", "ari", "ami", "accuracy", "silhouette"},
    "plugins": {"spectral", "baselines", "indices", "streams"},
}


def first_words(lines: list[str]) -> set[str]:
    return {line.split()[0] for line in lines if line}


@pytest.mark.parametrize("kind", ["methods", "plugins"])
def test_a_kind_lists_our_names_and_not_those_of_other_kinds(command, kind):
    names = first_words(command("list", kind).lines)
    assert NAMES[kind] <= names
    others = set().union(*(NAMES[other] for other in NAMES if other != kind)) - NAMES[kind] - {kind}
    assert not others & names


def test_without_a_kind_everything_is_listed_and_a_method_has_its_setting(command):
    lines = command("list").lines
    assert set().union(*NAMES.values()) <= first_words(lines)
    assert any(line.startswith("usc multi-task ") for line in lines)


def test_a_plugin_that_failed_is_listed_with_the_reason(command, monkeypatch):
    host = PluginHost()
    host.load([EntryPoint("broken", "no_such_module_here", "lcbench")])
    monkeypatch.setattr(listing, "plugin_host", lambda: host)
    text = " ".join(command("list", "plugins").lines)
    assert "broken" in text
    assert "ModuleNotFoundError" in text


def test_an_unknown_kind_is_a_usage_error_that_names_the_known_ones(command):
    called = command("list", "nothing")
    assert (called.code, called.out) == (2, "")
    assert "'nothing' is not one of" in called.err
    assert all(kind in called.err for kind in NAMES)
