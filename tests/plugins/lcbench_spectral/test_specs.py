from __future__ import annotations

import pytest

from lcbench_spectral.specs import L2SC


@pytest.mark.parametrize(("encoding", "note"), [("frozen", ""), ("current", "old tasks re-encoded when asked")])
def test_tables_say_that_l2sc_re_encodes_old_tasks_unless_their_encoding_is_frozen(encoding, note):
    assert L2SC.note_for({"encoding": encoding}) == note
