from __future__ import annotations

from dataclasses import replace

from compared_runs import nmi_run
from making import make_solos

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.joining import join_selections, short_names
from lcbench.analysis.selection import select


def labels(selection):
    return {stream.label: [method.label for method in stream.methods] for stream in selection.streams}


def test_a_method_whose_runs_are_the_same_counts_once_and_one_that_differs_is_told_apart_by_the_folder():
    same = nmi_run("base", (0.5, 0.5))
    joined = join_selections(
        {"old": select([same, nmi_run("ours", (0.5, 0.6))]), "new": select([same, nmi_run("ours", (0.7, 0.8))])}
    )
    assert labels(joined) == {"s": ["base", "ours (old)", "ours (new)"]}
    found = compare_methods(joined, ["nmi"], against="ours (old)").streams[0]
    assert found.scores["ours (new)", "nmi", None].mean == 0.75
    assert abs(found.differences["ours (new)", "nmi", None].mean - 0.2) < 1e-12


def test_what_is_in_one_folder_keeps_its_label_and_notes_say_from_which_folder_they_are():
    first = replace(select([nmi_run("a", (0.1, 0.2))]), notes=("left out.",))
    joined = join_selections({"x": first, "y": select([nmi_run("b", (0.1, 0.2), stream="t")])})
    assert labels(joined) == {"s": ["a"], "t": ["b"]}
    assert joined.notes == ("x: left out.",)


def test_other_data_under_the_same_label_are_another_stream():
    runs = [nmi_run("a", (0.1, 0.2), stream_digest=digest) for digest in "xy"]
    joined = join_selections({"one": select(runs[:1]), "two": select(runs[1:])})
    assert labels(joined) == {"s (one)": ["a"], "s (two)": ["a"]}


def test_a_run_is_measured_against_the_solo_runs_of_its_own_folder():
    parts = {}
    for folder, alone in (("low", 0.1), ("high", 0.3)):
        run = nmi_run("ours", [[0.5, None], [0.5, 0.5 + alone]])
        parts[folder] = select([run], beside=make_solos(run, {"a": alone, "b": alone}, metric="nmi"))
    found = compare_methods(join_selections(parts), ["nmi"]).streams[0]
    solos = {label: round(own.solo, 9) for (label, _), own in found.transfer.items()}
    assert solos == {"ours (low)": 0.1, "ours (high)": 0.3}


def test_folders_are_called_by_the_last_part_of_their_path_if_that_tells_them_apart():
    assert short_names(["results/a", "b/"]) == ["a", "b"]
    assert short_names(["x/results", "y/results"]) == ["x/results", "y/results"]
