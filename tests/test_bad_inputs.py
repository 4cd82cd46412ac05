"""Whatever is typed, written into a file or set as a variable: a sentence and the right exit code, nothing else."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

COUNT, SEED = 150, 18


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pipes and devices are named as on Linux")
def test_a_sample_of_bad_inputs_is_answered_with_a_sentence_and_the_right_exit_code(tmp_path):
    spec = importlib.util.spec_from_file_location("bad_inputs", Path(__file__).with_name("bad_inputs.py"))
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    codes, faults = script.check(COUNT, SEED, tmp_path)
    assert faults == []
    assert codes.total() == COUNT
    assert codes[2] > COUNT / 2  # most are refused: the inputs are bad
