from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.cli.completion import words
from lcbench.registry.host import plugin_host


def completed(kind: str, incomplete: str, **typed) -> list[str]:
    return [word for word, _ in words(kind, incomplete, typed)]


@pytest.fixture
def pressed(monkeypatch, command):
    """The answer at Tab after these words, as bash cuts them: at spaces, and at colons and equals signs."""
    monkeypatch.setenv("COLUMNS", "80")  # which is set anew

    def tab(*cut: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", "\n".join(("lcbench", *cut)))
        monkeypatch.setenv("COMP_CWORD", str(len(cut)))
        monkeypatch.setenv("_LCBENCH_COMPLETE", "complete_bash")
        called = command()
        assert (called.code, called.err) == (0, "")
        return called.out.split()

    return tab


def test_verbs_and_options_are_completed(pressed):
    assert pressed("re") == ["reproduce", "report", "results"]
    assert pressed("results", "sh") == ["show"]
    assert "--metric" in pressed("run", "--m")


def test_methods_streams_and_metrics_are_those_that_are_registered(pressed):
    registry = plugin_host().registry
    assert pressed("run", "-m", "") == [spec.name for spec in registry.methods]
    assert pressed("run", "--stream", "webkb") == ["webkb4", "webkb4-sim"]
    assert pressed("compare", "--metric", "n") == ["nmi"]


def test_case_does_not_matter_and_what_is_typed_stays(pressed):
    assert pressed("run", "-m", "L2") == ["L2sc"]


def test_parameters_follow_a_colon_and_a_comma_and_are_named_once(pressed):
    spec = plugin_host().registry.methods["l2sc"]
    assert pressed("run", "-m", "l2sc", ":") == [f"{param.name}=" for param in spec.params]
    later = pressed("run", "-m", "l2sc", ":", "lam", "=", "3,")
    assert later == [f"3,{param.name}=" for param in spec.params if param.name != "lam"]


def test_the_only_parameter_that_fits_comes_with_its_values_so_that_no_space_follows(pressed):
    assert pressed("run", "-m", "l2sc", ":", "la") == ["lam=", "lam=1"]
    param = next(param for param in plugin_host().registry.methods["l2sc"].params if param.name == "affinity")
    assert set(pressed("run", "-m", "l2sc", ":", "affinity", "=")) == set(param.choices)


def test_an_alias_and_an_option_with_an_equals_sign_are_seen_through(pressed):
    assert pressed("run", "-m", "mine", "=", "l2") == ["l2sc"]
    assert pressed("run", "--method", "=", "l2sc", ":", "la") == ["lam=", "lam=1"]
    assert pressed("run", "--metric", "=", "n") == ["nmi"]


def test_a_word_that_bash_did_not_cut_is_given_back_whole(pressed):
    assert pressed("run", "-m", "l2sc:la") == ["l2sc:lam=", "l2sc:lam=1"]


def test_fish_gets_a_line_for_every_word_however_narrow_the_terminal_is(monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("_LCBENCH_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "lcbench run -s ")
    lines = command().out.splitlines()
    assert [line.partition("\t")[0] for line in lines] == [spec.name for spec in plugin_host().registry.streams]


def test_streams_take_transform_and_paths_are_left_to_the_shell(pressed):
    assert pressed("run", "-s", "digits", ":", "tr")[0] == "transform="
    assert pressed("run", "-s", "./fol") == []


def test_other_words_are_completed_too(pressed):
    assert pressed("run", "--order", "le") == ["leave-one-out"]
    assert pressed("run", "--grid", "l2sc.la") == ["l2sc.lam="]
    assert pressed("run", "--grid", "l2sc.lam", "=", "p") == ["paper"]
    assert pressed("data", "fetch", "web") == ["webkb4"]
    assert pressed("reproduce", "re") == ["reuters"]
    assert pressed("info", "nm") == ["nmi"]


def test_stored_runs_are_completed_by_label_and_id(folder, runs):
    assert completed("stored methods", "mi") == ["mine"]
    assert completed("stored streams", "") == ["t", "s:tasks=2", "s"]
    assert completed("stored runs", runs.ok.run_id[:4]) == [runs.ok.run_id[:10]]
    assert completed("stored methods", "", results="nowhere") == []


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_that_is_installed_loads_in_a_shell(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": path}
    loaded = {
        "bash": "lcbench --install-completion && . ~/.bashrc && complete -p lcbench",
        "zsh": "autoload -Uz compinit; compinit -u; lcbench --install-completion && . ~/.zfunc/_lcbench",
        "fish": "lcbench --install-completion; source ~/.config/fish/completions/lcbench.fish; "
        "complete -C 'lcbench run -m l2sc:la'",
    }[shell]
    done = subprocess.run([shell, "-c", loaded], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{shell} completion installed" in done.stdout
    assert shell != "fish" or "l2sc:lam=" in done.stdout
