from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest
from one_file_plugins import HOOKS, METHOD

from lcbench.errors import PluginError
from lcbench.registry.building import build_method
from lcbench.registry.file_modules import served
from lcbench.registry.host import plugin_host
from lcbench.registry.plugin_files import load_plugin_files


def refusal(path) -> str:
    """The sentence with which a file is refused; nothing of it may stay."""
    before = {**served()}, [plugin.source for plugin in plugin_host().plugins], set(sys.modules)
    with pytest.raises(PluginError) as refused:
        load_plugin_files([str(path)])
    after = {**served()}, [plugin.source for plugin in plugin_host().plugins], set(sys.modules) & before[2]
    assert after == before
    assert Path(path).stem not in set(sys.modules) - before[2]
    assert refused.value.exit_code == 2
    return str(refused.value).replace(str(Path(path).parent) + os.sep, "")


def test_a_file_with_one_class_registers_a_method_of_its_name(plugin_file):
    load_plugin_files([plugin_file("shifting")])
    methods = plugin_host().registry.methods
    spec, source = methods["shifting"], methods.source("shifting")
    assert (spec.factory, spec.summary) == ("shifting:Shifted", "Labels by turns, a number further on")
    assert [p.name for p in spec.params] == ["shift"]
    assert (source.distribution, source.version) == ("file shifting.py", "")
    assert str(source) == f"plugin file '{source.file}'"
    assert build_method(spec.factory, {"shift": 2}, source).shift == 2
    plugin = plugin_host().plugins[-1]
    assert (plugin.names, plugin.problems, plugin.source) == (["shifting"], [], source)


def test_a_file_with_hooks_registers_by_them_and_hears_of_events(plugin_file):
    load_plugin_files([plugin_file("hooked", HOOKS)])
    host = plugin_host()
    assert host.plugins[-1].names == ["turns", "noise", "constant"]
    assert "hooked" not in host.registry.methods, "its class is registered by the hook alone"
    host.manager.hook.lcbench_run_finished(run=type("Run", (), {"label": "mine"}))
    assert importlib.import_module("hooked").HEARD == ["mine"]


def test_commands_come_too_late_and_a_warning_says_so(plugin_file, caplog):
    text = METHOD + "from lcbench import hookimpl\n@hookimpl\ndef lcbench_register_commands(app): pass\n"
    load_plugin_files([plugin_file("commanding", text)])
    assert "adds commands, which only an installed plugin can: they are left out." in caplog.text


def test_the_same_file_is_loaded_once_however_its_path_is_written(plugin_file, monkeypatch, tmp_path):
    load_plugin_files([plugin_file("once")])
    module, plugin = sys.modules["once"], plugin_host().plugins[-1]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    load_plugin_files(["once.py", "./once.py", "~/once.py", "../" + tmp_path.name + "/once.py"])
    assert sys.modules["once"] is module
    assert plugin_host().plugins[-1] is plugin


def test_a_link_has_the_name_of_the_link(plugin_file, tmp_path):
    (tmp_path / "linked.py").symlink_to(plugin_file("original"))
    load_plugin_files([str(tmp_path / "linked.py")])
    assert plugin_host().registry.methods["linked"].factory == "linked:Shifted"


def test_an_edited_file_replaces_what_it_registered(plugin_file):
    load_plugin_files([plugin_file("edited", HOOKS.replace("hooked:", "edited:"))])
    load_plugin_files([plugin_file("edited", METHOD)])
    host = plugin_host()
    assert "edited" in host.registry.methods
    assert not [name for name in ("turns", "noise", "constant") if name in host.registry.methods]
    assert "noise" not in host.registry.streams
    assert "constant" not in host.registry.metrics
    assert [plugin.names for plugin in host.plugins if plugin.source.file] == [["edited"]]
    assert [p for p in host.manager.get_plugins() if getattr(p, "__name__", "") == "edited"] == [sys.modules["edited"]]


def test_a_file_that_was_edited_and_is_wrong_now_leaves_what_was_loaded(plugin_file):
    load_plugin_files([path := plugin_file("spoilt", HOOKS.replace("hooked:", "spoilt:"))])
    module = sys.modules["spoilt"]
    for wrong in ("1 +", "raise SystemExit", METHOD.replace("class Shifted", "class _Shifted"), ""):
        plugin_file("spoilt", wrong)
        refusal(path)
        assert sys.modules["spoilt"] is module
        assert plugin_host().registry.methods["turns"].factory == "spoilt:Turns"
        assert module in plugin_host().manager.get_plugins()
        assert served()["spoilt"].text != wrong


