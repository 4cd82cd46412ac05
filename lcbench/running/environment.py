"""Collects the facts about machine, packages and plugins that each run records.

They are no part of a run's id.
"""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lcbench.registry.host import plugin_host

PACKAGES = ("lcbench", "numpy", "scipy", "scikit-learn", "pluggy", "threadpoolctl")
STARTING_ENVIRONMENT = dict(os.environ)  # as it was before any method could hide something in it


@lru_cache(maxsize=1)
def environment_facts() -> dict[str, Any]:
    """Python, platform, package versions, plugins and numerical libraries of this process."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "packages": {name: package_version(name) for name in PACKAGES},
        "plugins": {
            f"{p.source.distribution}:{p.source.plugin}": p.source.version for p in plugin_host().plugins if p.names
        },
        "libraries": [{k: v for k, v in lib.items() if k != "num_threads"} for lib in native_libraries()],
    }


def package_version(name: str) -> str | None:
    """The installed version of a distribution, None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def native_libraries() -> list[dict[str, Any]]:
    """The BLAS and OpenMP libraries that are loaded, with their current numbers of threads."""
    import sklearn.cluster  # noqa: F401  loads its OpenMP runtime, and numpy's BLAS
    from threadpoolctl import threadpool_info

    keys = ("user_api", "internal_api", "version", "architecture", "num_threads")
    libraries = [{key: library.get(key) for key in keys} for library in threadpool_info()]
    return sorted(libraries, key=lambda library: (str(library["user_api"]), str(library["internal_api"])))
