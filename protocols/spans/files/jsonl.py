"""Scored judgments as JSON Lines: an object a line, nothing lost; and the rules that the values of all formats share, with errors
that name line and key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from campaign.formats import InputFile
from campaign.formats.errors import Loss
from campaign.texts.canonical_json import json_line
from protocols.spans.records import (
    MAX_SCORE,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
    spans_past,
)
from ranking.files.labels import (
    MAX_NUMBER,
    Refuse,
    count_of,
    integer_of,
    json_objects,
    judge_of,
    keys_check,
    list_of,
    name_of,
    number_of,
    object_of,
    system_of,
    text_of,
    word_of,
)

_ONE_SCREEN = "correct the judgment"


def score_value(key: str, value: object, refuse: Refuse) -> float:
    """Take a score."""
    score = number_of(key, value, refuse)
    if not 0 <= score <= MAX_SCORE:
        refuse(
            key,
            f"the score {score:g} is not between 0 and {MAX_SCORE}",
            f"write a score from 0 (worst) to {MAX_SCORE}",
        )
    return score


def judgment_made(refuse: Refuse, **values: Any) -> ScoredJudgment:
    """Return the judgment, or refuse an invalid one."""
    try:
        return ScoredJudgment(**values)
    except ValueError as error:
        refuse(None, str(error), _ONE_SCREEN)


def output_made(refuse: Refuse, **values: Any) -> ScoredOutput:
    """Return the output, or refuse an invalid one."""
    try:
        return ScoredOutput(**values)
    except ValueError as error:
        refuse("outputs", str(error), _ONE_SCREEN)


_REQUIRED = ("segment", "judge", "outputs")
_OPTIONAL = (
    "source_language",
    "target_language",
    "document",
    "source",
    "started_at",
    "ended_at",
    "duration_ms",
    "comment",
)
_OF_OUTPUT = ("systems", "score", "spans", "text")
_OF_SPAN = ("start", "end", "severity", "category")
_SHAPE = (
    '{"segment": "1", "judge": "ann", "outputs": [{"systems": ["A"], "score": 80, "spans": []}]}'
)


def read_spans_jsonl(file: InputFile) -> Iterator[ScoredJudgment]:
    """Yield a judgment for every line; `docs/formats-judgments.md` describes the objects.

    Raises
    ------
    FormatError
        With line and key, and with the column where the line is no JSON. A span that ends after the text is refused;
        spans may overlap, as in Google's MQM.
    """
    for line, values, refuse in json_objects(file, shape=_SHAPE):
        yield _judgment(line, values, refuse)


def _judgment(line: int, values: dict[str, Any], refuse: Refuse) -> ScoredJudgment:
    keys_check(values, _REQUIRED, _OPTIONAL, refuse)
    outputs = [
        _output(f"outputs[{place}]", output, refuse)
        for place, output in enumerate(list_of("outputs", values["outputs"], refuse))
    ]

    def text(key: str) -> str:
        value = values.get(key)
        return "" if value is None else text_of(key, value, refuse, empty=True, lines=True)

    def time(key: str) -> float | None:
        return None if values.get(key) is None else number_of(key, values[key], refuse)

    return judgment_made(
        refuse,
        source_language=text("source_language"),
        target_language=text("target_language"),
        document=text("document"),
        segment=name_of("segment", values["segment"], refuse),
        judge=judge_of(text_of("judge", values["judge"], refuse), "judge", refuse),
        outputs=tuple(outputs),
        source=None if values.get("source") is None else text("source"),
        started_at=time("started_at"),
        ended_at=time("ended_at"),
        duration_ms=count_of("duration_ms", values, refuse, MAX_NUMBER),
        comment=text("comment"),
        line=line,
    )


def _output(place: str, value: object, refuse: Refuse) -> ScoredOutput:
    values = object_of(place, value, refuse)
    keys_check(values, _OF_OUTPUT[:1], _OF_OUTPUT[1:], refuse, f"{place}.")
    systems = list_of(f"{place}.systems", values["systems"], refuse)
    text = values.get("text")
    if text is not None:
        text = text_of(f"{place}.text", text, refuse, empty=True, lines=True)
    score, spans = values.get("score"), values.get("spans")
    return output_made(
        refuse,
        systems=tuple(system_of(f"{place}.systems", name, refuse) for name in systems),
        score=None if score is None else score_value(f"{place}.score", score, refuse),
        spans=None if spans is None else _spans(f"{place}.spans", spans, text, refuse),
        text=text,
    )


def _spans(place: str, value: object, text: str | None, refuse: Refuse) -> tuple[Span, ...]:
    spans = []
    for number, each in enumerate(list_of(place, value, refuse)):
        where = f"{place}[{number}]"
        values = object_of(where, each, refuse)
        keys_check(values, ("severity",), _OF_SPAN, refuse, f"{where}.")
        start, end = (_end(f"{where}.{name}", values.get(name), refuse) for name in _OF_SPAN[:2])
        category = values.get("category")
        spans.append(
            span_made(
                where,
                start,
                end,
                Severity(word_of(f"{where}.severity", values["severity"], Severity, refuse)),
                ""
                if category is None
                else text_of(f"{where}.category", category, refuse, empty=True, lines=True),
                refuse,
            )
        )
    spans_check(place, spans, text, refuse)
    return tuple(spans)


def _end(key: str, value: object, refuse: Refuse) -> int | None:
    return None if value is None else integer_of(key, value, 0, refuse, MAX_NUMBER)


def span_made(
    key: str,
    start: int | None,
    end: int | None,
    severity: Severity,
    category: str,
    refuse: Refuse,
) -> Span:
    """Return the span, or refuse an empty one."""
    try:
        return Span(start, end, severity, category)
    except ValueError as error:
        refuse(key, str(error), "give both ends, the start before the end, or neither")


def spans_check(key: str, spans: Sequence[Span], text: str | None, refuse: Refuse) -> None:
    """Refuse spans that end after their text; they may share characters, as in Google's MQM."""
    for place in spans_past(spans, text):
        refuse(
            f"{key}[{place}]",
            f"the span ends at {spans[place].end}, but the output has {len(text or '')} characters",
            "count characters of this output from 0, or give the text that was judged",
        )


def write_spans_jsonl(judgments: Iterable[ScoredJudgment]) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the lines, and nothing lost."""
    return [json_line(_judgment_object(judgment)) for judgment in judgments], ()


def _judgment_object(judgment: ScoredJudgment) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key in ("source_language", "target_language", "document"):
        if getattr(judgment, key):
            values[key] = getattr(judgment, key)
    values |= {"segment": judgment.segment, "judge": judgment.judge}
    if judgment.source is not None:
        values["source"] = judgment.source
    values["outputs"] = [_output_object(output) for output in judgment.outputs]
    for key in ("started_at", "ended_at", "duration_ms"):
        if getattr(judgment, key) is not None:
            values[key] = getattr(judgment, key)
    if judgment.comment:
        values["comment"] = judgment.comment
    return values


def _output_object(output: ScoredOutput) -> dict[str, Any]:
    values: dict[str, Any] = {"systems": list(output.systems)}
    if output.score is not None:
        values["score"] = output.score
    if output.spans is not None:
        values["spans"] = [_span_object(span) for span in output.spans]
    if output.text is not None:
        values["text"] = output.text
    return values


def _span_object(span: Span) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if span.start is not None:
        values |= {"start": span.start, "end": span.end}
    values["severity"] = span.severity.value
    if span.category:
        values["category"] = span.category
    return values
