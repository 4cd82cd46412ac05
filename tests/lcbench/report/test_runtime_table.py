from __future__ import annotations

from lcbench.report.runtime_table import runtime_sheet

TIMES = {"slow": (4.0, 0.5), "base": (2.0, 0.1), "sklearn": (8.0, 0.2)}


def table(**more):
    sheet = runtime_sheet("stream", TIMES, rounds=5, baseline="base", reference="sklearn", **more)
    return sheet, [dict(zip(sheet.header, (cell.text for cell in row), strict=True)) for row in sheet.rows]


def test_the_quickest_comes_first_with_ratios_to_the_baseline_and_to_the_reference():
    sheet, rows = table()
    assert [row["method"] for row in rows] == ["base", "slow", "sklearn"]
    assert [row["times base"] for row in rows] == ["1.00", "2.00", "4.00"]
    assert [row["times sklearn"] for row in rows] == ["0.25", "0.50", "1.00"]
    assert rows[1]["seconds"] == "4.000"
    assert len(sheet.notes) == 1


def test_earlier_times_are_compared_beside_the_reference_of_their_own_file():
    """The machine was twice as fast then: `slow` took half of what it takes now, and has not changed."""
    sheet, rows = table(before={"slow": 2.0, "sklearn": 4.0, "base": 2.0})
    by_method = {row["method"]: row for row in rows}
    assert by_method["slow"]["before"] == "2.000"
    assert by_method["slow"]["times before"] == "1.00"
    assert by_method["base"]["times before"] == "0.50", "it became twice as quick"
    assert len(sheet.notes) == 2


def test_what_was_not_timed_before_or_has_no_reference_is_missing():
    _, rows = table(before={"slow": 2.0})
    assert {row["times before"] for row in rows} == {"–"}
    sheet = runtime_sheet("stream", {"mine": (1.0, 0.0)}, rounds=1, baseline="base", reference="sklearn")
    assert [cell.text for cell in sheet.rows[0]] == ["mine", "1.000", "0.000", "–", "–"]


def test_the_seconds_of_a_paper_stand_beside_them():
    _, rows = table(paper={"slow": "1.22 ± 0.01"})
    assert [row["paper"] for row in rows] == ["–", "1.22 ± 0.01", "–"]
