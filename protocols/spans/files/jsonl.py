"""Scored judgments as JSON Lines: an object a line, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from campaign.formats import FormatError, InputFile
from campaign.formats.json_objects import decode_object
from campaign.formats.losses import Loss
from campaign.formats.streams import text_lines
from campaign.texts.json_lines import json_line
from protocols.spans.files.values import (
    Refuse,
    judge_of,
    judgment_made,
    list_value,
    number_value,
    object_value,
    output_made,
    refuse_at,
    refuse_broken_text,
    score_value,
    system_value,
    text_value,
    whole_value,
)
from protocols.spans.records import (
    Overlap,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
    SpanProblem,
    span_problems,
)

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
_SEVERITIES: Final = {severity.value: severity for severity in Severity}


def read_spans_jsonl(file: InputFile) -> Iterator[ScoredJudgment]:
    """Yield a judgment for every line; `docs/formats.md` describes the objects.

    Raises
    ------
    FormatError
        With line and key, and with the column where the line is no JSON. A span that ends after the text is refused;
        spans may overlap, as in Google's MQM.
    """
    empty = True
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            empty = False
            yield _judgment(
                file.name, line, decode_object(text, file=file.name, shape=_SHAPE, line=line)
            )
    if empty:
        raise FormatError(file.name, "the file is empty", "give an object a line")


def _judgment(file: str, line: int, values: dict[str, Any]) -> ScoredJudgment:
    refuse = refuse_at(file, line)
    known(values, _REQUIRED, _OPTIONAL, "", refuse)
    for key, value in values.items():
        if isinstance(value, str):
            refuse_broken_text(key, value, refuse)
    outputs = [
        _output(f"outputs[{place}]", output, refuse)
        for place, output in enumerate(list_value("outputs", values["outputs"], refuse))
    ]

    def text(key: str) -> str:
        value = values.get(key)
        return "" if value is None else text_value(key, value, refuse, empty=True)

    def time(key: str) -> float | None:
        return None if values.get(key) is None else number_value(key, values[key], refuse)

    return judgment_made(
        refuse,
        source_language=text("source_language"),
        target_language=text("target_language"),
        document=text("document"),
        segment=_name("segment", values["segment"], refuse),
        judge=judge_of(text_value("judge", values["judge"], refuse), "judge", refuse),
        outputs=tuple(outputs),
        source=None if values.get("source") is None else text("source"),
        started_at=time("started_at"),
        ended_at=time("ended_at"),
        duration_ms=None
        if values.get("duration_ms") is None
        else whole_value("duration_ms", values["duration_ms"], refuse),
        comment=text("comment"),
        line=line,
    )


def _name(key: str, value: object, refuse: Refuse) -> str:
    """Return a name, which may be written as a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_value(key, value, refuse)


def known(
    values: dict[str, Any],
    required: tuple[str, ...],
    optional: tuple[str, ...],
    place: str,
    refuse: Refuse,
) -> None:
    """Refuse missing and unknown keys of an object that stands at `place`."""
    prefix = f"{place}." if place else ""
    for key in required:
        if key not in values:
            refuse(
                f"{prefix}{key}", "the key is missing", f"give it the keys {', '.join(required)}"
            )
    for key in values:
        if key not in required + optional:
            there = ", ".join(required + optional)
            refuse(f"{prefix}{key}", "the key is unknown", f"remove it; there are {there}")


def _output(place: str, value: object, refuse: Refuse) -> ScoredOutput:
    values = object_value(place, value, refuse)
    known(values, _OF_OUTPUT[:1], _OF_OUTPUT[1:], place, refuse)
    systems = list_value(f"{place}.systems", values["systems"], refuse)
    text = values.get("text")
    if text is not None:
        text = text_value(f"{place}.text", text, refuse, empty=True)
    score, spans = values.get("score"), values.get("spans")
    return output_made(
        refuse,
        systems=tuple(system_value(f"{place}.systems", name, refuse) for name in systems),
        score=None if score is None else score_value(f"{place}.score", score, refuse),
        spans=None if spans is None else _spans(f"{place}.spans", spans, text, refuse),
        text=text,
    )


def _spans(place: str, value: object, text: str | None, refuse: Refuse) -> tuple[Span, ...]:
    spans = []
    for number, each in enumerate(list_value(place, value, refuse)):
        where = f"{place}[{number}]"
        values = object_value(where, each, refuse)
        known(values, ("severity",), _OF_SPAN, where, refuse)
        start, end = values.get("start"), values.get("end")
        category = values.get("category")
        spans.append(
            span_made(
                where,
                None if start is None else whole_value(f"{where}.start", start, refuse),
                None if end is None else whole_value(f"{where}.end", end, refuse),
                severity_value(f"{where}.severity", values["severity"], refuse),
                ""
                if category is None
                else text_value(f"{where}.category", category, refuse, empty=True),
                refuse,
            )
        )
    spans_check(place, spans, text, refuse, overlap="any")
    return tuple(spans)


def severity_value(key: str, value: object, refuse: Refuse) -> Severity:
    """Take a severity."""
    severity = _SEVERITIES.get(value) if isinstance(value, str) else None
    if severity is None:
        refuse(
            key,
            f"the severity {value!r} is neither minor nor major",
            'write "minor" or "major"',
        )
    return severity


def span_made(
    key: str,
    start: int | None,
    end: int | None,
    severity: Severity,
    category: str,
    refuse: Refuse,
) -> Span:
    """Return the span, or refuse what encloses nothing."""
    try:
        return Span(start, end, severity, category)
    except ValueError as error:
        refuse(key, str(error), "give both ends, the start before the end, or neither")


def spans_check(
    key: str, spans: Iterable[Span], text: str | None, refuse: Refuse, *, overlap: Overlap
) -> None:
    """Refuse spans that do not fit their text or each other."""
    given = list(spans)
    for problem, places in span_problems(given, text, overlap=overlap):
        first = f"{key}[{places[0]}]"
        if problem is SpanProblem.OUT_OF_RANGE:
            refuse(
                first,
                f"the span ends at {given[places[0]].end}, but the output has {len(text or '')} characters",
                "count characters of this output from 0, or give the text that was judged",
            )
        refuse(
            first,
            f"the span shares characters with the span {places[1]}",
            "give each character one span",
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
