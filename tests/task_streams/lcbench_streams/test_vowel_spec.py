from __future__ import annotations

from lcbench_streams.vowel_spec import RAW, VOWEL, sizes


def test_fifteen_speakers_say_eleven_vowels_six_times():
    assert sum(RAW.counts.values()) == 990
    shapes = VOWEL.shapes({"tasks": 15})
    assert {(s.samples, s.features, s.clusters) for s in shapes} == {(66, 20, 11)}
    assert len(shapes) == 15
    assert {key: n for task in sizes(15) for key, n in task.items()} == RAW.counts
