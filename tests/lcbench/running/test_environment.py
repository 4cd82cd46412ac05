from __future__ import annotations

import json
import platform
import subprocess
import sys

import numpy as np
import scipy
import sklearn

import lcbench
from lcbench.running.environment import environment_facts, native_libraries, package_version


def test_versions_are_those_that_the_packages_give_themselves():
    packages = environment_facts()["packages"]
    assert packages["numpy"] == np.__version__
    assert packages["scipy"] == scipy.__version__
    assert packages["scikit-learn"] == sklearn.__version__
    assert packages["lcbench"] == lcbench.__version__
    assert environment_facts()["python"] == platform.python_version()


def test_a_package_that_is_not_installed_has_no_version():
    assert package_version("there-is-no-such-package") is None


def test_plugins_that_registered_something_are_named_with_their_version():
    plugins = environment_facts()["plugins"]
    assert {name for name in plugins if name.startswith("lcbench:")} >= {"lcbench:spectral", "lcbench:streams"}
    assert plugins["lcbench:spectral"] == lcbench.__version__


def test_facts_can_be_written_as_json_and_do_not_depend_on_threads():
    facts = json.loads(json.dumps(environment_facts()))
    assert facts == environment_facts()
    assert facts["libraries"]
    assert not any("num_threads" in library for library in facts["libraries"])


def test_the_libraries_of_numpy_and_scikit_learn_are_found():
    assert {library["user_api"] for library in native_libraries()} == {"blas", "openmp"}
    assert all(library["num_threads"] >= 1 for library in native_libraries())


def test_the_starting_environment_does_not_follow_later_changes():
    """A method could hide data in an environment variable; fresh processes start without it."""
    code = """
import os
import lcbench.running.single_run  # what every run imports first
from lcbench.running.environment import STARTING_ENVIRONMENT
os.environ["LCBENCH_SECRETS"] = "data"
print("LCBENCH_SECRETS" in STARTING_ENVIRONMENT, "PATH" in STARTING_ENVIRONMENT)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False True"
