from __future__ import annotations

import hashlib
import importlib
import inspect
import subprocess
import sys
import traceback

import pytest

from lcbench.registry import file_modules
from lcbench.registry.file_modules import SourceFile, serve, served, withdraw

TEXT = "def f():\n    return 1 / 0  # here\n"


@pytest.fixture
def served_text(tmp_path):
    file = SourceFile(str(tmp_path / "from_text.py"), TEXT)
    serve({"from_text": file})
    yield file
    withdraw("from_text")


def test_a_module_is_made_from_the_text_though_there_is_no_file(served_text):
    module = importlib.import_module("from_text")
    assert (module.__name__, module.__file__, module.__package__) == ("from_text", served_text.path, "")
    assert served() == {"from_text": served_text}


@pytest.mark.parametrize("on_disk", [None, "another = 'text'\n" * 5], ids=["no file", "an edited file"])
def test_tracebacks_and_inspect_show_the_lines_of_the_text(served_text, on_disk, tmp_path):
    if on_disk is not None:
        (tmp_path / "from_text.py").write_text(on_disk)
    module = importlib.import_module("from_text")
    assert inspect.getsource(module.f) == TEXT
    with pytest.raises(ZeroDivisionError) as raised:
        module.f()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].line == "return 1 / 0  # here"


def test_no_bytecode_is_written(served_text, tmp_path):
    importlib.import_module("from_text")
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_is_served_anew_is_imported_anew(served_text):
    first = importlib.import_module("from_text")
    serve({"from_text": served_text._replace(text="g = 2\n")})
    second = importlib.import_module("from_text")
    assert (second.g, second is first) == (2, False)


def test_what_is_withdrawn_cannot_be_imported(served_text):
    importlib.import_module("from_text")
    withdraw("from_text")
    withdraw("from_text")
    assert importlib.util.find_spec("from_text") is None


def test_it_comes_before_a_file_on_the_import_path(served_text, tmp_path, monkeypatch):
    (tmp_path / "from_text.py").write_text("def f(): return 'from disk'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert inspect.getsource(importlib.import_module("from_text")) == TEXT


def test_the_hash_is_that_of_the_text(served_text):
    assert served_text.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()


def test_it_loads_no_plugin_host_and_nothing_heavy():
    code = f"import {file_modules.__name__}, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pluggy", "lcbench.registry.host"} & set(loaded)
