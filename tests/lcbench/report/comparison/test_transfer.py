from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from compared_runs import nmi_run, nmi_solos
from reading_sheets import by_name, column, texts

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import curves_of
from lcbench.records.formulas import FORMULAS
from lcbench.report.comparison.transfer import curve_sheet, tone, transfer_ids, transfer_notes, transfer_sheet

LESS = "lcbench.analysis.transfer.greater_is_better"


@pytest.fixture
def sheets(compared):
    """The tables of transfer of runs on one stream."""

    def make(runs, metrics=("nmi",), **options):
        return transfer_sheet(compared(runs, metrics, **options).streams[0], metrics)

    return make


@pytest.fixture
def notes(compared):
    return lambda runs, **options: transfer_notes(compared(runs).streams, **options)


def curves(runs, metric="nmi", confidence=0.95):
    """The table of curves of runs on one stream."""
    selection = select(runs)
    return curve_sheet(selection, selection.streams[0], metric, confidence)


def tones(sheet):
    return [[cell.tone for cell in row[2:]] for row in sheet.rows]


def random_runs(count=12, *, seed=0, tasks="abc", drift=0.0):
    """Runs with any scores in many orders, with solo runs and a baseline; scores grow by so much with each task."""
    generator = np.random.default_rng(seed)
    made = []
    for r, order in enumerate((list(permutations(tasks)) * count)[:count]):
        T = len(order)
        R = [[float(generator.random()) + drift * i if j <= i else None for j in range(T)] for i in range(T)]
        base = nmi_run("base", [float(x) for x in generator.random(T)], order=order, repeat=r, setting="single-task")
        ours = nmi_run("ours", R, order=order, repeat=r, baseline=base.run_id)
        made += [base, ours, *nmi_solos(ours, {task: float(generator.random()) for task in order})]
    return made


def test_a_row_has_the_parts_of_transfer_the_interval_of_the_total_and_the_gain(sheets, with_solos):
    (sheet,) = sheets(with_solos)
    assert sheet.title == "s: what other tasks bring by nmi in percent, means over tasks and runs"
    assert sheet.header == (
        "method", "solo", "forward", "backward", "total", "interval", "transfer", "own", "gain", "over",
    )  # fmt: skip
    assert texts(sheet) == [
        ["ours", "55.0", "+11.0", "+3.0", "+14.0", "[+13.0, +15.0]", "positive?", "+10.0", "+24.0", "base"]
    ]
    assert [cell.tone for cell in sheet.rows[0]] == ["", "", "", "", "good", "", "good", "", "", ""]
    assert sheet.give_way == ("over",)


@pytest.mark.parametrize("seed", range(3))
def test_the_parts_that_are_shown_add_up_to_rounding(sheets, seed):
    (sheet,) = sheets(random_runs(seed=seed))
    (row,) = by_name(sheet)
    own, forward, backward, total, gain = (float(row[n]) for n in ("own", "forward", "backward", "total", "gain"))
    assert forward + backward == pytest.approx(total, abs=0.151)  # three numbers, each rounded by .05 at most
    assert own + forward + backward == pytest.approx(gain, abs=0.201)
    assert own + total == pytest.approx(gain, abs=0.151)


def test_a_rule_parts_the_methods_where_each_has_a_row_for_several_metrics(sheets):
    made = [nmi_run(label, (0.5, 0.6)) for label in "xy"]
    for run in (runs := [*made, *(solo for own in made for solo in nmi_solos(own, {"a": 0.5, "b": 0.5}))]):
        run.scores["ri"] = run.scores["nmi"]
    assert sheets(runs)[0].rules == ()
    (sheet,) = sheets(runs, ["nmi", "ri"])
    assert [row[:2] for row in texts(sheet)] == [["x", "nmi"], ["", "ri"], ["y", "nmi"], ["", "ri"]]
    assert sheet.rules == (2,)


def test_without_solo_runs_or_methods_that_could_learn_from_others_there_is_no_table_and_no_note(
    sheets, notes, two_orders, with_solos
):
    assert sheets(two_orders) == []
    assert notes(two_orders) == []
    for run in with_solos:
        run.setting = "single-task"
    assert sheets(with_solos) == []


