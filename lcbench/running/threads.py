"""Limits the BLAS and OpenMP threads of a run, by default to one.

So times are fair, results can be repeated, and small problems run faster.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from itertools import islice
from typing import Any

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def set_thread_variables(threads: int) -> None:
    """Set the environment variables that libraries read when loaded: of use only before numpy is imported."""
    for variable in VARIABLES:
        os.environ[variable] = str(threads)


class ThreadLimit:
    """Inside `with` the libraries loaded when this was made use `threads` threads; may be entered again."""

    def __init__(self, threads: int) -> None:
        import sklearn.cluster  # noqa: F401  loads its OpenMP runtime, so that it is limited too

        self._libraries = _controller().lib_controllers
        self._threads = threads
        self._before: list[list[int]] = []

    def __enter__(self) -> None:
        self._before.append([library.get_num_threads() for library in self._libraries])
        self._set([self._threads] * len(self._libraries))

    def __exit__(self, *exc: object) -> None:
        self._set(self._before.pop())

    def _set(self, threads: list[int]) -> None:
        for library, number in zip(self._libraries, threads, strict=True):
            library.set_num_threads(number)


_found: tuple[int, Any] | None = None  # the number of modules when the libraries were last looked for, and those found


def _controller() -> Any:
    """The loaded libraries, looked for again if compiled modules were imported since: only these can load new ones.

    Looks at new modules alone: to touch all of them would copy their memory in a fork.
    """
    global _found
    from threadpoolctl import ThreadpoolController

    count = len(sys.modules)
    if _found is None or count < _found[0] or any(map(_is_compiled, _newest(count - _found[0]))):
        _found = count, ThreadpoolController()
    else:
        _found = count, _found[1]
    return _found[1]


def _newest(count: int) -> list[Any]:
    """The modules that were imported last."""
    return list(islice(reversed(sys.modules.values()), count))


def _is_compiled(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.endswith((".so", ".pyd"))


def known_libraries() -> list[dict[str, Any]]:
    """The libraries that are loaded, with the numbers of threads that they had when first looked at."""
    import sklearn.cluster  # noqa: F401  loads its OpenMP runtime, and numpy's BLAS

    return _described(_controller())


@lru_cache(maxsize=1)
def _described(_: Any) -> list[dict[str, Any]]:
    return native_libraries()


def native_libraries() -> list[dict[str, Any]]:
    """The BLAS and OpenMP libraries that are loaded, with their current numbers of threads."""
    import sklearn.cluster  # noqa: F401  loads its OpenMP runtime, and numpy's BLAS

    keys = ("user_api", "internal_api", "version", "architecture", "num_threads")
    libraries = [{key: library.get(key) for key in keys} for library in _controller().info()]
    return sorted(libraries, key=lambda library: [str(library[key]) for key in keys[:3]])
