from __future__ import annotations

from lcbench_streams.watch_spec import LENGTHS, RAW, SHORTEST, WATCH, sizes


def test_two_arms_of_ten_people_do_seven_exercises():
    assert sum(RAW.counts.values()) == 140
    assert [tuple(arm.split("/")) for arm in LENGTHS] == [
        (str(person), arm) for person in range(1, 11) for arm in ("left", "right")
    ]


def test_a_window_may_be_as_long_as_the_shortest_recording():
    window = next(param for param in WATCH.params if param.name == "window")
    assert window.maximum == SHORTEST == 947
    longest = sizes({"tasks": 20, "window": SHORTEST})
    assert min(n for task in longest.values() for n in task.values()) == 1


def test_the_card_says_what_is_unclear_about_the_terms_and_that_the_file_is_a_pickle():
    assert "is not said" in WATCH.card.licence
    notes = " ".join(WATCH.card.notes)
    assert all(word in notes for word in ("For: ", "Cut: ", "No look-ahead", "The file is a pickle"))
    assert WATCH.looks_ahead is False
    assert WATCH.digest == f"watch-1-{RAW.digest}"
