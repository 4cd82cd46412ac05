from __future__ import annotations

import csv
import io

import pytest

from lcbench.analysis.published.comparison import compare_with_paper
from lcbench.analysis.published.figures import Published
from lcbench.analysis.published.reproduction import Reproduction
from lcbench.report.reproduction.long_csv import COLUMNS, long_csv
from lcbench.report.reproduction.sheets import protocol_sheet, reproduced_sheets


@pytest.fixture
def reproduce(table, make_run):
    """Both methods with two runs each, and a third of the first that ran out of time; then the sheets."""

    def compared(**changes):
        reproduction = Reproduction(Published.model_validate(table | changes), repeats=3)
        plain, life = (entry.params for entry in reproduction.entries.values())
        runs = [
            make_run("stsc", plain, "1234", [0.81, 0.72, 0.63, 0.54], learn_seconds=[2.0]),
            make_run("stsc", plain, "4321", [0.58, 0.65, 0.74, 0.83], learn_seconds=[4.0]),
            make_run("stsc", plain, "2143", [], status="timeout"),
            make_run("l2sc", life, "1234", [0.76] * 4, learn_seconds=[8.0]),
        ]
        return compare_with_paper(reproduction, runs)

    return compared


def rows(sheet):
    return [[cell.text for cell in row] for row in sheet.rows]


def test_the_protocol_says_what_is_run_and_what_the_paper_leaves_open(published):
    sheet = protocol_sheet(Reproduction(published, repeats=3, seed=5))
    assert sheet.title == "Protocol for Table 9 of Nobody: Made Up, 2020"
    assert rows(sheet) == [["Plain", "stsc:n_neighbors=5"], ["Life", "l2sc:lam=10,n_neighbors=5"]]
    assert "digits:seed=1: random orders, 3 repeats, seed 5" in sheet.notes[0]
    assert "Something the paper leaves open." in sheet.notes
    assert "Life: made up." in sheet.notes


def test_the_full_protocol_names_the_grids_and_the_oracle(published):
    sheet = protocol_sheet(Reproduction(published, repeats=3, full=True))
    assert rows(sheet) == [["Plain", "stsc:n_neighbors=5", ""], ["Life", "l2sc:n_neighbors=5", "paper: lam, mu"]]
    assert "with the labels (oracle)" in sheet.notes[0]


def test_paper_ours_and_difference_stand_under_each_other(reproduce):
    sheet = reproduced_sheets(reproduce())[1]
    assert sheet.header == ("method", "", "average", "A task-1", "B task-2", "C task-3", "D task-4")
    assert rows(sheet)[:3] == [
        ["Plain", "paper", "65.00 ±2.50", "80.00 ±1.00", "70.00 ±2.00", "60.00 ±3.00", "50.00 ±4.00"],
        ["", "ours", "68.75 ±1.77", "82.00 ±1.41", "73.00 ±1.41", "64.00 ±1.41", "56.00 ±2.83"],
        ["", "difference", "+3.75 near", "+2.00 within 2", "+3.00 near", "+4.00 near", "+6.00 off"],
    ]
    tones = [cell.tone for cell in sheet.rows[2]][2:]
    assert tones == ["", "good", "", "", "bad"]


def test_a_misprinted_average_is_marked_and_explained(reproduce):
    sheet = reproduced_sheets(reproduce())[1]
    assert rows(sheet)[3][2] == "77.00 ±0.00†"
    assert sheet.notes[1:] == (
        "† Life: printed average 77.00; the mean of the printed rows is 75.00, and ours is +1.00 from that.",
    )


def test_the_averages_have_a_verdict_per_method_and_failed_runs_are_counted(reproduce):
    sheet = reproduced_sheets(reproduce())[-2]
    assert sheet.header == ("method", "verdict", "purity", "runs")
    assert rows(sheet) == [
        ["Plain", "near", "+3.75 near", "2 + 1 timeout"],
        ["Life", "within 2", "-1.00† within 2", "1"],
    ]


def test_seconds_have_their_place_in_the_paper_and_here(reproduce):
    sheet = reproduced_sheets(reproduce())[2]
    assert sheet.title == "Seconds of a run, ours beside Table 8"
    assert rows(sheet) == [["Plain", "1.5 ±0.1", "2", "3.000 ±1.414", "1"], ["Life", "0.5", "1", "8.000", "2"]]
    assert "only the order compares" in sheet.notes[0]
    assert sheet.notes[1] == "On an abacus."


def test_the_verdicts_and_who_is_first_come_last_where_a_terminal_shows_them(reproduce):
    titles = [sheet.title for sheet in reproduced_sheets(reproduce())]
    assert [title.split()[0] for title in titles] == ["Protocol", "purity", "Seconds", "Averages", "First"]


def test_a_table_without_seconds_has_no_such_sheet(reproduce):
    titles = [sheet.title for sheet in reproduced_sheets(reproduce(runtime=None))]
    assert [title.split()[0] for title in titles] == ["Protocol", "purity", "Averages", "First"]


def test_on_other_data_the_words_within_near_and_off_are_not_used(reproduce):
    for sheet in reproduced_sheets(reproduce(same_data=False)):
        words = [text for row in rows(sheet) for text in row] + list(sheet.notes)
        assert not any(word in text.split() for text in words for word in ("within", "near", "off"))


def test_on_other_data_the_verdict_of_a_method_says_so(reproduce):
    sheets = reproduced_sheets(reproduce(same_data=False))
    assert rows(sheets[-2]) == [
        ["Plain", "other split", "+3.75", "2 + 1 timeout"],
        ["Life", "other split", "-1.00†", "1"],
    ]
    assert "do not compare" in sheets[1].notes[0]
    assert "do not compare" in sheets[-2].notes[0]


def test_the_csv_has_a_row_per_cell_with_raw_numbers(reproduce):
    found = list(csv.DictReader(io.StringIO(long_csv(reproduce()))))
    assert tuple(found[0]) == COLUMNS
    assert len(found) == 2 * (5 + 1)
    first, average, seconds = found[0], found[10], found[5]
    assert (first["method"], first["task"], first["own_task"]) == ("Plain", "A", "task-1")
    assert float(first["ours_mean"]) == pytest.approx(82)
    assert float(first["difference"]) == pytest.approx(2)
    assert (first["runs"], first["failed"], first["mean_of_paper_rows"]) == ("2", "1", "")
    assert (average["task"], average["paper_mean"], average["mean_of_paper_rows"]) == ("average", "77.0", "75.0")
    assert (seconds["metric"], seconds["table"], float(seconds["ours_mean"])) == ("seconds", "Table 8", 3.0)
