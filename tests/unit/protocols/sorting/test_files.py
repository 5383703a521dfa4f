"""Comparisons as JSON Lines, and errors of invalid lines."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from campaign.formats import FormatError
from protocols.sorting.files import LINES as FORMAT
from protocols.sorting.files import judged_pairs
from ranking.core.rankings.two_systems import Preference
from ranking.files.records import SelectionError

MakeFile = Callable[[Iterable[Any]], str]

LINE = {"segment": 3, "judge": "ann", "first": "B", "second": "A", "answer": "first"}
LINES = [
    LINE,
    {
        **LINE,
        "judge": "bob",
        "first": "A",
        "second": "B",
        "answer": "first",
        "duration_ms": 900,
    },
    {**LINE, "segment": 4, "answer": "same"},
    {**LINE, "segment": 5, "answer": "identical"},
    {**LINE, "second": "C", "answer": "second"},
]


def test_answers_are_counted_by_pair_whichever_output_came_first(
    make_file: MakeFile,
) -> None:
    judged = judged_pairs(FORMAT.read([make_file(LINES)]).rows)
    first = judged["A", "B"]
    assert (first.first, first.preference()) == ("A", Preference(1, 1, 1, 1))
    assert first.of_judge("ann") == Preference(0, 1, 1, 1)
    assert judged["B", "C"].preference() == Preference(0, 1)


def test_judges_are_left_out(make_file: MakeFile) -> None:
    name = make_file(LINES)
    read = FORMAT.read([name], exclude_judges=["ann"])
    assert (len(read.rows), read.excluded_judges) == (1, ("ann",))
    with pytest.raises(
        SelectionError,
        match="judge 'eve' not found; choose from ann, bob",
    ):
        FORMAT.read([name], exclude_judges=["eve"])


@pytest.mark.parametrize(
    ("changed", "key", "problem"),
    [
        ({"segment": 0}, "segment", "0 is out of range"),
        ({"segment": "x"}, "segment", "'x' is not a whole number"),
        ({"judge": " "}, "judge", "not a text or is empty"),
        ({"judge": "a" * 101}, "judge", "longer than 100 characters"),
        ({"first": "A,B"}, "first", "contains a comma"),
        ({"second": "B"}, "second", "the system B is compared with itself"),
        ({"answer": "A"}, "answer", "'A' is not one of first, second, same, identical"),
        ({"answer": 1}, "answer", "1 is not one of first"),
        ({"duration_ms": -1}, "duration_ms", "-1 is out of range"),
        ({"note": "x"}, "note", "the key is unknown"),
        (
            {"first": "A", "second": "B"},
            "judge",
            "the answer differs from that of the same judge in",
        ),
    ],
)
def test_a_wrong_line_is_named_with_its_key(
    make_file: MakeFile,
    changed: dict[str, object],
    key: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        FORMAT.read([make_file([LINE, {**LINE, **changed}])])
    assert (refused.value.line, refused.value.field) == (2, key)


def test_a_missing_key_and_a_broken_line(make_file: MakeFile) -> None:
    short = {key: value for key, value in LINE.items() if key != "answer"}
    with pytest.raises(FormatError, match="the key is missing") as refused:
        FORMAT.read([make_file([short])])
    assert (refused.value.line, refused.value.field) == (1, "answer")
    with pytest.raises(FormatError, match="the line is not valid JSON") as broken:
        FORMAT.read([make_file([LINE, '{"segment": 3'])])
    assert (broken.value.line, broken.value.column) == (2, 14)
