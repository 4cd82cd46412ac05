from __future__ import annotations

import json

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.page import run_list
from lcbench.report.page.curves import page_data
from lcbench.report.page.run_list import list_of_runs


def listed(runs, metrics=("purity",)):
    selection = select(runs)
    data = page_data(selection, metrics)
    return list_of_runs(selection, metrics, data["streams"]), data["streams"]


def column(found, name):
    return [row[found["columns"].index(name)] for row in found["rows"]]


def test_a_run_has_its_row_with_texts_and_the_numbers_to_sort_by():
    run = make_record("m", [[0.5, None], [0.25, 0.75]], repeat=3, order_kinds=("random",))
    found, _ = listed([run])
    assert found["columns"] == [
        "run", "stream", "method", "order", "repeat", "ended", "purity (%)", "seconds", "state", "finished",
    ]  # fmt: skip
    assert found["rows"] == [
        [run.run_id[:8], "s", "m", "random", ["3", 3], "ok", ["50.0", 0.5], ["3.000", 3.0], ["20 B", 20],
         "2026-01-01 00:00"],
    ]  # fmt: skip
    assert found["order"] == [[found["columns"].index("purity (%)"), "desc"]]


def test_a_run_refers_to_its_scores_in_the_data_of_the_curves(runs):
    found, streams = listed(runs, ("purity", "nmi"))
    by_id = {run.run_id[:8]: run for run in runs}
    assert len(found["runs"]) == len(runs)
    for entry in found["runs"]:
        run = by_id[entry["id"]]
        if run.status != "ok":
            assert (entry["curve"], entry["without"]) == (None, "No task of this run was scored.")
            continue
        s, m, r = entry["curve"]
        scores = streams[s]["methods"][m]["runs"][r][2][0]
        assert scores == [round(10_000 * run.scores["purity"][i][j]) for i in range(3) for j in range(i + 1)]


def test_facts_have_order_parameters_command_and_error_and_no_home_folder():
    run = make_record(
        "m", params={"lam": 0.5}, seed=7, command="lcbench run --stream /home/x/news", status="failed",
        error="broke\n twice", peak_bytes=2_000_000, cpu_seconds=1.5, environment={"python": "3.11"},
    )  # fmt: skip
    found, _ = listed([run])
    (entry,) = found["runs"]
    facts = dict(entry["facts"]) | dict(found["setups"][entry["setup"]])
    assert facts | {
        "ended": "failed: broke twice", "order": "a → b", "seed": "7", "tasks learned": "0 of 2",
        "parameter lam": "0.5", "peak memory": "2.0 MB", "CPU seconds": "1.500",
        "command": "lcbench run --stream .../news",
    } == facts  # fmt: skip
    assert found["environments"][entry["environment"]] == [("python", "3.11")]


def test_what_repeats_share_is_there_once():
    runs = [make_record("m", repeat=r, environment={"python": "3.11"}) for r in range(50)]
    found, _ = listed([*runs, make_record("other", environment={"python": "3.12"})])
    assert (len(found["setups"]), len(found["environments"])) == (2, 2)
    assert len({entry["setup"] for entry in found["runs"][:50]}) == 1


def test_very_many_runs_are_not_all_listed_and_those_left_out_are_counted(monkeypatch):
    monkeypatch.setattr(run_list, "MOST_LISTED", 3)
    found, _ = listed([make_record("m", repeat=r) for r in range(5)])
    assert (len(found["rows"]), len(found["runs"]), found["left_out"]) == (3, 3, 2)


def test_a_run_of_which_only_the_mean_is_there_says_where_its_scores_are(monkeypatch):
    from lcbench.report.page import curves
    from lcbench.report.page.thinning import Detail

    monkeypatch.setattr(curves, "choose_details", lambda _: [Detail(("purity",), (1, 2), each_run=False)])
    run = make_record("m")
    found, _ = listed([run])
    assert found["runs"][0]["curve"] is None
    assert f"lcbench results show {run.run_id[:8]}" in found["runs"][0]["without"]


@pytest.mark.parametrize("bad", ["\x07", "\u202e", "\n"])
def test_control_characters_in_names_and_errors_are_replaced(bad):
    run = make_record(
        f"m{bad}", order=(f"a{bad}", "b"), stream_label=f"s{bad}", status="failed", error=f"e{bad}x", note=f"n{bad}",
        params={f"p{bad}": f"v{bad}"}, environment={"packages": {f"k{bad}": f"v{bad}"}},
    )  # fmt: skip
    assert json.dumps(bad)[1:-1] not in json.dumps(listed([run])[0])
