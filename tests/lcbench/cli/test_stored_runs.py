from __future__ import annotations

from pathlib import Path

import pytest
from making import make_record, make_results

from lcbench.cli.stored_runs import find_run, load_selection
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.records.index import Index

RESULTS = "lcbench-results"


@pytest.mark.parametrize(
    ("filters", "expected"),
    {
        "-m m": "ok crashed",
        "-m mine": "ok crashed",
        "-m theirs -m mine": "ok failed crashed",
        "-m other": "failed",
        "-m mi": "",
        "-s s": "ok failed",
        "-s s:tasks=2 -m m": "ok",
        "-s t": "crashed",
        "--status failed --status crashed": "failed crashed",
        "--status timeout": "",
    }.items(),
)
def test_filters_choose_runs(command, folder, runs, filters, expected):
    called = command("results", "list", "--json", *filters.split())
    assert {run["run_id"] for run in called.runs} == {getattr(runs, name).run_id for name in expected.split()}
    assert (called.code, called.err) == (0, "" if expected else f"None of the 3 runs in '{RESULTS}' fits.\n")


@pytest.mark.parametrize("option", ["--method", "--stream"])
def test_a_name_that_is_the_label_of_a_run_chooses_no_variant_of_it(command, folder, option):
    make_results(plain := make_record("m", params={"lam": 2.0}, stream="m"))
    make_results(make_record("m:lam=3", params={"lam": 3.0}, stream="m", stream_label="m:tasks=2"))
    called = command("results", "list", "--json", option, "m")
    assert [run["run_id"] for run in called.runs] == [plain.run_id]


@pytest.mark.parametrize("verb", ["list", "export -", "remove --yes"])
def test_a_status_that_no_run_can_have_is_refused(command, kept, verb):
    sentence = "--status takes one of ok, failed, timeout, out-of-memory, crashed, not 'finished'."
    assert command("results", *verb.split(), "--status", "finished") == (2, "", f"lcbench: {sentence}\n")
    assert len(kept()) == 3


@pytest.mark.parametrize("options", ["", "--all", "--json"])
def test_listing_an_empty_folder_says_so_and_is_no_failure(command, tmp_path, options):
    called = command("results", "list", "--results", str(tmp_path), *options.split())
    assert called == (0, "", f"'{tmp_path}' holds no runs.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["list", "show abcd", "export x.csv", "remove --all"])
def test_a_folder_that_is_not_there_is_refused_and_not_made(command, verb):
    advice = "--results names the one that holds your runs, and 'lcbench run' makes some."
    assert command("results", *verb.split()) == (2, "", f"lcbench: There is no folder '{RESULTS}': {advice}\n")
    assert list(Path.cwd().iterdir()) == []
    Path(RESULTS).write_text("")
    assert command("results", *verb.split()) == (2, "", f"lcbench: '{RESULTS}' is no folder: {advice}\n")


@pytest.mark.parametrize(
    ("prefix", "sentence"),
    [
        ("", "Give at least 4 characters of a run's id, not ''."),
        ("abc", "Give at least 4 characters of a run's id, not 'abc'."),
        ("zzzz", f"There is no run 'zzzz' in '{RESULTS}': 'lcbench results list' has the ids."),
    ],
)
@pytest.mark.parametrize("verb", ["show", "remove"])
def test_an_id_that_names_no_run_is_refused(command, folder, verb, prefix, sentence):
    assert command("results", verb, prefix) == (2, "", f"lcbench: {sentence}\n")


def test_an_id_may_be_shortened_as_long_as_it_names_one_run():
    index = Index({f"abcd{n}".ljust(64, "0"): None for n in range(6)}, {})
    assert find_run(index, "ABCD3", "r") == f"abcd3{'0' * 59}"
    with pytest.raises(
        ParameterError, match=r"'abcd' fits 6 runs \(abcd0\w+, abcd1.*, \.\.\.\): give more of the id\."
    ):
        find_run(index, "abcd", "r")


@pytest.mark.parametrize("against", [None, "other"])
def test_what_is_compared_with_is_loaded_beside_the_methods_that_are_named(against):
    baseline = make_record("base", setting="single-task")
    make_results(baseline, make_record("new", baseline=baseline.run_id), make_record("other"))
    selection = load_selection(RESULTS, ["new"], None, against=against)
    assert sorted(record.label for record in selection.runs) == sorted(filter(None, ["new", against]))
    (new,) = (run for run in selection.runs if run.label == "new")
    assert selection.baseline_of(new).label == "base"


@pytest.mark.parametrize("candidates", [False, True])
def test_the_name_of_a_method_means_its_variants_too_where_points_of_grids_are_asked_for(candidates):
    make_results(*(make_record(label, params={"lam": len(label)}) for label in ("l2sc", "l2sc:lam=9")))
    found = load_selection(RESULTS, ["l2sc"], None, candidates=candidates)
    assert sorted(run.label for run in found.runs) == ["l2sc", "l2sc:lam=9"][: 1 + candidates]


@pytest.mark.parametrize(
    ("methods", "streams", "error", "reason"),
    [
        (["min", "m"], None, UnknownNameError, r"for method 'min': none of the 3 runs in .* Did you mean 'mine'\?"),
        (None, ["u"], UnknownNameError, "nothing to show for stream 'u': none of the 3 runs"),
        (["theirs"], ["t"], ParameterError, "nothing to show: none of the 3 runs in '.*' fits"),
    ],
)
def test_a_selection_of_nothing_is_refused_with_the_reason(folder, methods, streams, error, reason):
    with pytest.raises(error, match=reason):
        load_selection(RESULTS, methods, streams)


def test_a_selection_from_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"nothing to show: '.*' holds no runs"):
        load_selection(str(tmp_path), ["any"], None)
