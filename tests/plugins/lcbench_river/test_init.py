from __future__ import annotations

import os
import subprocess
import sys

import pytest

import lcbench
import lcbench_river
from lcbench import LcbenchError, MethodSpec
from lcbench_river import river_spec
from lcbench_river.adapter import river_method

SPECS: list[MethodSpec] = []
lcbench_river.lcbench_register_methods(SPECS.append)


def test_the_method_of_the_package_is_registered():
    assert [spec.name for spec in SPECS] == ["river-kmeans"]


def test_its_card_says_what_is_ours_and_that_no_labels_were_used():
    assert "which is ours" in SPECS[0].provenance
    assert "without labels" in SPECS[0].provenance


def test_the_class_of_the_adapter_is_there_when_asked_for():
    assert lcbench_river.River.__name__ == "River"
    with pytest.raises(AttributeError, match="no attribute 'Lake'"):
        lcbench_river.Lake  # noqa: B018


def test_a_spec_has_the_parameters_of_the_adapter_and_those_of_the_clusterer():
    spec = river_spec("dbstream", "river.cluster:DBSTREAM", summary="density", clustering_threshold=8.0, width=2)
    defaults = {param.name: param.default for param in spec.params}
    assert (defaults["clustering_threshold"], defaults["width"], defaults["directions"]) == (8.0, 2, 64)
    assert "river.cluster.DBSTREAM" in spec.provenance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "ends", "said"),
    [
        ("list methods", 0, "river-kmeans"),
        ("info river-kmeans", 0, "halflife"),
        ("run -m river-kmeans -s digits:tasks=2,per_class=5 --no-solo", 1, "pip install 'lcbench[river]'"),
    ],
)
def test_without_river_the_method_is_listed_and_shown_and_a_run_says_what_to_install(words, ends, said, tmp_path):
    (tmp_path / "river.py").write_text("raise ModuleNotFoundError('No module named river', name='river')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "lcbench", *words.split()],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert said in done.stdout + done.stderr
    assert done.returncode == ends


def test_a_missing_river_is_named_in_one_sentence_and_another_missing_module_is_not_called_river(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    for loaded in ("river.cluster", "lcbench_river.kmeans"):
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    with pytest.raises(LcbenchError, match=r"^river\.cluster\.KMeans needs river: pip install 'lcbench\[river\]'\.$"):
        lcbench.load_method("river-kmeans")
    with pytest.raises(ModuleNotFoundError, match="no_such_river"):
        river_method("no_such_river:KMeans")
