from __future__ import annotations

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.report.reproduction.sheets import protocol_sheet, reproduced_sheets


def rows(sheet):
    return [[cell.text for cell in row] for row in sheet.rows]


def test_the_protocol_lists_the_methods_run_and_notes_what_the_paper_leaves_open(published):
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


def test_a_method_has_a_row_each_for_paper_ours_and_difference(reproduce):
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


def test_seconds_are_shown_with_their_rank_in_the_paper_and_here(reproduce):
    sheet = reproduced_sheets(reproduce())[2]
    assert sheet.title == "Seconds of a run, ours beside Table 8"
    assert rows(sheet) == [["Plain", "1.5 ±0.1", "2", "3.000 ±1.414", "1"], ["Life", "0.5", "1", "8.000", "2"]]
    assert "only the order compares" in sheet.notes[0]
    assert sheet.notes[1] == "On an abacus."


def test_the_verdicts_and_the_summary_come_last_where_a_terminal_shows_them(reproduce):
    titles = [sheet.title for sheet in reproduced_sheets(reproduce())]
    assert [title.split()[0] for title in titles] == ["Protocol", "purity", "Seconds", "Averages", "First"]


def test_a_paper_without_seconds_gives_no_table_of_seconds(reproduce):
    titles = [sheet.title for sheet in reproduced_sheets(reproduce(runtime=None))]
    assert [title.split()[0] for title in titles] == ["Protocol", "purity", "Averages", "First"]


def test_on_other_data_the_words_within_near_and_off_are_not_used(reproduce):
    for sheet in reproduced_sheets(reproduce(same_data=False)):
        words = [text for row in rows(sheet) for text in row] + list(sheet.notes)
        assert not any(word in text.split() for text in words for word in ("within", "near", "off"))


def test_on_other_data_the_verdict_of_a_method_is_other_split(reproduce):
    sheets = reproduced_sheets(reproduce(same_data=False))
    assert rows(sheets[-2]) == [
        ["Plain", "other split", "+3.75", "2 + 1 timeout"],
        ["Life", "other split", "-1.00†", "1"],
    ]
    assert "do not compare" in sheets[1].notes[0]
    assert "do not compare" in sheets[-2].notes[0]
