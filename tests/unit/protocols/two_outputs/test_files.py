"""Answers about two outputs in files, and what `compare_choices` tells of them."""

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from campaign.formats import FormatError
from protocols.two_outputs.files import read_choices
from protocols.two_outputs.report import two_outputs_found, two_outputs_report
from ranking.files import SelectionError
from tests.unit.protocols.two_outputs.test_judges import TABLE_7

MakeFile = Callable[..., str]
LINE: dict[str, Any] = {
    "segment": 1,
    "first": ["online-b"],
    "second": ["rules"],
    "judge": "ann",
    "answer": "first",
}
#: Of X, which is shown first; of Y; both fine; both wrong.
ANSWERS = ("first", "second", "both_fine", "both_wrong")


def table_7() -> list[dict[str, Any]]:
    """Return the answers of two judges about 63 sentences, every third with Y first."""
    cells = [pair for pair in product(range(4), range(4)) for _ in range(TABLE_7[pair[0]][pair[1]])]
    turned = {"first": "second", "second": "first"}
    lines = []
    for segment, pair in enumerate(cells, 1):
        for judge, choice in zip(("M", "O"), pair, strict=True):
            line = {"segment": segment, "first": "cu", "second": ["pc"], "judge": judge}
            answer = ANSWERS[choice]
            if segment % 3 == 0:
                line |= {"first": ["pc"], "second": "cu"}
                answer = turned.get(answer, answer)
            lines.append({**line, "answer": answer})
    return lines


def test_table_7_from_a_file(make_file: MakeFile, run_json: Callable[..., Any]) -> None:
    file = make_file(table_7())
    said = run_json("compare_choices", file, "--systems", "cu", "pc")
    [pair] = said["agreement"]["pairs"]
    assert pair["table"] == [list(row) for row in TABLE_7]
    assert f"{pair['kappa']:.3f}" == "0.387"
    assert said["four_answers"] is True
    assert said["systems"] == ["cu", "pc"]
    # One tie: as docs/protocols.md has it.
    assert f"{said['merged']['pairs'][0]['kappa']:.3f}" == "0.428"
    turned = run_json("compare_choices", file, "--systems", "pc", "cu")
    assert turned["agreement"]["pairs"][0]["kappa"] == pair["kappa"]


def test_the_example_of_the_documentation(make_file: MakeFile) -> None:
    page = (Path(__file__).parents[4] / "docs" / "formats.md").read_text(encoding="utf-8")
    section = page.partition("### Answers about two outputs as JSON Lines")[2]
    example = re.search(r"^```jsonl\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert example is not None
    read = read_choices([make_file(example[1].splitlines())]).read
    assert read.choices.judges == ("judge01", "judge02")
    assert read.choices.items == 2


def test_judges_and_systems_are_chosen(make_file: MakeFile, run: Callable[..., str]) -> None:
    lines = [
        {**LINE, "judge": judge, "second": [other]}
        for judge in ("ann", "bob", "cleo")
        for other in ("rules", "jhu")
    ]
    file = make_file(lines)
    assert read_choices([file]).read.systems is None
    read = read_choices([file], systems=("online-b", "jhu"), exclude_judges=["ann"])
    assert (read.read.choices.items, read.read.choices.judges) == (1, ("bob", "cleo"))
    said = run("compare_choices", file, "--judges", "cleo", "ann", "--exclude-judge", "bob")
    assert "Without 1 judge: bob." in said
    assert "ann (rows) and cleo (columns)" in said
    for arguments, words in (
        (("--systems", "online-b", "nobody"), "there is no system 'nobody'"),
        (("--judges", "ann", "eve"), "there is no judge 'eve'"),
        (("--exclude-judge", "eve"), "there is no judge 'eve'"),
        (("--exclude-judge", "ann", "bob", "cleo"), "nothing is left"),
        (("--systems", "rules", "rules"), "Name two different systems."),
    ):
        with pytest.raises(CommandError, match=re.escape(words)):
            run("compare_choices", file, *arguments)
    with pytest.raises(SelectionError):
        read_choices([file], systems=("rules", "jhu"))


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        ({"answer": "better"}, "answer", "'better' is none of first"),
        ({"answer": "same"}, "answer", "same stands beside both_fine"),
        ({"first": []}, "first", "the list is empty"),
        ({"first": ["a", "a"]}, "first", "a stands there twice"),
        ({"first": ["rules", "a"]}, "second", "rules is compared with itself"),
        ({"second": 5}, "second", "is no list"),
        ({"first": "A,B"}, "first", "contains a comma"),
        ({"segment": 0}, "segment", "out of range"),
        ({"labels": [1, 2]}, "labels", "the key is unknown"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_key(
    make_file: MakeFile, change: dict[str, Any], key: str, problem: str
) -> None:
    first = {**LINE, "answer": "both_fine"}
    with pytest.raises(FormatError, match=re.escape(problem)) as refused:
        read_choices([make_file([first, {**LINE, **change}])])
    assert (refused.value.line, refused.value.field) == (2, key)


def test_a_judge_may_answer_again(make_file: MakeFile, run: Callable[..., str]) -> None:
    file = make_file([LINE, LINE])
    assert json.loads(run("compare_choices", file, "--format", "json"))["agreement"]["totals"] == [
        [2, 0, 0, 0]
    ]


def test_kappa_of_judges_who_always_agree_is_undefined_in_words(
    make_file: MakeFile, run_json: Callable[..., Any]
) -> None:
    row = {"first": "cu", "second": ["pc"], "answer": "first"}
    file = make_file(
        [{**row, "segment": segment, "judge": judge} for segment in (1, 2) for judge in "MO"]
    )
    report = two_outputs_report(
        two_outputs_found(read_choices([file]).read), judges=(), files=read_choices([file])
    )
    tables = {table.name: table for table in report.tables}
    for name, key in (("agreement", "fleiss"), ("judge_pairs", "kappa")):
        place = [column.key for column in tables[name].columns].index(key)
        assert isinstance(tables[name].rows[0][place], str), name
    assert run_json("compare_choices", file)["agreement"]["pairs"][0]["kappa"] is None
