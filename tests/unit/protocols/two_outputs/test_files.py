"""Answers about two outputs in files, and the report of `analyse`."""

import json
import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.core.management import CommandError

from campaign.formats import FormatError
from campaign.formats.streams import StoredFile
from protocols.two_outputs.files import LINES
from protocols.two_outputs.records import choice_records
from protocols.two_outputs.report import (
    TwoOutputsOptions,
    two_outputs_report,
    two_outputs_result,
)
from ranking.reports.inputs import AnswersOfFiles

MakeFile = Callable[..., str]
LINE: dict[str, Any] = {
    "segment": 1,
    "first": ["online-b"],
    "second": ["rules"],
    "judge": "ann",
    "answer": "first",
}


def test_judges_and_systems_are_chosen(
    make_file: MakeFile,
    run: Callable[..., str],
) -> None:
    lines = [
        {**LINE, "judge": judge, "second": [other]}
        for judge in ("ann", "bob", "cleo")
        for other in ("rules", "jhu")
    ]
    file = make_file(lines)
    assert two_outputs_result(LINES.read([file])).systems is None
    read = LINES.read([file], exclude_judges=["ann"])
    choices = two_outputs_result(read, systems=("online-b", "jhu")).choices
    assert (choices.items, choices.judges) == (1, ("bob", "cleo"))
    said = run(
        *("analyse", "two_outputs", file, "--exclude-judge", "bob"),
        *("--option", "judge=cleo", "other=ann"),
    )
    assert "Without 1 judge: bob." in said
    assert "ann (rows) and cleo (columns)" in said
    for arguments, words in (
        (
            ("--option", "system_x=online-b", "system_y=nobody"),
            "system 'nobody' not found",
        ),
        (("--option", "judge=ann", "other=eve"), "No judgments by eve"),
        (("--exclude-judge", "eve"), "judge 'eve' not found"),
        (("--exclude-judge", "ann", "bob", "cleo"), "No judgments match these options"),
        (
            ("--option", "system_x=rules", "system_y=jhu"),
            "No judgments match these options",
        ),
        (
            ("--option", "system_x=rules", "system_y=rules"),
            "Enter two different systems.",
        ),
    ):
        with pytest.raises(CommandError, match=re.escape(words)):
            run("analyse", "two_outputs", file, *arguments)


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        ({"answer": "better"}, "answer", "'better' is not one of first"),
        ({"answer": "same"}, "answer", "contain both same and both_fine"),
        ({"first": []}, "first", "the list is empty"),
        ({"first": ["a", "a"]}, "first", "a appears twice"),
        ({"first": ["rules", "a"]}, "second", "rules is compared with itself"),
        ({"second": 5}, "second", "is not a list"),
        ({"first": "A,B"}, "first", "contains a comma"),
        ({"segment": 0}, "segment", "out of range"),
        ({"labels": [1, 2]}, "labels", "the key is unknown"),
    ],
)
def test_error_names_line_and_key(
    make_file: MakeFile,
    change: dict[str, Any],
    key: str,
    problem: str,
) -> None:
    first = {**LINE, "answer": "both_fine"}
    with pytest.raises(FormatError, match=re.escape(problem)) as refused:
        LINES.read([make_file([first, {**LINE, **change}])])
    assert (refused.value.line, refused.value.field) == (2, key)


def test_error_about_another_format_names_those_accepted(make_file: MakeFile) -> None:
    names = make_file(["a,b"])
    with pytest.raises(FormatError, match="in the format choices-jsonl"):
        LINES.read([names])
    with pytest.raises(FormatError, match="choices-jsonl, five-way-csv"):
        list(choice_records(StoredFile(names, partial(BytesIO, b"a,b")), None))


def test_a_judge_may_answer_again(make_file: MakeFile, run: Callable[..., str]) -> None:
    file = make_file([LINE, LINE, {**LINE, "segment": 2}])
    assert json.loads(run("analyse", "two_outputs", file, "--format", "json"))[
        "agreement"
    ]["totals"] == [[3, 0, 0, 0]]


def test_kappa_of_judges_who_always_agree_is_undefined_in_words(
    make_file: MakeFile,
    run_json: Callable[..., Any],
) -> None:
    row = {"first": "cu", "second": ["pc"], "answer": "first"}
    file = make_file(
        [
            {**row, "segment": segment, "judge": judge}
            for segment in (1, 2)
            for judge in "MO"
        ],
    )
    read = LINES.read([file])
    options: TwoOutputsOptions = {
        "system_x": "",
        "system_y": "",
        "judge": "",
        "other": "",
    }
    report = two_outputs_report(AnswersOfFiles(read), options, two_outputs_result(read))
    tables = {table.name: table for table in report.tables}
    for name, key in (("agreement", "fleiss"), ("judge_pairs", "kappa")):
        place = [column.key for column in tables[name].columns].index(key)
        assert isinstance(tables[name].rows[0][place], str), name
    assert (
        run_json("analyse", "two_outputs", file)["agreement"]["pairs"][0]["kappa"]
        is None
    )
