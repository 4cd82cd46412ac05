from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import solve_sylvester
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score as agreement

import lcbench
from lcbench.contract.task import Task
from lcbench_multitask import ridge
from lcbench_multitask.mtcmrl import MTCMRL, Models, simplex_columns
from lcbench_spectral.stsc import StSC

BLOCKS = ("update_partition", "update_model", "update_relations")


def tasks(name: str = "topics:documents=60,words=150") -> list[Task]:
    return [labelled.task for labelled in lcbench.load_stream(name).tasks()]


def random_models(seed: int = 0, *, lam=10.0, mu=1.0, alpha=5.0, beta=0.003, ks=(3, 1, 4), d=12) -> Models:
    """Nothing to be found in it: negative features, a dense random graph, random partitions."""
    generator = np.random.default_rng(seed)
    Xs, Ks, Fs = [], [], []
    for k in ks:
        n = int(generator.integers(15, 25))
        W = generator.random((n, n))
        Ks.append((W + W.T) / (2 * n))
        Xs.append(generator.standard_normal((n, d)))
        Fs.append(generator.random((n, k)))
    return Models(Xs, Ks, Fs, lam=lam, mu=mu, alpha=alpha, beta=beta)


def sweep(models: Models, iterations: int = 1) -> None:
    for _ in range(iterations):
        for t in range(len(models.F)):
            for block in BLOCKS:
                getattr(models, block)(t)


def model(models: Models, t: int) -> np.ndarray:
    return models.W[:, t, : models.k[t]]


def relation(models: Models, s: int, t: int) -> np.ndarray:
    return models.R[s, t, : models.k[s], : models.k[t]]


def pairs(T: int) -> list[tuple[int, int]]:
    return [(s, t) for s in range(T) for t in range(T) if s != t]


def raises(models: Models, iterations: int) -> dict[str, float]:
    """The largest relative rise of the objective in each block."""
    worst = dict.fromkeys(BLOCKS, -np.inf)
    value = models.objective()
    for _ in range(iterations):
        for t in range(len(models.F)):
            for block in BLOCKS:
                getattr(models, block)(t)
                before, value = value, models.objective()
                worst[block] = max(worst[block], (value - before) / abs(before))
    return worst


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "weights",
    [{}, {"lam": 0.0}, {"alpha": 0.0}, {"lam": 0.1, "alpha": 100.0}, {"beta": 0.0}, {"beta": 10.0}, {"mu": 1e-3}],
    ids=str,
)
def test_no_block_raises_the_objective_on_random_problems(seed, weights):
    sweeps = 15 if weights else 60  # once to the end, where steps are as small as rounding
    assert max(raises(random_models(seed, **weights), sweeps).values()) <= 1e-10


@pytest.mark.parametrize("stream", ["digits", "topics:documents=60,words=150"])
def test_no_block_raises_the_objective_on_small_streams(stream):
    assert max(raises(MTCMRL().start(tasks(stream)), 60).values()) <= 1e-10


def test_no_block_raises_the_objective_with_conjugate_gradients(monkeypatch):
    monkeypatch.setattr(ridge, "EXACT_UP_TO", 5)
    monkeypatch.setattr(ridge, "RANK", 5)
    assert max(raises(MTCMRL().start(tasks()), 20).values()) <= 1e-10


def test_the_objective_is_the_one_in_the_docstring():
    models = random_models(lam=2.0, mu=0.5, alpha=3.0, beta=0.2)
    sweep(models, 3)
    value = 0.0
    for t, (K, F, ridge_) in enumerate(zip(models.K, models.F, models.ridges, strict=True)):
        W = model(models, t)
        value += np.sum((K - F @ F.T) ** 2) + 2.0 * np.sum((ridge_.X @ W - F) ** 2) + 0.5 * np.sum(W**2)
    for s, t in pairs(3):
        R = relation(models, s, t)
        value += 3.0 * (np.sum((model(models, t) - model(models, s) @ R) ** 2) + 0.2 * np.sum(R**2))
    assert models.objective() == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("d", [12, 40])
