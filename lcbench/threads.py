"""One BLAS and one OpenMP thread per run: times are fair, results repeat, and small problems run faster."""

from __future__ import annotations

import os
from typing import Any

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def set_thread_variables(threads: int) -> None:
    """Tell libraries that are not loaded yet; of use only before numpy is imported."""
    for variable in VARIABLES:
        os.environ[variable] = str(threads)


class ThreadLimit:
    """Inside `with` the libraries that are loaded when this is made use `threads` threads; may be entered again."""

    def __init__(self, threads: int) -> None:
        import sklearn.cluster  # noqa: F401  so that its OpenMP runtime is among them
        from threadpoolctl import ThreadpoolController

        self._controller: Any = ThreadpoolController()
        self._threads = threads
        self._active: list[Any] = []

    def __enter__(self) -> None:
        limiter = self._controller.limit(limits=self._threads)
        limiter.__enter__()
        self._active.append(limiter)

    def __exit__(self, *exc: object) -> None:
        self._active.pop().__exit__(*exc)