def test_without_a_baseline_there_are_no_columns_of_gain_and_with_one_for_some_the_others_have_dashes(
    sheets, with_solos
):
    bare = [run for run in with_solos if run.label == "ours"]
    (sheet,) = sheets(bare)
    assert sheet.header == ("method", "solo", "forward", "backward", "total", "interval", "transfer")
    assert texts(sheet) == [["ours", "55.0", "+11.0", "+3.0", "+14.0", "[+13.0, +15.0]", "positive?"]]
    other = [nmi_run("other", (0.5, 0.5), order=order, repeat=r) for r, order in enumerate(("ab", "ba"))]
    solos = [solo for run in other for solo in nmi_solos(run, {"a": 0.5, "b": 0.5})]
    (sheet,) = sheets([*with_solos, *other, *solos])
    assert {row[0]: row[-3:] for row in texts(sheet)} == {
        "ours": ["+10.0", "+24.0", "base"], "other": ["–", "–", ""],
    }  # fmt: skip


def test_a_method_of_which_one_run_lacks_its_solos_is_told_of_over_the_others(sheets, with_solos):
    runs = [run for run in with_solos if not (len(run.order) == 1 and run.repeat == 1)]
    (sheet,) = sheets(runs)
    assert texts(sheet)[0][1:7] == ["55.0", "+11.0", "+4.0", "+15.0", "–", ""]  # the run in the order a, b alone


@pytest.mark.parametrize(
    ("after", "flag", "colour"),
    [((0.4, 0.5), "NEGATIVE?", "bad"), ((0.6, 0.7), "positive?", "good"), ((0.5, 0.6), "", "")],
)
def test_transfer_is_flagged_from_the_total_alone(sheets, after, flag, colour):
    """Whatever the gain over the baseline is: here it is large in all cases."""
    runs = []
    for r in range(2):
        base = nmi_run("base", (0.1, 0.1), repeat=r, setting="single-task")
        ours = nmi_run("ours", after, repeat=r, baseline=base.run_id)
        runs += [base, ours, *nmi_solos(ours, {"a": 0.5, "b": 0.6})]
    (sheet,) = sheets(runs)
    (row,) = by_name(sheet)
    assert (row["transfer"], sheet.rows[0][4].tone) == (flag, colour)
    assert float(row["gain"]) > 30


@pytest.mark.parametrize(("orders", "flag"), [(9, "positive?"), (10, "positive")])
def test_a_flag_over_few_orders_is_marked_as_unsure_and_that_is_noted(sheets, notes, orders, flag):
    runs = []
    for r, order in enumerate(list(permutations("abcd"))[:orders]):
        ours = nmi_run("ours", [0.5] * 4, order=order, repeat=r)
        runs += [ours, *nmi_solos(ours, dict.fromkeys("abcd", 0.4))]
    assert column(sheets(runs)[0], "transfer") == [flag]
    unsure = "?: with fewer than 10 orders an interval is too narrow to lean on."
    for short in (True, False):
        assert any(unsure in note for note in notes(runs, short=short)) is (orders < 10)


def test_where_less_is_better_a_total_below_zero_is_positive_transfer(sheets, with_solos, monkeypatch):
    monkeypatch.setattr(LESS, lambda _: False)
    (sheet,) = sheets(with_solos)
    assert (column(sheet, "total"), column(sheet, "transfer")) == (["+14.0"], ["NEGATIVE?"])
    assert sheet.rows[0][4].tone == "bad"


def test_several_metrics_have_a_row_each_and_a_method_is_named_once(sheets, with_solos):
    for run in with_solos:
        run.scores["silhouette"] = run.scores["nmi"]
    (sheet,) = sheets(with_solos, ("nmi", "silhouette"))
    assert (sheet.header[:3], sheet.stub) == (("method", "metric", "solo"), 2)
    assert [row[:6] for row in texts(sheet)] == [
        ["ours", "nmi", "55.0", "+11.0", "+3.0", "+14.0"],
        ["", "silhouette", "0.550", "+0.110", "+0.030", "+0.140"],
    ]
    assert sheet.title == "s: what other tasks bring, means over tasks and runs"


def test_the_confidence_is_that_of_the_comparison(sheets):
    runs = random_runs(20)
    ends = []
    for confidence in (0.5, 0.95):
        (sheet,) = sheets(runs, confidence=confidence)
        low, high = column(sheet, "interval")[0][1:-1].split(", ")
        ends.append(float(high) - float(low))
    assert ends[0] < ends[1]


def test_notes_say_what_the_columns_are_and_the_noise_of_the_first_task(notes, with_solos):
    found = notes(with_solos)
    assert found[0] == (
        "Solo: each task alone. Total = forward (at arrival - solo) + backward (after all - at arrival); "
        "gain = own + total."
    )
    assert "Forward of the task that arrived first is noise of the seed (s, nmi): ours +2.0." in found
    (short,) = notes(with_solos, short=True)
    assert short.startswith(found[0])


