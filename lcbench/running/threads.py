"""Limits the BLAS and OpenMP threads of a run, by default to one.

So times are fair, results can be repeated, and small problems run faster.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
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

        self._controller = _controller(len(sys.modules))
        self._threads = threads
        self._active: list[Any] = []

    def __enter__(self) -> None:
        limiter = self._controller.limit(limits=self._threads)
        limiter.__enter__()
        self._active.append(limiter)

    def __exit__(self, *exc: object) -> None:
        self._active.pop().__exit__(*exc)


@lru_cache(maxsize=1)
def _controller(modules: int) -> Any:
    """The loaded libraries, cached by the number of imported modules: only an import can load new ones."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
