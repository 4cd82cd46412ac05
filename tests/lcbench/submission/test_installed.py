from __future__ import annotations

import hashlib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from small_suite import make_wheel

from lcbench.errors import SubmissionError
from lcbench.running.provenance import code_hash
from lcbench.submission.installed import requirements_of, wheel_hash


def test_requirements_are_those_needed_directly_or_not_at_the_versions_installed():
    found = dict(text.split("==") for text in requirements_of("lcbench"))
    assert found["numpy"] == version("numpy")
    assert found["joblib"] == version("joblib")
    assert "requests" in found, "pooch needs it"
    assert not {"lcbench", "pytest", "pandas", "river"} & set(found), "only extras need these"
    assert list(found) == sorted(found)


def install(name: str, *requirements: str) -> None:
    """A distribution of this name, as far as its metadata go, in the present folder."""
    folder = Path(f"{name}-1.0.dist-info")
    folder.mkdir()
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", "Provides-Extra: more"]
    lines += [f"Requires-Dist: {text}" for text in requirements]
    (folder / "METADATA").write_text("\n".join(lines) + "\n")


def test_extras_that_are_asked_for_markers_and_circles_are_followed(monkeypatch):
    install("one", "two[more]", "absent; python_version < '3'", "gone-from-here")
    install("two", "one", "three; extra == 'more'", "four; extra == 'other'")
    install("three")
    install("four")
    monkeypatch.syspath_prepend(".")
    assert requirements_of("One") == ["three==1.0", "two==1.0"]
    assert requirements_of("three") == []


def test_a_wheel_with_the_code_that_made_the_runs_has_its_hash():
    wheel = make_wheel(Path("code.whl"))
    found = wheel_hash(wheel, "lcbench_baselines", code_hash("lcbench_baselines"))
    assert found == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_a_wheel_of_one_module_is_hashed_as_an_installed_one(monkeypatch):
    Path("one_module_method.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(".")
    with zipfile.ZipFile("one.whl", "w") as archive:
        archive.write("one_module_method.py")
    assert wheel_hash(Path("one.whl"), "one_module_method", code_hash("one_module_method"))


@pytest.mark.parametrize("package", ["lcbench_baselines", "lcbench_indices"])
def test_a_wheel_with_other_code_or_without_the_package_is_refused(package):
    wheel = make_wheel(Path("code.whl"), kmeans="x = 1")
    with pytest.raises(SubmissionError, match=f"package '{package}' in it is another, or not there"):
        wheel_hash(wheel, package, code_hash(package))


def test_a_file_that_is_no_wheel_or_not_there_is_refused():
    Path("code.whl").write_text("no wheel")
    with pytest.raises(SubmissionError, match=r"'code\.whl' is no wheel"):
        wheel_hash(Path("code.whl"), "lcbench_baselines", "")
    with pytest.raises(SubmissionError, match=r"The wheel 'gone\.whl' cannot be read: No such file"):
        wheel_hash(Path("gone.whl"), "lcbench_baselines", "")
