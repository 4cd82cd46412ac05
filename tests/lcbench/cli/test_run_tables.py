from __future__ import annotations

import io
from dataclasses import replace

import pytest
from making import make_audited, make_record
from rich.cells import cell_len
from rich.console import Console

from lcbench.analysis.caveats import FIRST_TIMES, LEFT, NOT_ISOLATED
from lcbench.api.results import Results
from lcbench.cli.run_tables import print_audit, print_results
from lcbench.experiment.tuning import RULES, Gap
from lcbench.records.record import FAILED, RunRecord

HALF = [[0.5, None], [0.75, 0.25]]
GAPS = [
    Gap("digits", "l2sc", metric, 58, 10, means=dict(zip(RULES, (0.8, 0.75, 0.7), strict=True)), untuned=0.6)
    for metric in ("purity", "nmi")
]


def record(R=HALF, order="ab", **changes) -> RunRecord:
    return make_record(
        changes.pop("label", "m"), R, order=order,
        **{"learn_seconds": [0.5] * 2, "predict_seconds": [0.25] * 2, "state_bytes": [1500] * 2} | changes,
    )  # fmt: skip


def shown(
    *runs: RunRecord, width: int = 80, color: str | None = None, metrics=("purity",), verbose=False, **more
) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, force_terminal=color is not None, color_system=color)
    print_results(Results(runs, metrics, **more), console=console, verbose=verbose)
    return file.getvalue()


def solo(task: str, score: float, **changes) -> RunRecord:
    usual = {"learn_seconds": [0.5], "stream_tasks": ("a", "b"), "order_kinds": ("solo",)}
    return record([[score]], task, **usual | changes)


def row(text: str, name: str) -> list[str]:
    return next(line.split(name, 1)[1].split() for line in text.splitlines() if name in line.split())


def triangle(size: int) -> list[list[float | None]]:
    return [[0.5 if j <= i else None for j in range(size)] for i in range(size)]


def test_cells_and_averages_of_a_hand_made_run():
    text = shown(record())
    assert row(text, "a") == ["50.0", "75.0"]
    assert row(text, "b") == ["25.0"]
    assert row(text, "average") == ["50.0", "50.0"]
    overview = text.split("averages over tasks after all of them")[1]
    assert row(overview, "m") == ["1", "50.0", "1.000", "1.5", "kB"]


def change(first: float, second: float, repeats: int = 3, **changes) -> list[RunRecord]:
    """Runs in one order, in which task a has about the first score when it is learned and the second in the end."""
    ends = [(first + r / 1000, second + r / 900) for r in range(repeats)]
    return [record([[before, None], [after, 0.25]], repeat=r, **changes) for r, (before, after) in enumerate(ends)]


COLOURS = ("\x1b[32m", "\x1b[31m")


@pytest.mark.parametrize(("second", "colour"), [(0.75, "\x1b[32m75.1"), (0.25, "\x1b[31m25.1")])
def test_a_rise_over_all_runs_is_green_and_a_fall_is_red(second, colour):
    text = shown(*change(0.5, second), color="standard")
    assert colour in text
    assert sum(text.count(each) for each in COLOURS) == 1


@pytest.mark.parametrize(
    "runs",
    {
        "one run": change(0.5, 0.75, repeats=1),
        "changes on both sides of zero": [*change(0.5, 0.75), *change(0.75, 0.5)],
        "single-task": change(0.5, 0.75, setting="single-task"),
        "less than is shown": change(0.5, 0.5002),
    }.values(),
    ids=str,
)
def test_a_change_that_is_not_sure_not_seen_or_not_of_a_method_that_remembers_has_no_colour(runs):
    runs = [replace(run, repeat=i) for i, run in enumerate(runs)]
    text = shown(*runs, color="standard")
    assert "by number of tasks learned" in text
    assert not any(colour in text for colour in COLOURS)


def two_orders(**changes) -> list[RunRecord]:
    return [
        record([[0.5, None], [0.6, 0.2]], **changes),
        record([[0.4, None], [0.3, 0.8]], "ba", repeat=1, **changes),
    ]


