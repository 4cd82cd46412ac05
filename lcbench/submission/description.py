"""The file submission.toml: who submits which methods, by which code, and what they declare.

Pydantic is slow to import: import this module only where such a file is read or written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from lcbench.contract.hashing import canonical_json
from lcbench.contract.specs import Setting
from lcbench.errors import SubmissionError
from lcbench.toml_files import Table, Text, read_toml, toml_text

LONGEST_TEXT = 4000
SETTINGS = [setting.value for setting in Setting]
Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$"), Field(description="a SHA-256 in hexadecimal")]
Statement = Annotated[Text, StringConstraints(max_length=LONGEST_TEXT)]


def _params(value: Any) -> Any:
    """Refuses a text that is no JSON object; it is kept as it is."""
    if isinstance(value, str):
        try:
            found = json.loads(value)
            canonical_json(found)  # which takes no NaN and no infinity
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object")
    return value


class About(Table):
    """The statements of the submitter: addresses, and statements that nobody can compute.

    `code` and `paper` are addresses, `contact` is a person's. `tuning` says how parameters were chosen, `outside_data`
    which other data or pretrained models were used, `labels` who saw the labels of the suite's streams, and when.
    """

    code: Statement
    paper: Statement
    contact: Statement
    tuning: Statement
    outside_data: Statement
    labels: Statement


class Package(Table):
    """The distribution that the methods come from: its wheel by name and hash, and its requirements as installed."""

    distribution: Text
    version: Text
    wheel: Text
    wheel_sha256: Sha256
    requirements: list[Text]


class SubmittedMethod(Table):
    """A method: its label in tables, and all of it that the ids of its runs depend on.

    `params` are a JSON text, as TOML has no word for none. `code_sha256` is the hash of the code that its runs name.
    """

    label: Text
    name: Text
    revision: Annotated[int, Field(description="a whole number")]
    setting: Annotated[str, Field(pattern=f"^({'|'.join(SETTINGS)})$", description=f"one of {', '.join(SETTINGS)}")]
    params: Annotated[str, BeforeValidator(_params), Field(description="a text with a JSON object")]
    code_sha256: Sha256

    @cached_property
    def values(self) -> dict[str, Any]:
        """The parameters."""
        found: dict[str, Any] = json.loads(self.params)
        return found


class Description(Table):
    """The content of submission.toml."""

    suite: Text
    suite_digest: Sha256
    quick: bool
    lcbench: Text
    about: About
    package: Package
    methods: Annotated[list[SubmittedMethod], Field(min_length=1, description="a list with an entry or more")]

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        """Refuse two methods of one label."""
        labels = [method.label for method in self.methods]
        for label in labels:
            if labels.count(label) > 1:
                raise ValueError(f"two methods are called '{label}'")
        return self

    def text(self) -> str:
        """The file."""
        return toml_text(self.model_dump(mode="json"))

    def code_of(self, method: SubmittedMethod) -> tuple[str, str, str]:
        """The code of a method, as `code_facts` has it."""
        return self.package.distribution, self.package.version, method.code_sha256


def code_facts(code: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """The distribution, the version and the hash of the code that a run names."""
    return code.get("distribution"), code.get("version"), code.get("sha256")


def read_about(file: Path) -> About:
    """The declarations that a submitter wrote; SubmissionError with a line for every fault."""
    return read_toml(file, About, error=SubmissionError)


def read_description(file: Path, shown: str) -> Description:
    """The submission.toml of a submission; SubmissionError with a line for every fault."""
    return read_toml(file, Description, shown=shown, error=SubmissionError)
