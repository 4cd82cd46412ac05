"""Reads the runs of a submission: a stranger's files, with limits on what they unpack to.

Nothing in them is unpickled or executed.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from lcbench.errors import RecordError
from lcbench.printable import byte_size
from lcbench.reading import read_regular
from lcbench.records.environments import Environments
from lcbench.records.record import RunRecord
from lcbench.records.run_files import check_summary, parse_run, unpack_labels
from lcbench.submission.folder import MOST_BYTES, RESULTS

MOST_UNPACKED = 256 * 1024**2  # bytes of all labels of a run
MOST_HEADER = 4096


class StoredRuns:
    """The runs in the folder of a submission whose files are those of its manifest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / RESULTS
        self._environments = Environments(self._folder / "environments")

    def ids(self) -> list[str]:
        """The ids of all runs that have a record, by the names of their files."""
        return sorted(file.stem for file in (self._folder / "runs").glob("*.json"))

    def labels_without_record(self) -> list[str]:
        """The ids of runs that have labels and no record."""
        known = set(self.ids())
        return sorted(file.stem for file in (self._folder / "labels").glob("*.npz") if file.stem not in known)

    def load(self, run_id: str) -> RunRecord:
        """The record of a run with its labels; RecordError says what is wrong with its files."""
        try:
            content = read_regular(self._folder / "runs" / f"{run_id}.json", MOST_BYTES[".json"])
            record, environment = parse_run(content, run_id)
            check_summary(content, record)
            record.environment = self._environments.load(environment or "")
            if not record.environment:
                raise RecordError("the facts about its machine are missing or damaged")
            if record.digest is not None:
                labels = read_regular(self._folder / "labels" / f"{run_id}.npz", MOST_BYTES[".npz"])
                check_archive(labels)
                record.labels = unpack_labels(labels, record)
        except FileNotFoundError:
            raise RecordError("its labels are missing") from None
        except OSError as error:
            raise RecordError(f"it cannot be read: {error.strerror}") from None
        except ValueError as error:  # numbers too large for JSON, as in the facts about a machine
            raise RecordError(f"it cannot be read: {error}") from None
        return record


def check_archive(content: bytes) -> None:
    """Raise RecordError if an archive of labels unpacks to more than allowed, or an array to more than it has."""
    from numpy.lib import format as npy

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > MOST_UNPACKED:
                raise RecordError(f"its labels unpack to {byte_size(size)}, and {byte_size(MOST_UNPACKED)} are allowed")
            for member in members:
                with archive.open(member) as file:
                    version = npy.read_magic(file)
                    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                    shape, _, kind = read(file, max_header_size=MOST_HEADER)
                if len(shape) != 1 or kind.hasobject or shape[0] * kind.itemsize > member.file_size:
                    raise RecordError(f"its labels hold '{member.filename[:40]}', which is no list of labels")
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise RecordError("its labels are no archive of arrays") from None