def test_over_several_orders_there_are_the_curves_of_paired_changes_and_no_table_of_tasks():
    """By arrival: a is first at .5 (alone .45), b at .4 (.3), so +7.5; second .2 (.3) and .8 (.45), so +12.5."""
    solos = [solo(task, score, repeat=r) for r in (0, 1) for task, score in (("a", 0.45), ("b", 0.3))]
    text = shown(*two_orders(), width=120, solos=solos)
    assert "by number of tasks learned" not in text
    assert "s: purity that other tasks add, by tasks known at arrival and by tasks learned since, 2 orders" in text
    curves = text.split("2 orders\n")[1]
    assert row(curves, "by") == ["arrival", "+7.5", "+12.5"]
    assert row(curves, "since") == ["arrival", "+0.0", "+0.0"]  # a rises by 10, b falls by 10


def test_the_verdict_comes_first_and_its_parts_are_those_of_the_table_of_transfer_and_add_up():
    """Alone .4 and .2, in the end .75 and .25: +20 by others. The baseline has .1 and .3: +10 by itself, so +30."""
    base = record([[0.1, None], [0.1, 0.3]], label="base", setting="single-task", learn_seconds=[0.25] * 2)
    solos = [solo("a", 0.4), solo("b", 0.2)]
    text = shown(base, record(baseline=base.run_id), width=120, solos=solos)
    assert " ".join(text.split()).startswith(
        "s, 1 order: m 50.0 purity, +30.0 over base: +10.0 by itself, +20.0 from other tasks. Learns in 2.0x base's "
        "time, keeps 1.5 kB. s: purity in percent, by number of tasks learned"
    )
    table = text.split("s: what other tasks bring by purity in percent, means over tasks and runs")[1]
    assert "method  solo  forward  backward  total" in table
    assert row(table, "m") == ["30.0", "+7.5", "+12.5", "+20.0", "–", "+10.0", "+30.0", "base"]
    assert "Total = forward (at arrival - solo) + backward (after all - at arrival); gain = own + total." in text


@pytest.mark.parametrize("verbose", [False, True])
def test_the_first_metric_has_tables_and_the_others_only_if_all_are_asked_for(verbose):
    run = replace(record(), scores={"purity": HALF, "nmi": HALF})
    text = shown(run, metrics=("purity", "nmi"), verbose=verbose)
    assert "s: purity in percent, by number of tasks learned" in text
    assert ("s: nmi in percent, by number of tasks learned" in text) == verbose
    assert row(text.split("averages over tasks")[1], "m")[:3] == ["1", "50.0", "50.0"]


def test_several_streams_have_one_table_together_and_each_its_own_only_if_all_are_asked_for():
    scores = {("s", "m"): 0.2, ("s", "n"): 0.5, ("t", "m"): 0.4, ("t", "n"): 0.1}
    runs = [record([[x, None], [x, x]], stream=stream, label=label) for (stream, label), x in scores.items()]
    text = shown(*runs)
    assert text.startswith("s, 1 order: n 50.0 purity is first of 2")
    assert "\nt, 1 order: m 40.0 purity is first of 2" in text
    table = text.split("All streams: purity (%) after all tasks")[1]
    assert row(table, "m")[:2] == ["20.0", "*40.0"]
    assert row(table, "n")[:2] == ["*50.0", "10.0"]
    assert "by number of tasks learned" not in text
    assert "averages over tasks" not in text
    text = shown(*runs, verbose=True)
    assert text.count("by number of tasks learned") == text.count("averages over tasks") == 2
    assert "All streams: purity (%) after all tasks" in text


def test_a_partition_that_collapses_is_warned_of():
    text = " ".join(shown(record(largest=[0.99, 0.5]), record(label="n", largest=[0.5, 0.5])).split())
    assert "m collapses: more than 95% of the samples of 'a' are in one cluster, and another method finds more." in text
    assert "collapses" not in shown(record(largest=[0.99, 0.5]), record(label="n", largest=[0.96, 0.5]))