def test_a_file_of_another_folder_takes_the_place_of_one_of_that_name_but_not_in_one_command(plugin_file, tmp_path):
    first = plugin_file("same")
    (tmp_path / "other").mkdir()
    second = str(tmp_path / "other" / "same.py")
    Path(second).write_text(METHOD.replace("shift=0", "shift=1"))
    with pytest.raises(PluginError, match=r"^Two plugin files are called same\.py: rename one of them\.$"):
        load_plugin_files([first, second])
    load_plugin_files([first])
    load_plugin_files([second])
    assert plugin_host().registry.methods["same"].params[0].default == 1


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("empty", "", "plugin file 'empty.py' cannot be used: it has neither a class that is a lcbench.Clusterer nor a "
         "hook of lcbench (marked @hookimpl)."),
        ("wrong", "x = 1\ny = (\n", "plugin file 'wrong.py' could not be loaded: SyntaxError: '(' was never closed "
         "(wrong.py:2)"),
        ("raising", "x = 1\n\nraise ValueError('one\\ntwo')\n", "plugin file 'raising.py' could not be loaded: "
         "ValueError: one two (raising.py:3)"),
        ("leaving", "import sys\nsys.exit(3)\n", "plugin file 'leaving.py' could not be loaded: SystemExit: 3 "
         "(leaving.py:2)"),
        ("endless", "def f(): f()\nf()\n", "plugin file 'endless.py' could not be loaded: RecursionError: maximum "
         "recursion depth exceeded (endless.py:1)"),
        ("speechless", "class E(Exception):\n    def __str__(self): raise self\nraise E\n", "plugin file "
         "'speechless.py' could not be loaded: E: it has no text (speechless.py:3)"),
        ("needy", "import no_such_module_at_all\n", "plugin file 'needy.py' could not be loaded: "
         "ModuleNotFoundError: No module named 'no_such_module_at_all' (needy.py:1)"),
        ("with-dash", METHOD, "The plugin file 'with-dash.py' has a name that Python cannot import: rename it, as in "
         "my_method.py."),
        ("random", METHOD, "plugin file 'random.py' has the name of another module, 'random', that can be imported: "
         "rename the file."),
        ("numpy", METHOD, "plugin file 'numpy.py' has the name of another module, 'numpy'"),
        ("lcbench_spectral", METHOD, "plugin file 'lcbench_spectral.py' has the name of another module"),
        ("kmeans", METHOD, "plugin file 'kmeans.py' registers the method 'kmeans', which is taken by plugin "
         "'baselines' of distribution 'lcbench': give yours another name."),
        ("_hidden", METHOD, "plugin file '_hidden.py' registers the method name '_hidden': a name starts with a "),
        ("misspelt", "from lcbench import hookimpl\n@hookimpl\ndef lcbench_register_method(register): pass\n", "plugin "
         "file 'misspelt.py' could not be loaded: there is no hook 'lcbench_register_method'. Did you mean "
         "'lcbench_register_methods'"),
        ("throwing", "from lcbench import hookimpl\n@hookimpl\ndef lcbench_register_methods(register): 1 / 0\n",
         "plugin file 'throwing.py' could not be loaded: ZeroDivisionError: division by zero"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_in_a_sentence(plugin_file, name, text, sentence):
    assert refusal(plugin_file(name, text)).startswith(sentence)


def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(tmp_path):
    made = {name: tmp_path / name for name in ("folder.py", "latin.py", "binary.py", "text.txt", "gone.py", "pipe.py")}
    made["folder.py"].mkdir()
    made["latin.py"].write_bytes(b"name = '\xe9'\n")
    made["binary.py"].write_bytes(b"\x7fELF\x00\x00")
    made["text.txt"].write_text(METHOD)
    os.mkfifo(made["pipe.py"])
    assert {name: refusal(path) for name, path in made.items()} == {
        "folder.py": "'folder.py' is a folder: --plugin takes one Python file. A package is installed with pip.",
        "latin.py": "The plugin file 'latin.py' is no text in UTF-8.",
        "binary.py": "plugin file 'binary.py' could not be loaded: SyntaxError: source code string cannot contain "
        "null bytes.",
        "text.txt": "'text.txt' does not end in .py: --plugin takes the path of a Python file.",
        "gone.py": "There is no plugin file 'gone.py'.",
        "pipe.py": "'pipe.py' is no plain file: --plugin takes the path of a Python file.",
    }


def test_a_path_that_leads_nowhere_is_refused_in_a_sentence():
    with pytest.raises(PluginError, match=r"^The plugin file '~nobody-at-all/m\.py' cannot be found \(.*\)\.$"):
        load_plugin_files(["~nobody-at-all/m.py"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights_is_refused_in_a_sentence(plugin_file):
    Path(path := plugin_file("locked")).chmod(0)
    assert refusal(path) == "The plugin file 'locked.py' cannot be read (Permission denied)."


@pytest.mark.parametrize(
    ("text", "what"),
    [("import helper\n", "'helper', which lies beside it"), ("from . import helper\n", "what lies beside it")],
)
def test_an_import_of_what_lies_beside_it_says_that_a_file_stands_alone(plugin_file, tmp_path, text, what):
    (tmp_path / "helper.py").write_text("")
    assert refusal(plugin_file("dependent", text)) == (
        f"plugin file 'dependent.py' could not be loaded: it imports {what} (dependent.py:1), and a plugin file stands "
        "alone. Put all into the one file, or make a package of it, as 'lcbench new' does."
    )


def test_a_file_on_the_import_path_is_no_other_module_but_one_that_was_imported_from_it_is(
    plugin_file, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(tmp_path))
    load_plugin_files([plugin_file("on_the_path")])
    assert "on_the_path" in plugin_host().registry.methods
    path = plugin_file("imported_before")
    importlib.import_module("imported_before")
    with pytest.raises(PluginError, match="has the name of another module, 'imported_before'"):
        load_plugin_files([path])
    del sys.modules["imported_before"]


def test_what_a_file_prints_when_it_is_imported_goes_to_standard_error(plugin_file, capsys):
    load_plugin_files([plugin_file("talking", METHOD + "print('hello')\n")])
    assert capsys.readouterr() == ("", "hello\n")


def test_ctrl_c_while_a_file_is_imported_is_no_fault_of_it(plugin_file):
    with pytest.raises(KeyboardInterrupt):
        load_plugin_files([plugin_file("stopped", "raise KeyboardInterrupt\n")])
    assert "stopped" not in served()


def test_a_coding_comment_is_heeded(tmp_path, plugin_file):
    path = Path(plugin_file("coded"))
    path.write_bytes(b"# -*- coding: latin-1 -*-\n" + METHOD.replace("by turns", "by t\xfcrns").encode("latin-1"))
    load_plugin_files([str(path)])
    assert "by türns" in plugin_host().registry.methods["coded"].summary
