from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lcbench.cli.stored_runs import Filters, find_run, load_selection
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.records.index import Index
from lcbench.records.store import RunStore


def ids(folder):
    return {path.stem for path in (folder / "runs").iterdir()}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (("--method", "m"), {"ok", "crashed"}),
        (("--method", "mine"), {"ok", "crashed"}),
        (("--method", "theirs", "--method", "mine"), {"ok", "failed", "crashed"}),
        (("--stream", "s"), {"ok", "failed"}),
        (("--stream", "s:tasks=2", "-m", "m"), {"ok"}),
        (("--status", "failed", "--status", "crashed"), {"failed", "crashed"}),
        (("--status", "timeout"), set()),
        (("--method", "mi"), set()),
        (("--method", "other"), {"failed"}),
        (("--stream", "t"), {"crashed"}),
    ],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
def test_filters_choose_runs(command, folder, filters, expected, runs):
    called = command("results", "list", "--json", *filters)
    assert called.code == 0
    assert {run["run_id"] for run in called.runs} == {getattr(runs, name).run_id for name in expected}
    assert called.err == ("" if expected else "None of the 3 runs in 'lcbench-results' fits.\n")


def test_a_name_that_is_the_label_of_a_run_chooses_no_variant_of_it(command, folder, make_record):
    RunStore(folder).save(plain := make_record(label="m", params={"lam": 2.0}, stream_label="s"))
    for option in (("--method", "m"), ("--stream", "s")):
        called = command("results", "list", "--json", *option)
        assert [run["run_id"] for run in called.runs] == [plain.run_id]


@pytest.mark.parametrize("verb", [("list",), ("export", "-"), ("remove", "--yes")], ids=" ".join)
def test_a_status_that_no_run_can_have_is_refused(command, folder, verb):
    called = command("results", *verb, "--status", "finished")
    assert (called.code, called.out) == (2, "")
    sentence = "--status takes one of ok, failed, timeout, out-of-memory, crashed, not 'finished'."
    assert called.err == f"lcbench: {sentence}\n"
    assert len(ids(folder)) == 3


@pytest.mark.parametrize(
    "options",
    [(), ("--all",), ("--json",)],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
def test_listing_an_empty_folder_says_so_and_is_no_failure(command, tmp_path, options):
    called = command("results", "list", "--results", str(tmp_path), *options)
    assert (called.code, called.out, called.err) == (0, "", f"'{tmp_path}' holds no runs.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", [("list",), ("show", "abcd"), ("export", "x.csv"), ("remove", "--all")], ids=" ".join)
def test_a_folder_that_is_not_there_is_refused_and_not_made(command, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    called = command("results", *verb)
    sentence = "--results names the one that holds your runs, and 'lcbench run' makes some."
    assert (called.code, called.out) == (2, "")
    assert called.err == f"lcbench: There is no folder 'lcbench-results': {sentence}\n"
    assert list(tmp_path.iterdir()) == []


def test_an_id_may_be_shortened_as_long_as_it_names_one_run(command, folder, runs):
    assert command("results", "show", runs.ok.run_id[:4].upper(), "--json").code == 0
    for prefix, sentence in {
        "": "Give at least 4 characters of a run's id, not ''.",
        runs.ok.run_id[:3]: f"Give at least 4 characters of a run's id, not '{runs.ok.run_id[:3]}'.",
        "zzzz": "There is no run 'zzzz' in 'lcbench-results': 'lcbench results list' has the ids.",
        runs.ok.run_id + "0": f"There is no run '{runs.ok.run_id}0'",
    }.items():
        for verb in ("show", "remove"):
            called = command("results", verb, prefix)
            assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
            assert sentence in called.err


def test_an_id_that_fits_several_runs_is_refused_with_ids_that_tell_them_apart(command, folder, runs):
    def two_with_the_same_start():
        seen = {}
        for seed in range(100_000):
            run = replace(runs.ok, seed=seed)
            if run.run_id[:4] in seen:
                return seen[run.run_id[:4]], run
            seen[run.run_id[:4]] = run
        raise AssertionError("no two alike")

    pair = two_with_the_same_start()
    for run in pair:
        RunStore(folder).save(run)
    called = command("results", "show", pair[0].run_id[:4])
    assert (called.code, called.out) == (2, "")
    assert f"'{pair[0].run_id[:4]}' fits 2 runs" in called.err
    assert all(run.run_id[:10] in called.err for run in pair)


def test_ids_that_share_a_long_start_are_named_up_to_where_they_differ():
    alike = [f"abcdabcdabcd{n}{'0' * 51}" for n in range(6)]
    with pytest.raises(ParameterError) as refused:
        find_run(Index(dict.fromkeys(alike), {}), "ABCD", "r")
    named = "abcdabcdabcd0, abcdabcdabcd1, abcdabcdabcd2, abcdabcdabcd3, abcdabcdabcd4, ..."
    assert str(refused.value) == f"'ABCD' fits 6 runs ({named}): give more of the id."
    assert find_run(Index(dict.fromkeys(alike), {}), alike[3][:13], "r") == alike[3]


def test_a_baseline_that_the_filters_leave_out_is_loaded_to_compare_with_and_not_shown(folder, make_record):
    baseline = make_record(method="base", label="base", setting="single-task")
    run = make_record(method="new", label="new", baseline=baseline.run_id)
    for record in (baseline, run):
        RunStore(folder).save(record)
    selection = load_selection(str(folder), Filters.of(["new"], None, None), ["new"])
    assert [record.run_id for record in selection.runs] == [run.run_id]
    assert selection.baseline_of(selection.runs[0]).label == "base"


@pytest.mark.parametrize("candidates", [False, True])
def test_the_name_of_a_method_means_its_variants_too_where_points_of_grids_are_asked_for(
    folder, make_record, candidates
):
    for lam in (1.0, 2.0):
        label = "l2sc" if lam == 1 else f"l2sc:lam={lam:g}"
        RunStore(folder).save(make_record(method="l2sc", label=label, params={"lam": lam}))
    found = load_selection(str(folder), Filters.of(["l2sc"], None, None), ["l2sc"], candidates=candidates)
    assert sorted(run.params["lam"] for run in found.runs) == ([1.0, 2.0] if candidates else [1.0])


def test_a_selection_of_nothing_is_refused_with_the_reason(folder, tmp_path):
    with pytest.raises(UnknownNameError, match=r"for method 'min': none of the 3 runs in .* Did you mean 'mine'\?"):
        load_selection(str(folder), Filters.of(["min", "m"], None, None), ["min", "m"])
    with pytest.raises(UnknownNameError, match="nothing to show for stream 'u': none of the 3 runs"):
        load_selection(str(folder), Filters.of(None, ["u"], None), None)
    with pytest.raises(ParameterError, match=r"nothing to show: none of the 3 runs in '.*' fits"):
        load_selection(str(folder), Filters.of(["theirs"], ["t"], None), ["theirs"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParameterError, match=r"nothing to show: '.*empty' holds no runs"):
        load_selection(str(tmp_path / "empty"), Filters.of(["any"], None, None), ["any"])


def test_a_file_is_no_results_folder(command):
    Path("results.txt").write_text("")
    called = command("results", "list", "--results", "results.txt")
    assert called.code == 2
    assert called.err.startswith("lcbench: 'results.txt' is no folder: --results names the one that holds your runs")
