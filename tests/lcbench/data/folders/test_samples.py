from __future__ import annotations

import pytest

from lcbench.data.folders import samples as module
from lcbench.data.folders.samples import check_size
from lcbench.errors import InvalidTaskError


def test_a_file_of_exactly_the_limit_is_allowed_and_one_byte_more_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 12_345)
    check_size(12_345, "./mine/a.npz")
    with pytest.raises(InvalidTaskError, match=r"^'\./mine/a\.npz' unpacks to 12,346 bytes, more than the 12,345 that"):
        check_size(12_346, "./mine/a.npz")


def test_the_limit_is_eight_gibibytes():
    check_size(8_589_934_592, "a.npz")
    with pytest.raises(InvalidTaskError, match="split it into tasks"):
        check_size(8_589_934_593, "a.npz")
