from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from lcbench.api.loading import load_method, load_metric, load_stream
from lcbench.contract.metric import Contingency
from lcbench.errors import ParameterError, UnknownNameError

Y = [0, 0, 0, 1, 1, 2]
FOUND = [0, 0, 1, 1, 1, 1]


def classes(stream) -> list[list[int]]:
    return [task.y.tolist() for task in stream.tasks()]


def test_parameters_of_a_method_may_stand_in_its_name_or_beside_it_which_comes_first():
    assert load_method("l2sc", lam=10).get_params() == load_method("l2sc:lam=10").get_params()
    params = load_method("l2sc:lam=10,k=4", lam=2).get_params()
    assert (params["lam"], params["k"]) == (2, 4)


def test_every_call_builds_a_new_object():
    method = load_method("kmeans").set_params(n_init=99)
    assert load_method("kmeans").get_params()["n_init"] != method.get_params()["n_init"] == 99


def test_parameters_of_a_stream_may_stand_in_its_name_or_beside_it_which_comes_first():
    found = classes(load_stream("digits", tasks=3, seed=4))
    assert classes(load_stream("digits:tasks=2,seed=4", tasks=3)) == found
    assert classes(load_stream("digits", tasks=3, seed=5)) != found
    assert len(found) == 3


def test_a_folder_is_loaded_by_its_path_as_text_or_as_an_object(tmp_path):
    X, y = np.random.default_rng(0).random((8, 3)), np.arange(8) % 2
    np.savez(tmp_path / "first.npz", X=X, y=y)
    for name in (tmp_path, str(tmp_path)):
        (task,) = load_stream(name, clusters=3).tasks()
        assert (task.name, task.task.n_clusters) == ("first", 3)
        np.testing.assert_array_equal(task.task.X, X)
        np.testing.assert_array_equal(task.y, y)


@pytest.mark.parametrize("average", ["arithmetic", "geometric"])
def test_a_metric_has_the_value_that_scikit_learn_computes_with_the_same_parameter(average):
    expected = normalized_mutual_info_score(Y, FOUND, average_method=average)
    for metric in (load_metric("nmi", average=average), load_metric(f"nmi:average={average}")):
        assert metric.score(Contingency(Y, FOUND)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("load", "kind", "misspelt", "meant"),
    [
        (load_method, "method", "l2cs", "l2sc"),
        (load_stream, "stream", "digit", "digits"),
        (load_metric, "metric", "nmy", "nmi"),
    ],
)
def test_a_wrong_name_or_parameter_is_refused_with_the_nearest_name_and_the_owner(load, kind, misspelt, meant):
    with pytest.raises(UnknownNameError, match=f"no {kind} '{misspelt}'.*'{meant}'"):
        load(misspelt)
    with pytest.raises(ParameterError, match=f"{kind.capitalize()} '{meant}'.*colour"):
        load(meant, colour="red")


def test_a_stream_by_name_knows_its_tasks_and_its_card_before_they_are_made():
    stream = load_stream("digits", tasks=3)
    assert [shape.name for shape in stream.declared] == ["task-1", "task-2", "task-3"]
    assert "Handwritten digits" in stream._repr_html_()
