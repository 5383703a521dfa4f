"""JSON Lines: content, losses, and errors with line and key."""

import json
from typing import Any

import pytest

from campaign.formats import FormatError
from protocols.spans.files.jsonl import read_spans_jsonl
from tests.unit.protocols.spans.drawn import major, minor
from tests.unit.protocols.spans.in_memory import in_memory


def test_json_lines_say_everything() -> None:
    line = {
        "source_language": "en",
        "target_language": "de",
        "document": "d",
        "segment": 7,
        "judge": "ann",
        "source": "Two words",
        "outputs": [
            {
                "systems": ["A", "B"],
                "score": 80,
                "text": "Zwei Worte",
                "spans": [
                    {"start": 5, "end": 10, "severity": "minor"},
                    {"severity": "major"},
                ],
            },
            {"systems": ["C"]},
        ],
        "duration_ms": 900,
    }
    (found,), _losses = read_spans_jsonl(in_memory(json.dumps(line)))
    assert found.segment == "7"
    assert found.outputs[0].systems == ("A", "B")
    assert found.outputs[0].spans == (minor(5, 10), major(None, None))
    assert (found.outputs[1].score, found.outputs[1].spans) == (None, None)
    assert (found.source, found.duration_ms, found.started_at) == (
        "Two words",
        900,
        None,
    )


def one(**changes: Any) -> str:
    output = {"systems": ["A"], "score": 50, "text": "abc", "spans": []} | changes.pop(
        "output",
        {},
    )
    return json.dumps({"segment": "1", "judge": "ann", "outputs": [output]} | changes)


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("[1]", None, "not a JSON object"),
        ('{"segment": "1"}', "outputs", "the key is missing"),
        (one(seed=1), "seed", "the key is unknown"),
        (one(judge=""), "judge", "not a text"),
        (one(segment=" "), "segment", "not a text"),
        (one(segment="a\tb"), None, "has a tab"),
        (one(outputs={}), "outputs", "not a list"),
        (one(outputs=[]), None, "0 outputs"),
        (one(duration_ms=-1), "duration_ms", "-1 is out of range"),
        (one(started_at="now"), "started_at", "not a number"),
        (one(started_at=float("nan")), "started_at", "not a number"),
        (one(started_at=9, ended_at=8), None, "ended before"),
        (one(started_at=10**400), "started_at", "too large"),
        (one(duration_ms=10**400), "duration_ms", "out of range"),
        (one(output={"score": 10**400}), "outputs[0].score", "too large"),
        (one(comment="\ud800"), "comment", "U\\+D800"),
        (one(output={"systems": ["A\ud800"]}), "outputs[0].systems", "U\\+D800"),
        (one(output={"spans": [{"severity": "minor", "category": "\udc00"}]}), "outputs[0].spans[0].category", "U\\+DC00"),
        (
            one(output={"text": None, "spans": [{"start": 0, "end": 10**12, "severity": "minor"}]}),
            "outputs[0].spans[0]",
            "after 4,000,000 characters",
        ),
        (one(output={"score": 101}), "outputs[0].score", "not between 0 and 100"),
        (one(output={"score": "50"}), "outputs[0].score", "not a number"),
        (one(output={"score": True}), "outputs[0].score", "not a number"),
        (one(output={"systems": ["A,B"]}), "outputs[0].systems", "comma"),
        (one(output={"systems": []}), "outputs[0]", "at least one system"),
        (one(output={"span": []}), "outputs[0].span", "unknown"),
        (one(output={"text": "\x00"}), "outputs[0].text", "U\\+0000"),
        (one(output={"spans": [{}]}), "outputs[0].spans[0].severity", "missing"),
        (one(output={"spans": [{"severity": "trivial"}]}), "outputs[0].spans[0].severity", "'trivial' is not one of neutral, minor, major"),
        (one(output={"spans": [{"start": 1, "severity": "minor"}]}), "outputs[0].spans[0]", "a start and an end"),
        (one(output={"spans": [{"start": 0, "end": 4, "severity": "minor"}]}), "outputs[0]", "span 1 ends at 4, but the output has 3 characters"),
    ],
)  # fmt: skip
def test_json_lines_name_line_and_key(
    text: str,
    field: str | None,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_spans_jsonl(in_memory(f"{one()}\n\n{text}\n", "j.jsonl"))
    assert (refused.value.line, refused.value.field) == (3, field)
