"""Scored judgments as JSON Lines, one object per line, without losses; and checks of values for all
formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from campaign.formats import InputFile
from campaign.formats.cells import Refuse, judge_of
from campaign.formats.errors import Loss
from campaign.texts.canonical_json import json_line
from protocols.spans.records import (
    MAX_SCORE,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
)
from ranking.files.labels import (
    MAX_NUMBER,
    count_of,
    integer_of,
    json_objects,
    keys_check,
    list_of,
    name_of,
    number_of,
    object_of,
    system_of,
    text_of,
    word_of,
)


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


Made = TypeVar("Made", ScoredJudgment, ScoredOutput, Span)
_REMEDIES: Final[dict[object, str]] = {Span: "give both ends, the start before the end, or neither"}


def made(
    kind: Callable[..., Made], key: str | None, refuse: Refuse, *values: Any, **more: Any
) -> Made:
    """Make a judgment, output or span of the values, or refuse invalid ones."""
    try:
        return kind(*values, **more)
    except ValueError as error:
        refuse(key, str(error), _REMEDIES.get(kind, "correct the judgment"))


def text_or_none(key: str, value: object, refuse: Refuse) -> str | None:
    """Take a text, which may be empty or have several lines; or None."""
    return None if value is None else text_of(key, value, refuse, empty=True, lines=True)


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


def read_spans_jsonl(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each line, and no losses; see `docs/formats-judgments.md` for the
    objects.

    Raises
    ------
    FormatError
        With line and key, or with the column if the line is not JSON. A span that ends after the
        text is refused; spans may overlap, as in Google's MQM.
    """
    return [_judgment(*each) for each in json_objects(file, shape=_SHAPE)], ()


def _judgment(line: int, values: dict[str, Any], refuse: Refuse) -> ScoredJudgment:
    keys_check(values, _REQUIRED, _OPTIONAL, refuse)
    outputs = [
        _output(f"outputs[{place}]", output, refuse)
        for place, output in enumerate(list_of("outputs", values["outputs"], refuse))
    ]

    def text(key: str) -> str:
        return text_or_none(key, values.get(key), refuse) or ""

    def time(key: str) -> float | None:
        return None if values.get(key) is None else number_of(key, values[key], refuse)

    return made(
        ScoredJudgment,
        None,
        refuse,
        text("source_language"),
        text("target_language"),
        text("document"),
        name_of("segment", values["segment"], refuse),
        judge_of(text_of("judge", values["judge"], refuse), "judge", refuse),
        tuple(outputs),
        text_or_none("source", values.get("source"), refuse),
        time("started_at"),
        time("ended_at"),
        count_of("duration_ms", values, refuse, MAX_NUMBER),
        text("comment"),
        line,
    )


def _output(place: str, value: object, refuse: Refuse) -> ScoredOutput:
    values = object_of(place, value, refuse)
    keys_check(values, _OF_OUTPUT[:1], _OF_OUTPUT[1:], refuse, f"{place}.")
    systems = list_of(f"{place}.systems", values["systems"], refuse)
    text = text_or_none(f"{place}.text", values.get("text"), refuse)
    score, spans = values.get("score"), values.get("spans")
    return made(
        ScoredOutput,
        "outputs",
        refuse,
        tuple(system_of(f"{place}.systems", name, refuse) for name in systems),
        None if score is None else score_value(f"{place}.score", score, refuse),
        None if spans is None else _spans(f"{place}.spans", spans, text, refuse),
        text,
    )


def _spans(place: str, value: object, text: str | None, refuse: Refuse) -> tuple[Span, ...]:
    spans = []
    for number, each in enumerate(list_of(place, value, refuse)):
        where = f"{place}[{number}]"
        values = object_of(where, each, refuse)
        keys_check(values, ("severity",), _OF_SPAN, refuse, f"{where}.")
        start, end = (_end(f"{where}.{name}", values.get(name), refuse) for name in _OF_SPAN[:2])
        severity = word_of(f"{where}.severity", values["severity"], Severity, refuse)
        category = text_or_none(f"{where}.category", values.get("category"), refuse) or ""
        spans.append(made(Span, where, refuse, start, end, Severity(severity), category))
    spans_check(place, spans, text, refuse)
    return tuple(spans)


def _end(key: str, value: object, refuse: Refuse) -> int | None:
    return None if value is None else integer_of(key, value, 0, refuse, MAX_NUMBER)


def spans_check(key: str, spans: Sequence[Span], text: str | None, refuse: Refuse) -> None:
    """Refuse spans that end after their text; spans may overlap, as in Google's MQM."""
    for place, span in enumerate(spans):
        if text is not None and span.end is not None and span.end > len(text):
            refuse(
                f"{key}[{place}]",
                f"the span ends at {span.end}, but the output has {len(text)} characters",
                "count characters of this output from 0, or give the text that was judged",
            )


def write_spans_jsonl(judgments: Iterable[ScoredJudgment]) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the lines, and no losses."""
    return [json_line(_judgment_object(judgment)) for judgment in judgments], ()


def present(**values: Any) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _judgment_object(judgment: ScoredJudgment) -> dict[str, Any]:
    return present(
        source_language=judgment.source_language or None,
        target_language=judgment.target_language or None,
        document=judgment.document or None,
        segment=judgment.segment,
        judge=judgment.judge,
        source=judgment.source,
        outputs=[_output_object(output) for output in judgment.outputs],
        started_at=judgment.started_at,
        ended_at=judgment.ended_at,
        duration_ms=judgment.duration_ms,
        comment=judgment.comment or None,
    )


def _output_object(output: ScoredOutput) -> dict[str, Any]:
    spans = None
    if output.spans is not None:
        spans = [
            present(
                start=span.start,
                end=span.end,
                severity=span.severity.value,
                category=span.category or None,
            )
            for span in output.spans
        ]
    return present(systems=output.systems, score=output.score, spans=spans, text=output.text)
