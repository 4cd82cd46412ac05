from __future__ import annotations

from reading_sheets import texts

from lcbench.analysis.selection import select
from lcbench.report.page.environments import environment_sheet


def test_environments_are_beside_each_other_with_their_differences_bold_and_their_methods_in_notes(make):
    facts = {"python": "3.11.7", "machine": "x86_64", "simd": "", "packages": {"numpy": "2.0"}}
    libraries = [{"user_api": "blas", "version": version} for version in ("1", "2")]
    other = {**facts, "machine": "arm64", "simd": "ASIMD", "libraries": libraries, "packages": {"numpy": None}}
    runs = [make("other", environment=other), *(make("m", repeat=r, environment=facts) for r in range(2))]
    sheet = environment_sheet(select(runs))
    assert sheet.header == ("fact", "Environment 1: 2 runs", "Environment 2: 1 run")
    assert texts(sheet) == [
        ["python", "3.11.7", "3.11.7"],
        ["machine", "x86_64", "arm64"],
        ["vector instructions", "none", "ASIMD"],
        ["package numpy", "2.0", "not installed"],
        ["blas library", "–", "1; 2"],
    ]
    assert [row[2].bold for row in sheet.rows] == [False, True, True, True, True]
    assert "Environment 2: other." in sheet.notes
    assert any("Seconds compare within one environment only" in note for note in sheet.notes)
    assert environment_sheet(select(runs[1:])).notes == ()
