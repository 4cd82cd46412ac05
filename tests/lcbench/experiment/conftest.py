from __future__ import annotations

import pytest
from listening import Started


@pytest.fixture
def started() -> Started:
    return Started()
