from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lcbench.cli.app import build_app
from lcbench.testing.kit import CHECKS

invoke = CliRunner().invoke


def lines(*words: str, width: int = 100) -> tuple[int, list[str]]:
    result = invoke(build_app(), ["check", *words], env={"COLUMNS": str(width)})
    return result.exit_code, result.output.splitlines()


def test_every_check_has_a_line_and_the_last_line_counts_them():
    code, printed = lines("kmeans:n_init=1")
    assert code == 0
    assert printed[0] == "method kmeans:n_init=1"
    named = [line.split()[1] for line in printed[1:-1] if line.startswith(" passed")]
    assert named == [check.name for check in CHECKS["method"]]
    assert printed[-1] == "25 passed"
    assert max(map(len, printed)) <= 100


@pytest.mark.parametrize("width", [50, 200])
def test_what_a_check_wants_is_told_in_full_however_narrow_the_terminal_is(width):
    _, printed = lines("nmi", width=width)
    text = " ".join(" ".join(printed).split())
    assert all(f"{check.name} {' '.join(check.summary.split())}" in text for check in CHECKS["metric"])
    assert max(map(len, printed)) <= width


def test_skipped_checks_say_why_and_several_names_come_one_after_the_other():
    code, printed = lines("digits", "nmi")
    assert code == 0
    assert "stream digits" in printed
    assert "metric nmi" in printed
    at = next(i for i, line in enumerate(printed) if "check_digest" in line)
    assert printed[at].startswith(" skipped")
    assert "'digits-1' is no hash of tasks" in " ".join(printed[at + 1 : at + 4])


@pytest.fixture
def _a_metric_that_counts_in_percent(monkeypatch):
    from lcbench_broken.metrics import CountsInPercent

    import lcbench_indices.indices

    monkeypatch.setattr(lcbench_indices.indices, "Purity", CountsInPercent)


@pytest.mark.usefixtures("_a_metric_that_counts_in_percent")
def test_a_failure_has_its_reason_and_a_hint_and_the_exit_code_is_1():
    code, printed = lines("purity", width=60)
    assert code == 1
    text = re.sub(r"\s+", " ", " ".join(printed))
    assert "failed check_range" in text
    assert "It scores 100, outside of its range from 0 to 1. Write range=(lowest, highest) in the MetricSpec" in text
    assert "2 failed" in printed[-1]
    assert max(map(len, printed)) <= 60


def test_a_name_that_is_not_there_is_refused():
    result = invoke(build_app(), ["check", "l2cs"])
    assert "There is no method, stream or metric 'l2cs'. Did you mean 'l2sc'" in str(result.exception)


PLUGIN = """
from sklearn.cluster import KMeans
from lcbench import SingleTaskClusterer

class Mine(SingleTaskClusterer):
    def __init__(self, *, random_state=0):
        self.random_state = random_state

    def predict(self, task):
        return KMeans(task.n_clusters, n_init=1, random_state=self.random_state).fit_predict(task.X{})
"""


def test_without_names_all_that_a_plugin_file_registers_is_checked(plugin_file):
    code, printed = lines("--plugin", plugin_file("mine", PLUGIN.format("")))
    assert (code, printed[0], printed[-1]) == (0, "method mine", "25 passed")


def test_a_fault_that_fails_many_checks_is_told_once_without_hints_that_do_not_fit(plugin_file):
    code, printed = lines("--plugin", plugin_file("faulty", PLUGIN.format(".missing")), width=150)
    assert code == 1
    assert sum("AttributeError" in line for line in printed) == 1
    told = next(i for i, line in enumerate(printed) if "AttributeError" in line)
    assert "(faulty.py:10)" in printed[told]
    assert printed[told - 1].startswith(" failed   check_labels")
    assert sum("as check_labels" in line for line in printed) > 10
    assert not any("Use logging" in line for line in printed)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("print('noise')", 1),  # a check says so: standard output is for results
        ("print('noise', file=sys.stderr)", 0),
        ("os.write(2, b'noise')", 0),
        ("subprocess.run(['sh', '-c', 'echo noise >&2'])", 0),
    ],
)
def test_what_a_method_prints_is_not_shown(plugin_file, capfd, statement, told):
    loud = PLUGIN.format("").replace("        return", f"        {statement}\n        return")
    file = plugin_file("loud", f"import os, subprocess, sys\n{loud}")
    printed = "".join(lines("--plugin", file)[1])
    assert printed.count("noise") == told
    assert "noise" not in "".join(capfd.readouterr())


def test_data_that_are_not_available_are_no_fault_of_a_stream(command, monkeypatch):
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")
    monkeypatch.setenv("LCBENCH_CACHE", str(Path("empty").absolute()))
    called = command("check", "webkb4")
    assert (called.code, called.out) == (3, "")
    assert called.err.startswith("lcbench: The data of 'webkb4' are not available. Tried:\n  the cache: ")


def test_names_that_a_file_or_folder_has_are_hinted_at():
    Path("mine.py").write_text("")
    Path("here").mkdir()
    for words, sentence in [
        (["mine"], "For that of the file say --plugin ./mine.py."),
        (["here"], "For the folder of that name write './here'."),
        ([], "Nothing to check: name a method, stream or metric, or a file by --plugin."),
    ]:
        assert sentence in str(invoke(build_app(), ["check", *words]).exception)