def test_noise_of_the_seed_that_is_larger_than_the_transfer_is_noted_briefly_too(notes):
    run = nmi_run("m", (0.5, 0.5))
    runs = [run, *nmi_solos(run, {"a": 0.3, "b": 0.7})]  # a was at 40 at its arrival; in the end they are at 50
    assert "Forward of the task that arrived first is noise of the seed (s, nmi): m +10.0." in notes(runs, short=True)


def test_the_columns_are_named_with_the_ids_of_their_formulas(with_solos):
    ids = {formula.name: formula.id for formula in FORMULAS}
    names = {"forward": "forward", "backward": "backward", "total": "total_transfer", "own": "own_gain",
             "gain": "gain_over_single_task"}  # fmt: skip
    streams = compare_methods(select(with_solos), ["nmi"]).streams
    assert transfer_ids(streams) == [f"{column} {ids[name]}" for column, name in names.items()]
    assert transfer_ids(compare_methods(select(with_solos[:1]), ["nmi"]).streams) == []


def test_the_curves_have_two_rows_per_method_worked_by_hand(with_solos):
    (sheet,) = curves(with_solos)
    assert sheet.header == ("method", "change", "0", "1")
    assert texts(sheet) == [
        ["ours", "by arrival", "+2.0", "+20.0"],  # 52 - 50 and 62 - 60 first, 80 - 60 and 70 - 50 second
        ["", "since arrival", "+0.0", "+6.0"],  # 60 - 52 and 66 - 62, after one task more
    ]
    assert tones(sheet) == [["", "good"], ["", "good"]], "the first task that arrived has noise only"
    assert sheet.title.endswith(", 2 orders")
    assert curves([run for run in with_solos if run.setting == "single-task"]) == []


@pytest.mark.parametrize(("drift", "colour"), [(0.3, "good"), (-0.3, "bad")])
def test_a_cell_of_the_curves_is_coloured_where_its_interval_excludes_zero(drift, colour):
    runs = random_runs(12, drift=drift)
    selection = select(runs)
    found = curves_of(selection.streams[0].methods[1], selection, "nmi", 0.95)
    expected = [
        ["good" if p.low > 0 else "bad" if p.high < 0 else "" for p in side]
        for side in (found.by_arrival, found.since_arrival)
    ]
    (sheet,) = curves(runs)
    assert tones(sheet) == expected
    assert {tone for row in expected for tone in row} == {"", colour}


@pytest.mark.parametrize(
    ("mean", "low", "high", "expected"),
    [
        (0.02, 0.01, 0.03, "good"),
        (-0.02, -0.03, -0.01, "bad"),
        (0.02, -0.01, 0.05, ""),
        (0.02, None, None, ""),
        (0.0009, 0.0004, 0.0014, ""),  # reads +0.1, from +0.0 on
        (0.0006, 0.00051, 0.0007, "good"),  # reads +0.1
        (-0.0009, -0.0014, -0.0004, ""),
    ],
)
def test_a_mean_has_a_tone_where_no_end_of_its_interval_reads_as_zero(mean, low, high, expected):
    assert tone("nmi", Interval(mean, low, high, "orders")) == expected


def test_the_total_of_a_transfer_that_reads_as_zero_is_not_coloured(sheets):
    runs = []
    for r in range(3):
        ours = nmi_run("ours", (0.5002, 0.6002), repeat=r)
        runs += [ours, *nmi_solos(ours, {"a": 0.5, "b": 0.6})]
    (sheet,) = sheets(runs)
    assert column(sheet, "total") == ["+0.0"]
    assert {cell.tone for cell in sheet.rows[0]} == {""}


def test_without_solo_runs_only_the_change_since_arrival_is_there(with_solos):
    (sheet,) = curves([run for run in with_solos if len(run.order) == 2])
    assert texts(sheet) == [["ours", "since arrival", "+0.0", "+6.0"]]


def test_runs_that_were_scored_at_the_end_only_have_no_curves(with_solos):
    for run in with_solos:
        if len(run.order) == 2:
            run.scores = {"nmi": [[None, None], run.scores["nmi"][-1]]}
    assert curves(with_solos) == []


def test_of_many_columns_every_other_one_gives_way_first_and_the_first_and_last_never():
    (sheet,) = curves(random_runs(3, tasks="abcdef"))
    assert sheet.header[2:] == ("0", "1", "2", "3", "4", "5")
    assert sheet.give_way == ("2", "4", "3", "1")
