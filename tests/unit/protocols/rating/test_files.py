"""Ratings as JSON Lines: valid files, and errors with line and key."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from campaign.formats import FormatError
from protocols.frame.scale.files import LINES, easy_items, ratings_arranged

MakeFile = Callable[..., str]
RATING: dict[str, Any] = {
    "segment": 1,
    "systems": ["A", "B"],
    "judge": "ann",
    "criterion": "fluency",
    "value": 4,
}


def test_files_are_read_together_plain_or_gzip(
    make_file: MakeFile,
    tmp_path: Path,
) -> None:
    one = make_file(
        [RATING, {**RATING, "systems": ["B", "A"], "judge": "bob", "value": 2}],
    )
    other = tmp_path / "more.gz"
    line = '{"segment": 2, "systems": "C", "judge": "bob", "criterion": "adequacy", "value": 1}\n'
    other.write_bytes(gzip.compress(line.encode()))
    read = LINES.read([one, str(other)])
    ratings = ratings_arranged(read.rows)
    fluency, adequacy = ratings["fluency"], ratings["adequacy"]
    # "A" and "B" are one text, in whatever order they are named.
    assert fluency.item.tolist() == [0, 0]
    assert fluency.value.tolist() == [4, 2]
    assert adequacy.items is fluency.items
    assert adequacy.judges == ("ann", "bob")
    assert fluency.items.segment.tolist() == [1, 2]
    assert len(read.files) == 2


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        ({"value": 6}, "value", "6 is out of range"),
        ({"value": "4"}, "value", "'4' is not a whole number"),
        ({"value": True}, "value", "True is not a whole number"),
        ({"criterion": "Beauty!"}, "criterion", "'Beauty!' is no name of a criterion"),
        ({"scale": "0-7", "value": 8}, "value", "8 is out of range"),
        ({"scale": "1-100"}, "scale", "'1-100' is no scale"),
        (
            {"scale": "0-6", "judge": "bob"},
            "scale",
            "the scale of fluency was before 1-5",
        ),
        ({"segment": 0}, "segment", "0 is out of range"),
        ({"systems": []}, "systems", "the list is empty"),
        ({"systems": ["A", "A"]}, "systems", "A appears twice"),
        ({"judge": " "}, "judge", "the value is not a text"),
        ({"points": 5}, "points", "the key is unknown"),
        ({"condition": ""}, "condition", "the value is not a text"),
        ({"duration_ms": -1}, "duration_ms", "-1 is out of range"),
        (
            {"systems": ["A"]},
            "systems",
            "the text of A for segment 1 was attributed to A, B earlier",
        ),
        ({"value": 3}, "judge", "the answer differs from that of the same judge in"),
    ],
)
def test_error_names_line_and_key(
    make_file: MakeFile,
    change: dict[str, Any],
    key: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=re.escape(problem)) as refused:
        LINES.read([make_file([RATING, {**RATING, **change}])])
    assert (refused.value.line, refused.value.field) == (2, key)


def test_a_missing_key_a_broken_line_and_an_empty_file_are_refused(
    make_file: MakeFile,
) -> None:
    with pytest.raises(FormatError, match="the key is missing") as refused:
        LINES.read([make_file(['{"segment": 1}'])])
    assert refused.value.field == "systems"
    with pytest.raises(FormatError, match="not valid JSON") as refused:
        LINES.read([make_file([RATING, '{"segment": '])])
    assert (refused.value.line, refused.value.column) == (2, 13)
    with pytest.raises(FormatError, match="empty"):
        LINES.read([make_file([])])


def test_judges_and_conditions_are_chosen(
    make_file: MakeFile,
    run: Callable[..., str],
    run_json: Callable[..., Any],
) -> None:
    file = make_file(
        [
            {**RATING, "condition": "ASR"},
            {**RATING, "condition": "FTE", "judge": "bob"},
        ],
    )
    of_one = run_json("analyse", "rating", file, "--option", "condition=FTE")
    assert of_one["input"]["conditions"] == ["FTE"]
    left = ratings_arranged(LINES.read([file], exclude_judges=["ann"]).rows)
    assert left["fluency"].judges == ("bob",)
    for options, problem in [
        (["--exclude-judge", "dee"], "judge 'dee' not found"),
        (["--option", "condition=verbatim"], "choose from ASR, FTE"),
        (["--exclude-judge", "ann", "--option", "condition=ASR"], "choose from FTE"),
        (["--exclude-judge", "ann", "bob"], "No judgments match these options"),
    ]:
        with pytest.raises(CommandError, match=problem):
            run("analyse", "rating", file, *options)


def test_easy_items_are_named_by_segment_or_by_text(make_file: MakeFile) -> None:
    read = LINES.read(
        [make_file([RATING, {**RATING, "systems": ["C"]}, {**RATING, "segment": 2}])],
    )
    items = ratings_arranged(read.rows)["fluency"].items
    assert easy_items(items, [(1, None)]).tolist() == [True, True, False]
    assert easy_items(items, [(1, "B"), (2, "A")]).tolist() == [True, False, True]
    assert not easy_items(items, [(3, None), (1, "Z")]).any()