def test_the_baseline_is_column_0_and_has_no_rows_of_its_own():
    baseline = record([[0.1, None], [0.1, 0.3]], label="base")
    text = shown(baseline, record(baseline=baseline.run_id))
    assert row(text, "a") == ["10.0", "50.0", "75.0"]
    assert row(text, "b") == ["30.0", "25.0"]
    assert text.count(" a ") == 1
    assert row(text, "gain") == ["over", "0", "+40.0", "+30.0"]
    assert "Column 0 is the single-task baseline (base)." in text
    assert text.index("averages over tasks") < text.index("Column 0 is")  # notes come once, at the end


def test_tasks_still_to_come_are_in_brackets_and_not_in_the_average():
    text = shown(record([[0.5, 0.9], [0.75, 0.25]], future=True))
    assert row(text, "b") == ["[90.0]", "25.0"]
    assert row(text, "average") == ["50.0", "50.0"]
    assert "In brackets: tasks not learned yet." in text


def test_a_failed_run_is_counted_and_does_not_enter_the_means():
    text = shown(record(), record([[0.9, None]], status=FAILED, repeat=1), width=120)
    assert row(text, "a") == ["50.0", "75.0"]
    assert "1 + 1 failed" in text


@pytest.mark.parametrize("width", [60, 120])
def test_a_table_with_many_tasks_fits_and_keeps_its_first_and_last_column(width):
    text = shown(record(triangle(20), [f"t{i}" for i in range(20)], label="method"), width=width)
    lifelong = text.split("averages over tasks")[0]
    header = row(lifelong, "task")
    assert (header[0], header[-1]) == ("1", "20")
    assert 3 <= len(header) < 20
    assert max(map(len, lifelong.splitlines())) <= width
    assert len(header) + len(lifelong.split("Left out to fit the width: ")[1].split(",")) == 20
    assert "…" not in lifelong


def test_a_table_with_very_many_tasks_shows_the_first_and_last_of_them():
    text = shown(record(triangle(45), [f"t{i}" for i in range(45)]), width=200)
    assert "(25 tasks more)" in text
    assert [f"t{i}" for i in range(45) if f" t{i} " in text] == [f"t{i}" for i in (*range(10), *range(35, 45))]


def test_markup_and_escapes_in_names_are_shown_as_text():
    odd = {"label": "[blink]m\x1b[2J", "stream_label": "[red]x[/red]\x1b[31m", "note": "[u]n\x1b[0m"}
    text = shown(record([[0.5]], ["[bold]a[/bold]\x1b]0;title\x07"], **odd))
    assert not {"\x1b", "\x07"} & set(text)
    for name in ("[blink]m?[2J", "[red]x[/red]?[31m", "[u]n?[0m", "[bold]a[/bold]?]0;title?"):
        assert name.replace("?", "\N{REPLACEMENT CHARACTER}") in text


@pytest.mark.parametrize("orders", [1, 2])
def test_for_more_than_eight_methods_there_is_one_table(orders):
    runs = [run for i in range(9) for run in two_orders(label=f"m{i}")[:orders]]
    detail = "by number of tasks learned" if orders == 1 else "by tasks learned since"
    assert detail in shown(*runs[: 8 * orders], width=120)
    text = shown(*runs, width=120)
    assert detail not in text
    assert text.count("averages over tasks") == 1
    averages = text.split("averages over tasks")[1]
    assert all(row(averages, f"m{i}")[0] == str(orders) for i in range(9))


def test_many_methods_with_the_same_note_are_not_all_named():
    text = shown(*(record(label=f"m{i}", note="mind this") for i in range(5)))
    assert "m0, m1, m2 and 2 more: mind this." in text


