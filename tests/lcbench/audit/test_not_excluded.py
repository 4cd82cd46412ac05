from __future__ import annotations

import pytest

from lcbench.audit.not_excluded import MEASURED, PRIVATE, SEALED, SHARED, WITHIN, not_excluded

PASSED = {"passed": True}


@pytest.mark.parametrize(
    ("audit", "sealed", "places"),
    [
        ({"measure": {}}, False, MEASURED),
        ({"measure": {}}, True, MEASURED),
        ({"poison": PASSED}, True, MEASURED),
        ({"isolate": {"passed": None, "reason": "a class of a notebook"}}, False, MEASURED),
        ({"isolate": PASSED}, False, SHARED),
        ({"isolate": {**PASSED, "private_folders": False}}, False, SHARED),
        ({"isolate": {**PASSED, "private_folders": True}}, False, PRIVATE),
        ({"isolate": {**PASSED, "private_folders": False}}, True, SEALED),
    ],
    ids=str,
)
def test_isolate_excludes_more_with_private_folders_and_most_when_sealed(audit, sealed, places):
    assert not_excluded(audit, sealed=sealed) == (*places, WITHIN)
