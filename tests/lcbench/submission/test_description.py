from __future__ import annotations

from pathlib import Path

import pytest
from small_suite import ABOUT, STATEMENTS

from lcbench.errors import SubmissionError
from lcbench.submission.description import Description, Package, SubmittedMethod, read_about, read_description

METHOD = SubmittedMethod(
    label="mine", name="l2sc", revision=2, setting="lifelong", params='{"lam": 1.5, "k": null}', code_sha256="a" * 64
)
PACKAGE = Package(
    distribution="my-method", version="1.0", wheel="my_method-1.0-py3-none-any.whl", wheel_sha256="b" * 64,
    requirements=["numpy==2.0", "scipy==1.17"],
)  # fmt: skip
DESCRIPTION = Description(
    suite="small-1", suite_digest="c" * 64, quick=False, lcbench="0.2", about=STATEMENTS, package=PACKAGE,
    methods=[METHOD],
)  # fmt: skip
PARAMS = r'params = "{\"lam\": 1.5, \"k\": null}"'


def written(text: str) -> Path:
    file = Path("submission.toml")
    file.write_text(text, encoding="utf-8")
    return file


def test_a_description_is_read_as_it_was_written():
    assert read_description(written(DESCRIPTION.text()), "submission.toml") == DESCRIPTION
    assert METHOD.values == {"lam": 1.5, "k": None}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('setting = "lifelong"', 'setting = "clever"', "setting must be one of single-task, multi-task, lifelong"),
        ('suite_digest = "cc', 'suite_digest = "zz', "suite_digest must be a SHA-256 in hexadecimal"),
        (PARAMS, 'params = "lam=1"', "must be a text with a JSON object, not 'lam=1'"),
        (PARAMS, 'params = "[1]"', "must be a text with a JSON object, not '[1]'"),
        (PARAMS, f'params = "{"[" * 100_000}"', "must be a text with a JSON object, not '[[["),
        (r"\"lam\": 1.5", r"\"lam\": NaN", "must be a text with a JSON object"),
        (r"\"lam\": 1.5", r"\"lam\": 1e999", "must be a text with a JSON object"),
        ('labels = "Nobody looked."', 'labels = " "', "about.labels must be a text"),
        ('labels = "Nobody looked."\n', "", "'about.labels' is missing"),
        ('suite = "small-1"', 'suite = "small-1"\nscore = 1', "there is no setting 'score'"),
    ],
)
def test_a_description_that_is_wrong_is_refused_with_the_place(old, new, said):
    assert old in DESCRIPTION.text()
    with pytest.raises(SubmissionError) as refused:
        read_description(written(DESCRIPTION.text().replace(old, new)), "submission.toml")
    assert said in str(refused.value)


def test_two_methods_of_one_label_are_refused():
    text = DESCRIPTION.text() + DESCRIPTION.text().partition("[[methods]]")[2].join(["\n[[methods]]", ""])
    with pytest.raises(SubmissionError, match="two methods are called 'mine'"):
        read_description(written(text), "submission.toml")


def test_the_declarations_of_a_submitter_need_every_statement():
    assert read_about(written(ABOUT)).paper == "none yet"
    with pytest.raises(SubmissionError, match="'contact' is missing"):
        read_about(written("\n".join(line for line in ABOUT.splitlines() if "contact" not in line)))