def test_the_model_solves_scipys_sylvester_equation(d):
    lam, mu, alpha = 2.0, 0.5, 3.0
    models = random_models(lam=lam, mu=mu, alpha=alpha, d=d)
    sweep(models, 2)
    for t in range(3):
        X, F, others = models.ridges[t].X, models.F[t], [s for s in range(3) if s != t]
        left = lam * X.T @ X + (mu + alpha * 2) * np.eye(d)
        coupling = alpha * sum(relation(models, t, s) @ relation(models, t, s).T for s in others)
        right = lam * X.T @ F
        right += alpha * sum(model(models, s) @ (relation(models, s, t) + relation(models, t, s).T) for s in others)
        models.update_model(t)
        np.testing.assert_allclose(model(models, t), solve_sylvester(left, coupling, right), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_relations_are_those_of_a_general_quadratic_programme(seed):
    models = random_models(seed, beta=0.05)
    sweep(models, 2)
    models.update_relations(0)
    for s in (1, 2):
        W, target = model(models, s), model(models, 0)
        for j in range(target.shape[1]):
            r = relation(models, s, 0)[:, j]

            def value(r, W=W, y=target[:, j]):
                return np.sum((y - W @ r) ** 2) + 0.05 * np.sum(r**2)

            general = minimize(
                value,
                np.full(len(r), 1 / len(r)),
                method="SLSQP",
                bounds=[(0, 1)] * len(r),
                constraints={"type": "eq", "fun": lambda r: r.sum() - 1},
                options={"ftol": 1e-14, "maxiter": 500},
            )
            assert value(r) <= general.fun + 1e-8
            np.testing.assert_allclose(r, general.x, atol=1e-3)


def test_simplex_columns_worked_by_hand():
    # min (r1 - 1)² + (r2 - 0.6)² on the simplex is (0.7, 0.3); with the second entry barred it is (1, 0)
    A, B, start = np.eye(2)[None], np.array([[[1.0], [0.6]]]), np.full((1, 2, 1), 0.5)
    free = simplex_columns(A, B, start, np.array([[True, True]]))
    np.testing.assert_allclose(free[0, :, 0], [0.7, 0.3])
    barred = simplex_columns(A, B, start, np.array([[True, False]]))
    np.testing.assert_allclose(barred[0, :, 0], [1.0, 0.0])


def test_relations_stay_on_the_simplex_and_nothing_leaks_between_tasks_of_different_width():
    models = random_models()
    sweep(models, 5)
    for s, t in pairs(3):
        R = relation(models, s, t)
        assert (R >= 0).all()
        np.testing.assert_allclose(R.sum(axis=0), 1.0)
        assert models.R[s, t].sum() == pytest.approx(models.k[t])
    assert not models.R[[0, 1, 2], [0, 1, 2]].any()
    for t in range(3):
        assert not models.W[:, t, models.k[t] :].any()


def test_related_tasks_are_matched_cluster_by_cluster(make_task):
    a, b = make_task("a", seed=0, n=90), make_task("b", seed=1, n=60)
    method = MTCMRL()
    found = method.fit_tasks([a.task, b.task])
    for labelled, labels in zip((a, b), found, strict=True):
        assert agreement(labelled.y, labels) == 1.0
    of = [{labels[0]: 0, labels[1]: 1, labels[2]: 2} for labels in found]  # the true class of each cluster
    R = method.relatedness_["a", "b"]
    assert all(of[0][int(R[:, j].argmax())] == of[1][j] for j in range(3))
    assert R.max(axis=0).min() > 0.8


def test_relations_are_as_wide_as_the_tasks_have_clusters(make_task):
    method = MTCMRL()
    method.fit_tasks([make_task("three", k=3).task, make_task("four", k=4).task])
    assert {pair: R.shape for pair, R in method.relatedness_.items()} == {
        ("three", "four"): (3, 4),
        ("four", "three"): (4, 3),
    }


def test_without_models_it_is_plain_symmetric_nmf():
    stream = tasks()
    method = MTCMRL(lam=0.0, alpha=0.0)
    models = method.start(stream)
    for task, start, t in zip(stream, list(models.F), range(4), strict=True):
        K, F = method._graph(task.X).toarray(), start
        for _ in range(10):
            models.update_partition(t)
            models.update_model(t)
            F = F * ((K @ F) / (F @ F.T @ F)) ** 0.25
        np.testing.assert_allclose(models.F[t], F, atol=1e-8)
        assert not model(models, t).any()


def test_without_relations_each_task_is_alone_as_it_is_when_there_is_only_one():
    stream = tasks()
    together = MTCMRL(alpha=0.0, tol=0.0, max_iter=20).fit_tasks(stream)
    for task, labels in zip(stream, together, strict=True):
        alone = MTCMRL(tol=0.0, max_iter=20).partial_fit(task)
        np.testing.assert_array_equal(alone.labels_, labels)
        assert alone.relatedness_ == {}
        assert (np.diff(alone.objective_trace_) <= 0).all()


def test_other_labels_of_one_task_permute_the_relations_and_nothing_else():
    method, stream = MTCMRL(), tasks()
    plain, relabelled = method.start(stream), method.start(stream)
    order = [2, 0, 3, 1]
    Fs = [F[:, order] if t == 1 else F for t, F in enumerate(relabelled.F)]
    Xs = [one.X for one in relabelled.ridges]
    relabelled = Models(Xs, relabelled.K, Fs, lam=10.0, mu=1.0, alpha=5.0, beta=0.003)
    sweep(plain, 15)
    sweep(relabelled, 15)
    for t in range(4):
        np.testing.assert_allclose(plain.F[t][:, order] if t == 1 else plain.F[t], relabelled.F[t], atol=1e-6)
    for s, t in pairs(4):
        R = relation(plain, s, t)
        R = R[order] if s == 1 else R
        R = R[:, order] if t == 1 else R
        np.testing.assert_allclose(R, relation(relabelled, s, t), atol=1e-4)


def test_the_start_is_stsc_and_has_the_objective_of_the_trace():
    stream = tasks()
    method = MTCMRL(random_state=5)
    models = method.start(stream)
    for task, F in zip(stream, models.F, strict=True):
        np.testing.assert_array_equal(F.argmax(axis=1), StSC(random_state=5).predict(task))
    method.fit_tasks(stream)
    assert method.objective_trace_[0] == models.objective()
    assert (np.diff(method.objective_trace_) <= 0).all()


def test_the_start_is_offset_and_scaled_by_the_sizes_of_its_clusters():
    task = tasks()[0]
    labels = StSC().predict(task)
    sizes = np.bincount(labels)
    expected = np.where(labels[:, None] == np.arange(4), 1.2, 0.2) / np.sqrt(sizes)
    np.testing.assert_allclose(MTCMRL().start([task]).F[0], expected)


def test_the_first_models_are_ridge_regressions_on_the_first_partitions():
    models = random_models(lam=2.0, mu=0.5)
    for t, ridge_ in enumerate(models.ridges):
        X = ridge_.X
        expected = np.linalg.solve(2.0 * X.T @ X + 0.5 * np.eye(X.shape[1]), 2.0 * X.T @ models.F[t])
        np.testing.assert_allclose(model(models, t), expected, atol=1e-10)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_an_intercept_is_a_column_of_ones_after_the_features(container):
    X = np.random.default_rng(0).random((5, 3))
    method = MTCMRL(unit_rows=False)
    samples = method._samples(Task("a", container(X), 2).X)
    np.testing.assert_array_equal(np.asarray(sparse.csr_array(samples).toarray()), np.hstack([X, np.ones((5, 1))]))
    assert MTCMRL(unit_rows=False, intercept=False)._samples(X).shape == (5, 3)


def test_an_empty_cluster_on_the_way_does_no_harm_and_is_said(make_task, caplog):
    equal = Task("equal", np.ones((12, 12)), 3)
    method = MTCMRL()
    labels = method.fit_tasks([make_task("a").task, equal])[1]
    assert len(set(labels)) < 3
    assert "clusters of task 'equal' empty" in caplog.text
    assert np.isfinite(method.objective_trace_).all()
    assert (np.diff(method.objective_trace_) <= 1e-9).all()


def test_a_partition_column_that_dies_stays_above_the_floor():
    models = random_models(ks=(3, 3))
    models.F[0][:, 1] = 0.0
    sweep(models, 30)
    assert models.F[0].min() >= 1e-10
    assert np.isfinite(models.objective())


def test_conjugate_gradients_and_the_exact_solution_agree(monkeypatch):
    exact = MTCMRL(max_iter=30)
    expected = exact.fit_tasks(tasks())
    monkeypatch.setattr(ridge, "EXACT_UP_TO", 5)
    monkeypatch.setattr(ridge, "RANK", 5)
    iterated = MTCMRL(max_iter=30)
    np.testing.assert_equal(expected, iterated.fit_tasks(tasks()))
    assert iterated.objective_trace_ == pytest.approx(exact.objective_trace_, rel=1e-8)
