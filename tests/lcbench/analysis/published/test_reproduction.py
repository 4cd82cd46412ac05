from __future__ import annotations

import pytest

from lcbench.analysis.published.reproduction import Reproduction, choose_methods
from lcbench.errors import UnknownNameError
from lcbench.experiment.planning import plan_experiment


def test_the_plan_has_every_method_in_the_same_orders(published):
    plan = plan_experiment(Reproduction(published, repeats=3, seed=7).experiment())
    orders = {}
    for planned in plan:
        assert planned.record.stream_params["seed"] == 1
        assert planned.record.seed == 7
        orders.setdefault(planned.record.label, []).append(planned.record.order)
    assert set(orders) == {"stsc:n_neighbors=5", "l2sc:lam=10,n_neighbors=5"}
    assert orders["stsc:n_neighbors=5"] == orders["l2sc:lam=10,n_neighbors=5"]
    assert len({*orders["stsc:n_neighbors=5"]}) == 3


def test_full_tries_the_papers_values_of_one_parameter_at_a_time_and_chooses_by_the_first_metric(published):
    plan = plan_experiment(Reproduction(published, repeats=2, full=True).experiment())
    assert len(plan.tuned) == 2
    grid = plan.tuned[0].points
    assert {point["lam"] for point in grid if point["mu"] == 0.01} >= {0.001, 0.1, 1.0, 20, 40, 800}
    assert all(point["lam"] == 1 or point["mu"] == 0.01 for point in grid)
    assert len(grid) == 58 + 58 - 1  # the default lam=1, mu=0.01 lies on both lines
    assert plan.tune_metric == "purity"
    assert all(tuned.record.tune["protocol"] == "oracle" for tuned in plan.tuned)
    assert {tuned.record.label for tuned in plan.tuned} == {"l2sc:n_neighbors=5 (oracle)"}


def test_full_without_a_method_that_is_tuned_is_the_plain_plan(published):
    part = choose_methods(published, ["Plain"])
    plan = plan_experiment(Reproduction(part, repeats=2, full=True).experiment())
    assert [planned.run_id for planned in plan] == [
        planned.run_id for planned in plan_experiment(Reproduction(part, repeats=2).experiment())
    ]


def test_runs_belong_to_a_method_if_name_parameters_and_tuning_agree(published):
    plain, full = Reproduction(published, repeats=1), Reproduction(published, repeats=1, full=True)
    runs = [planned.record for planned in plan_experiment(plain.experiment())]
    chosen = [tuned.record for tuned in plan_experiment(full.experiment()).tuned]
    everything = [*runs, *chosen]
    assert {run.label for run in plain.runs_of("Life", everything)} == {"l2sc:lam=10,n_neighbors=5"}
    assert full.runs_of("Life", everything) == chosen
    assert {run.label for run in full.runs_of("Plain", everything)} == {"stsc:n_neighbors=5"}


def test_the_expected_seconds_of_the_remaining_runs_add_up(published):
    reproduction = Reproduction(published, repeats=4)
    plan = list(plan_experiment(reproduction.experiment()))
    assert reproduction.seconds(plan) == 4 * (1 + 2.5)
    assert reproduction.seconds([run for run in plan if run.record.method == "l2sc"]) == 10
    assert reproduction.seconds([]) == 0


@pytest.mark.parametrize("names", [["Life"], ["life"], ["l2sc"], ["LIFE", "l2sc"]])
def test_methods_are_chosen_by_the_papers_name_or_ours(published, names):
    assert list(choose_methods(published, names).methods) == ["Life"]


def test_chosen_methods_stay_in_the_order_of_the_table(published):
    assert list(choose_methods(published, ["Life", "Plain"]).methods) == ["Plain", "Life"]


def test_a_method_that_the_table_does_not_have_is_refused(published):
    with pytest.raises(UnknownNameError, match=r"Table 9 has no method 'Lief'\. Did you mean 'Life'\?"):
        choose_methods(published, ["Lief"])
