"""Ratings of EvalSet folders: content, losses, and errors with line and key."""

import json
from typing import Any

import pytest

from campaign.formats import FormatError
from protocols.spans.files.evalset import read_evalset_ratings
from protocols.spans.files.formats import SpansFormat, detect_spans_format
from protocols.spans.records import Severity, Span
from ranking.files.reading import detect_input_format
from tests.unit.protocols.spans.drawn import minor
from tests.unit.protocols.spans.in_memory import in_memory, lost


def rating(*errors: dict[str, Any]) -> str:
    return json.dumps({"errors": errors})


def error(start: float, end: float, **more: Any) -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "severity": "minor",
        "is_source_error": False,
        **more,
    }


def test_segments_are_the_lines_of_a_system() -> None:
    lines = [
        f"A\t{rating(error(0, 3, severity='Major', category='Style'))}\tann",
        "A\tNone",
        f"B\t{rating()}\tann",
        f"A\t{rating(error(2, 4))}\tben",
    ]
    judgments, losses = read_evalset_ratings(in_memory("\n".join(lines)))
    assert not losses
    found = [(each.segment, each.judge, each.outputs[0]) for each in judgments]
    assert [(segment, judge, *output.systems) for segment, judge, output in found] == [
        ("1", "ann", "A"),
        ("1", "ann", "B"),
        ("3", "ben", "A"),
    ]
    assert [output.spans for _segment, _judge, output in found] == [
        (Span(0, 3, Severity.MAJOR, "Style"),),
        (),
        (minor(2, 4),),
    ]


def test_places_in_the_source_are_counted_as_lost() -> None:
    line = f"A\t{rating(error(1, 4, is_source_error=True), error(0, 0, category='omission'))}\tann"
    [judgment], losses = read_evalset_ratings(in_memory(line))
    assert judgment.outputs[0].spans == (minor(None, None), minor(None, None))
    assert lost(losses) == {
        "places of errors in the source (missing content instead)": 1,
    }


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("A\t{", "rating", "not valid JSON"),
        (f"A\t{'[' * 100_000}", "rating", "not valid JSON"),
        ("A\t[]", "rating", "not an object"),
        ("A\t{}", "errors", "not a list"),
        (f"A\t{rating(error(0.5, 3))}", "mqm[0]", "not integers"),
        (f"A,B\t{rating()}", "system", "comma"),
    ],
)
def test_errors_name_line_and_key(text: str, field: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_evalset_ratings(in_memory(f"A\tNone\n{text}\n"))
    assert (refused.value.line, refused.value.field) == (2, field)


def test_ratings_are_told_from_scores() -> None:
    ratings = f"A\tNone\nA\t{rating(error(0, 3))}\tann\n"
    assert detect_spans_format(in_memory(ratings))[0] is SpansFormat.EVALSET_RATINGS
    with pytest.raises(FormatError, match="scores without judges"):
        detect_spans_format(in_memory("A\tNone\nA\t0.5\n"))
    with pytest.raises(FormatError, match="MQM ratings by line"):
        detect_input_format(in_memory(f"A\t{rating()}\n"))