@pytest.mark.parametrize("width", [62, 80, 120])
def test_tuned_runs_have_the_chosen_point_and_the_oracle_gap_in_which_no_number_is_cut(width):
    points = [{"params": {"lam": 0.5}, "run_id": "", "status": "ok", "value": 0.8}]
    choice = {"params": {"lam": 0.5}, "run_id": "", "metric": "purity", "points": points, "search_seconds": 3.0}
    text = shown(record(label="l2sc (oracle)", stream="digits", choice=choice), gaps=GAPS, width=width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    rows = [line.split() for line in text.splitlines()]
    assert ["digits", "l2sc", "(oracle)", "1", "1", "lam=0.5", "–", "3.000"] in rows
    gap = next(row for row in rows if row[:1] == ["nmi"])
    assert {"80.0", "70.0", "+10.0"} <= set(gap)
    if width == 120:
        assert ["digits", "l2sc", "10", "58", "purity", "80.0", "75.0", "70.0", "60.0", "+5.0", "+10.0"] in rows
        assert "oracle: with labels; first-task: with labels of the first task; silhouette: without labels." in text
    else:
        assert "Left out to fit the width: points, " in " ".join(text.split())


def test_the_audit_comes_after_the_tables(capsys):
    print_results(Results([make_audited("m", "single-task", (0, 0))], ["purity"]))
    tables, audit = capsys.readouterr().out.split("Audit: every method keeps")
    assert "averages over tasks" in tables
    assert "m nothing" in audit


def audited(label: str, setting: str, held: tuple[int, ...], **audit) -> RunRecord:
    return make_audited(label, setting, held, audit=audit, scores={})


def printed(*runs: RunRecord, **options) -> str:
    console = Console(width=120, highlight=False, **options)
    with console.capture() as capture:
        print_audit(runs, console)
    return capture.get()


def said(*runs: RunRecord) -> str:
    return " ".join(printed(*runs).split())


HONEST = audited("l2sc", "lifelong", (9000, 9000))
SINGLE = audited("stsc", "single-task", (0, 0))
MULTI = audited("usc", "multi-task", (50_000, 100_000))
CHEAT = audited("cheat", "lifelong", (50_000, 100_000))
SHORT = audited("short", "lifelong", (9000,))


def test_methods_that_keep_their_promises_get_one_sentence_that_says_how_deep_the_audit_was():
    assert said(HONEST, SINGLE, MULTI) == (
        "Audit: every method keeps to its setting, as far as measured: "
        "l2sc a library of 9.0 kB, stsc nothing, usc its data."
    )
    many = [audited(f"stsc-{i}", "single-task", (0, 0)) for i in range(5)]
    assert ("stsc" in said(*many[:4]), "stsc" in said(*many)) == (True, False)


def test_the_table_is_shown_when_runs_were_made_again_to_be_compared():
    shown = said(audited("l2sc", "lifelong", (9000, 9000), isolate={"passed": True}))
    assert "lifelong a library of 9.0 kB yes 9.1 kB same –" in shown
    assert "Audit: every method keeps to its setting, isolated: l2sc a library of 9.0 kB. Not excluded: files" in shown
    poisoned = said(audited("l2sc", "lifelong", (9000, 9000), poison={"passed": True}))
    assert poisoned.endswith("every method keeps to its setting, as far as measured: l2sc a library of 9.0 kB.")


def test_a_broken_promise_is_loud_and_says_why_and_one_that_cannot_be_checked_is_not_proved():
    shown = said(HONEST, CHEAT, SHORT)
    assert "poison" in shown  # the table
    assert "Audit: every method" not in shown
    assert "Promise broken: cheat on s is lifelong and keeps its data (it grows by 50.0 kB per task, 100% of a" in shown
    assert "Not proved: short on s is lifelong and cannot be told (one task cannot tell a library from data)." in shown
    assert shown.count("cannot be told (one task") == 1
    assert "\x1b[1;31mPromise broken" in printed(CHEAT, force_terminal=True, color_system="standard")


def test_runs_that_were_not_audited_have_no_summary():
    assert printed(replace(HONEST, audit={})) == ""


def test_names_cannot_steer_the_terminal():
    assert "\x1b[31m" not in printed(audited("\x1b[31mred", "lifelong", (50_000, 100_000)))


def test_how_runs_were_made_is_noted_at_the_end():
    runs = [record(label="old"), record(label="mine", clock=2, isolated=False, processes_left=2)]
    text = " ".join(shown(*runs, width=200).split())
    assert f"mine: {NOT_ISOLATED}. old: {FIRST_TIMES}. mine: {LEFT}." in text
