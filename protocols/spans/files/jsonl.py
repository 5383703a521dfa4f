"""Scored judgments as JSON Lines, one object per line, without losses; and checks of values for all
formats.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from campaign.formats import InputFile
from campaign.formats.cells import Refuse
from campaign.formats.errors import Loss
from campaign.texts.canonical_json import json_line
from protocols.spans.records import (
    ERROR,
    MAX_SCORE,
    MISSING,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
    Start,
)
from ranking.files.labels import (
    MAX_NUMBER,
    Take,
    any_text,
    each_of,
    json_objects,
    judge_named,
    list_of,
    name_of,
    number_of,
    object_of,
    system_of,
    values_taken,
    whole,
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


Made = TypeVar("Made", ScoredJudgment, ScoredOutput, Span, Start)
_REMEDIES: Final[dict[object, str]] = {
    Span: "write both ends, the start before the end, or neither"
}


def made(
    kind: Callable[..., Made], key: str | None, refuse: Refuse, *values: Any, **more: Any
) -> Made:
    """Make a judgment, output or span of the values, or refuse invalid ones."""
    try:
        return kind(*values, **more)
    except ValueError as error:
        refuse(key, str(error), _REMEDIES.get(kind, "correct the judgment"))


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
    named = dict.fromkeys(("source_language", "target_language", "document", "judge"), "")
    taken = values_taken(values, _KEYS, _OPTIONAL, refuse)
    return made(ScoredJudgment, None, refuse, **{**named, **taken}, line=line)


def _outputs(key: str, value: object, refuse: Refuse) -> tuple[ScoredOutput, ...]:
    outputs = []
    for number, each in enumerate(list_of(key, value, refuse)):
        place = f"{key}[{number}]."
        values = object_of(place[:-1], each, refuse)
        optional = ("score", "spans", "text", "start")
        taken = values_taken(values, _OF_OUTPUT, optional, refuse, place)
        output = made(ScoredOutput, key, refuse, **{"score": None, **taken})
        spans_check(f"{place}spans", output.spans or (), output.text, refuse)
        outputs.append(output)
    return tuple(outputs)


def _spans(key: str, value: object, refuse: Refuse) -> tuple[Span, ...]:
    spans = []
    for number, each in enumerate(list_of(key, value, refuse)):
        where = f"{key}[{number}]"
        values = object_of(where, each, refuse)
        optional = ("start", "end", "category", "kind")
        taken = values_taken(values, _OF_SPAN, optional, refuse, f"{where}.")
        spans.append(made(Span, where, refuse, **{"start": None, "end": None, **taken}))
    return tuple(spans)


def _start(key: str, value: object, refuse: Refuse) -> Start:
    values = object_of(key, value, refuse)
    taken = values_taken(values, _OF_START, ("is_shown", "planted"), refuse, f"{key}.")
    return made(Start, key, refuse, **taken)


def _flag(key: str, value: object, refuse: Refuse) -> bool:
    if not isinstance(value, bool):
        refuse(key, f"{value!r} is neither true nor false", "write true or false")
    return value


_PLACE: Final = whole(0, MAX_NUMBER)
_OF_SPAN: Final[dict[str, Take]] = {
    "start": _PLACE,
    "end": _PLACE,
    "severity": lambda key, value, refuse: Severity(word_of(key, value, Severity, refuse)),
    "category": any_text,
    "kind": name_of,
}
_OF_START: Final[dict[str, Take]] = {"spans": _spans, "is_shown": _flag, "planted": _PLACE}
_OF_OUTPUT: Final[dict[str, Take]] = {
    "systems": each_of(system_of),
    "score": score_value,
    "spans": _spans,
    "text": any_text,
    "start": _start,
}
_KEYS: Final[dict[str, Take]] = {
    "source_language": any_text,
    "target_language": any_text,
    "document": any_text,
    "segment": name_of,
    "judge": judge_named,
    "outputs": _outputs,
    "source": any_text,
    "started_at": number_of,
    "ended_at": number_of,
    "duration_ms": whole(0, MAX_NUMBER),
    "comment": any_text,
    "repeat": whole(1, MAX_NUMBER),
}
_OPTIONAL: Final = [key for key in _KEYS if key not in ("segment", "outputs")]


def spans_check(key: str, spans: Sequence[Span], text: str | None, refuse: Refuse) -> None:
    """Refuse spans that end after their text; spans may overlap, as in Google's MQM."""
    for place, span in enumerate(spans):
        if (
            span.kind == ERROR
            and text is not None
            and span.end is not None
            and span.end > len(text)
        ):
            refuse(
                f"{key}[{place}]",
                f"the span ends at {span.end}, but the output has {len(text)} characters",
                "count characters of this output from 0, or provide the text that was judged",
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
        repeat=judgment.repeat if judgment.repeat > 1 else None,
    )


def _output_object(output: ScoredOutput) -> dict[str, Any]:
    return present(
        systems=output.systems,
        score=output.score,
        spans=None if output.spans is None else [*map(_span_object, output.spans)],
        text=output.text,
        start=None if output.start is None else start_object(output.start),
    )


def _span_object(span: Span) -> dict[str, Any]:
    return present(
        start=span.start,
        end=span.end,
        severity=span.severity.value,
        category=span.category or None,
        kind=None if span.kind in (ERROR, MISSING) else span.kind,
    )


def start_object(start: Start) -> dict[str, Any]:
    """Return what a judge started from as a JSON object, in files and in the database."""
    return present(
        spans=[*map(_span_object, start.spans)],
        is_shown=start.is_shown,
        planted=start.planted,
    )
