"""The server's own program, as launching starts it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from lcbench.running.launching import START
from lcbench.running.server import carry_out
from lcbench.running.wire import ClosedError, PipeWire

SECONDS = 60


@pytest.fixture(scope="module")
def alone():
    """The program that becomes one process itself, as where there is no fork, and what it says when it is ready."""
    words = [sys.executable, "-P", "-c", START, json.dumps(sys.path), "-1", "0"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
    ) as process:
        wire = PipeWire(process.stdout, process.stdin)
        yield process, wire, wire.receive()[0]
        process.kill()


def test_it_says_which_libraries_it_has_and_how_much_memory_it_needs(alone):
    _, _, facts = alone
    assert {library["user_api"] for library in facts["libraries"]} == {"blas", "openmp"}
    assert facts["private_bytes"] is None or facts["private_bytes"] > 1_000_000


def test_it_ends_by_itself_when_lcbench_closes_its_pipe(alone):
    process, wire, _ = alone
    process.stdin.close()
    assert process.wait(SECONDS) == 0
    with pytest.raises(ClosedError):
        wire.receive()


class Closed:
    def receive(self):
        raise ClosedError("nobody there")


@pytest.mark.parametrize("role", ["method", "scoring"])
def test_a_process_whose_wire_is_closed_ends_with_an_exit_code(role):
    assert carry_out(role, Closed()) == 1


def test_what_every_process_needs_is_loaded_and_no_plugin_nor_pandas_which_a_method_may_import_as_ever():
    code = """
import sys
from lcbench.running.server import load
load()
print("numpy" in sys.modules, "sklearn.cluster" in sys.modules, "lcbench.running.harness" in sys.modules)
print([name for name in sys.modules if name.startswith(("lcbench_", "pandas"))])
import pandas
from sklearn.cluster import KMeans
print(KMeans(2, n_init=1).fit(pandas.DataFrame({"x": [0.0, 0.1, 9.0]})).feature_names_in_)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["True True True", "[]", "['x']"]
