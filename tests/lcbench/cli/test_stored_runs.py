from __future__ import annotations

from pathlib import Path

import pytest
from making import make_record, make_results

from lcbench.cli.stored_runs import Wanted, find_run, load_selection
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.records.index import Index
from lcbench.records.store import RunStore

RESULTS = "lcbench-results"


@pytest.mark.parametrize(
    ("filters", "expected"),
    {
        "-m m": "ok crashed",
        "-m mine": "ok crashed",
        "-m theirs -m mine": "ok failed crashed",
        "-m other": "failed",
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


@pytest.fixture
def edited(tmp_path, monkeypatch) -> list[str]:
    """The ids of runs on the folder `news` before and after an edit of its data, whose own name is in its settings."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data", "stream.toml").write_text('name = "news"')
    changes = {"stream": "news", "stream_label": "news:label=y", "stream_params": {"label": "y"}}
    runs = [make_record("m", stream_digest=f"folder-1-{each * 32}", **changes) for each in ("ab", "cd")]
    make_results(*runs)
    return [record.run_id for record in runs]


@pytest.mark.parametrize(
    ("name", "which"),
    {
        "news:label=y": (0, 1), "news": (0, 1), "./data": (0, 1), "./data:label=y": (0, 1),
        "news@ababab": (0,), "news:label=y@cdcdcd": (1,), "./data@ababab": (0,), "./data:label=y@cdcdcd": (1,),
        "./news": (0, 1),
    }.items(),
)  # fmt: skip
def test_a_stream_is_found_by_its_folder_and_by_the_id_of_its_data(command, edited, name, which):
    assert {run["run_id"] for run in command("results", "list", "--json", "-s", name).runs} == {
        edited[i] for i in which
    }


@pytest.mark.parametrize("verb", ["list", "list --json", "remove --yes"])
@pytest.mark.parametrize(("option", "name"), [("-s", "news@efefef"), ("-s", "./other"), ("-m", "n")])
def test_a_name_that_no_run_has_is_refused_by_those_that_list_and_remove(command, edited, verb, option, name):
    called = command("results", *verb.split(), option, name)
    assert called.code == 2
    assert called.err.startswith("lcbench: There is nothing to show for ")
    assert len(RunStore(RESULTS).index()) == len(edited)


def test_a_name_that_only_solo_runs_have_as_their_label_means_the_method(command):
    whole = make_record("m:lam=1", method="m", order=("a", "b"))
    make_results(whole, make_record("m", order=("a",), order_kinds=("solo",)))
    assert "m:lam=1" in command("compare", "-m", "m").out
    refused = command("compare", "--order", "solo")
    assert (refused.code, refused.err[:45]) == (2, "lcbench: Solo runs learned one task each and ")
    assert "m" in command("results", "list", "--order", "solo").out


def test_a_table_of_a_folder_is_of_the_data_that_it_holds_now_also_if_there_are_newer_runs_on_others(command, tmp_path):
    table = Path("shops", "mon.csv")
    table.parent.mkdir()
    labels = {}
    for name, first in (("old", "0"), ("new", "1"), ("old", "0")):
        table.write_text(f"u,v,y\n{first},1,a\n2,3,b\n4,6,a\n5,7,b\n")
        command("run", "-q", "-m", "one-cluster", "-s", "./shops:label=y", "--no-solo")
        index = RunStore(RESULTS).index()
        labels.setdefault(name, index.newest_first()[0][1].data)
    shown = command("compare", "--stream", "./shops:label=y").out
    assert f"@{labels['old']}" in shown
    assert f"@{labels['new']}" not in shown
    assert "@" not in command("compare", "--stream", "shops:label=y").out.partition(": left out")[0]


@pytest.mark.parametrize("verb", ["list", "list --all", "export -"])
def test_a_stream_that_is_there_with_several_data_is_listed_with_the_id_of_each(command, edited, verb):
    words = command("results", *verb.split()).out.replace(",", " ").replace('"', " ").split()
    assert {word for word in words if "@" in word} == {
        "news:label=y@ababab",
        "news:label=y@cdcdcd",
    }


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
    selection = load_selection(RESULTS, Wanted(["new"]), against=against)
    assert sorted(record.label for record in selection.runs) == sorted(filter(None, ["new", against]))
    (new,) = (run for run in selection.runs if run.label == "new")
    assert selection.baseline_of(new).label == "base"


@pytest.mark.parametrize("candidates", [False, True])
def test_the_name_of_a_method_means_its_variants_too_where_points_of_grids_are_asked_for(candidates):
    make_results(*(make_record(label, params={"lam": len(label)}) for label in ("l2sc", "l2sc:lam=9")))
    found = load_selection(RESULTS, Wanted(["l2sc"]), candidates=candidates)
    assert sorted(run.label for run in found.runs) == ["l2sc", "l2sc:lam=9"][: 1 + candidates]


@pytest.mark.parametrize(
    ("wanted", "error", "reason"),
    [
        ({"methods": ["b", "aa"]}, UnknownNameError, r"for method 'aa': none of the 6 runs in .* Did you mean 'a'\?"),
        ({"streams": ["u"]}, UnknownNameError, "nothing to show for stream 'u': none of the 6 runs"),
        ({"orders": ["randm"]}, UnknownNameError, r"for order 'randm': none .* fits\. Did you mean 'random'\?"),
        ({"orders": ["random", "a,b,d"]}, UnknownNameError, "nothing to show for order 'a,b,d': none of the 6 runs"),
        ({"seeds": [7, 8]}, UnknownNameError, r"for seed '8': none of the 6 runs in '.*' fits\. There is 0, 7\."),
        ({"experiments": ["ne"]}, UnknownNameError, r"for name 'ne': none .* fits\. Did you mean 'new'\?"),
        ({"experiments": ["new", "other"]}, UnknownNameError, "nothing to show for name 'other': none of the 6 runs"),
        ({"experiments": ["old"], "seeds": [7]}, ParameterError, "nothing to show: none of the 6 runs in '.*' fits"),
    ],
    ids=str,
)
def test_a_selection_of_nothing_is_refused_with_the_reason(experiments, wanted, error, reason):
    with pytest.raises(error, match=reason):
        load_selection(RESULTS, Wanted(**wanted))


def test_a_selection_from_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"nothing to show: '.*' holds no runs"):
        load_selection(str(tmp_path), Wanted(["any"], orders=["any"], seeds=[1], experiments=["any"]))


@pytest.fixture
def experiments():
    """Five runs and a solo run: of two experiments, in fixed, random and listed orders of three tasks, with two seeds.

    The run 'both' was made for an experiment in fixed order, and found again among the random orders of another one.
    """
    scores, random = (0.5, 0.6, 0.7), ("random",)
    made = {
        "fixed": make_record("a", scores, order="abc", order_kinds=("fixed",), experiments=("old",)),
        "both": make_record("b", scores, order="abc", order_kinds=("fixed", "random"), experiments=("old", "new")),
        "random": make_record("a", scores, order="bca", order_kinds=random, experiments=("new",), repeat=1),
        "seeded": make_record("a", scores, order="cba", order_kinds=random, seed=7),
        "listed": make_record("a", scores, order="bac", order_kinds=("listed",), seed=7),
        "solo": make_record("a", [[0.5]], order="a", order_kinds=("solo",), stream_tasks=tuple("abc")),
    }
    make_results(*made.values())
    return made


@pytest.mark.parametrize(
    ("filters", "expected"),
    {
        "--order fixed": "fixed both",
        "--order random": "both random seeded",
        "--order fixed --order listed": "fixed both listed",
        "--order solo": "solo",
        "--order a,b,c": "fixed both",
        "--order b,c,a --order b,a,c": "random listed",
        "--order c,b": "",
        "--seed 7": "seeded listed",
        "--seed 7 --seed 0": "fixed both random seeded listed solo",
        "--seed 7 --order random": "seeded",
        "--name old": "fixed both",
        "--name new --name old": "fixed both random",
        "--name new --order fixed": "both",
        "--name other": "",
    }.items(),
)
def test_orders_seeds_and_names_choose_runs(command, experiments, filters, expected):
    words = [word.replace(",", ", ") for word in filters.split()]  # a user may write spaces between the tasks
    called = command("results", "list", "--json", *words)
    assert {run["run_id"] for run in called.runs} == {experiments[name].run_id for name in expected.split()}


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ({}, "both random seeded"),
        ({"orders": ["fixed"]}, "fixed both"),
        ({"orders": ["fixed", "random"]}, "fixed both random seeded"),
        ({"experiments": ["old"]}, "fixed both"),
        ({"seeds": [7], "orders": ["listed", "random"]}, "seeded listed"),
    ],
)
def test_runs_in_other_kinds_of_orders_are_pooled_only_if_they_are_asked_for(experiments, wanted, shown):
    selection = load_selection(RESULTS, Wanted(**wanted))
    assert {run.run_id for run in selection.runs} == {experiments[name].run_id for name in shown.split()}
    assert len(selection.notes) == (not wanted)
    for note in selection.notes:
        assert note.startswith("s: left out 2 runs of a in other orders than random: --order ")
        assert all(f"--order {kind} " in note for kind in ("fixed", "listed"))


def test_the_solo_runs_of_the_runs_that_are_wanted_are_loaded_beside_them(experiments):
    selection = load_selection(RESULTS, Wanted(orders=["fixed"]))
    assert experiments["solo"].run_id in experiments["fixed"].solo_ids
    assert experiments["solo"].run_id in selection.by_id
    assert experiments["solo"].run_id not in {run.run_id for run in selection.runs}


@pytest.mark.parametrize("verb", ["compare", "plot lifelong", "report"])
def test_a_command_that_finds_no_run_says_so_in_one_sentence_and_writes_nothing(refused, experiments, verb):
    reason = "for order 'randm': none of the 6 runs in 'lcbench-results' fits. Did you mean 'random'?"
    assert reason in refused(*verb.split(), "--order", "randm")
    assert [path.name for path in Path.cwd().iterdir()] == [RESULTS]


def test_case_does_not_matter_for_methods_streams_and_statuses(command, folder, runs):
    found = command("results", "list", "-m", "MINE", "-s", "T", "--status", "Crashed", "--json").runs
    assert [run["run_id"] for run in found] == [runs.crashed.run_id]
