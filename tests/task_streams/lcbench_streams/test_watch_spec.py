from __future__ import annotations

from lcbench_streams.watch_spec import LENGTHS, RAW, SHORTEST, WATCH, sizes


def test_two_arms_of_ten_people_do_seven_exercises():
    assert sum(RAW.counts.values()) == 140
    assert [tuple(arm.split("/")) for arm in LENGTHS] == [
        (str(person), arm) for person in range(1, 11) for arm in ("left", "right")
    ]


def test_there_are_twenty_tasks_of_69_to_153_windows():
    samples = [shape.samples for shape in WATCH.shapes({"tasks": 20, "window": 100})]
    assert (len(samples), min(samples), max(samples)) == (20, 69, 153)


def test_a_window_may_be_as_long_as_the_shortest_recording():
    window = next(param for param in WATCH.params if param.name == "window")
    assert window.maximum == SHORTEST == 947
    longest = sizes({"tasks": 20, "window": SHORTEST})
    assert min(n for task in longest.values() for n in task.values()) == 1


def test_the_card_says_that_the_file_is_a_pickle():
    assert any(note.startswith("The file is a pickle") for note in WATCH.card.notes)
