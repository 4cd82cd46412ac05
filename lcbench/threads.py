"""One BLAS and one OpenMP thread per run: times are fair, results repeat, and small problems run faster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def thread_limit(threads: int) -> Iterator[None]:
    """Limit the libraries that are loaded."""
    import sklearn.cluster  # noqa: F401  so that its OpenMP runtime is among them
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=threads):
        yield
