from __future__ import annotations

import pytest

from lcbench.audit.modes import MODES, checked_modes
from lcbench.errors import ParameterError


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ((), ("measure",)),
        ("poison", ("measure", "poison")),
        (("poison", "isolate", "poison"), ("measure", "isolate", "poison")),
        (MODES, MODES),
    ],
)
def test_measure_is_always_done_and_every_audit_once(asked, done):
    assert checked_modes(asked) == done


def test_an_unknown_audit_is_refused_with_the_one_that_was_meant():
    with pytest.raises(ParameterError, match=r"no audit 'poisson'\. Did you mean 'poison'"):
        checked_modes(["poisson"])
