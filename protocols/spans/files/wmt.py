"""Scores that WMT releases with the texts, one segment per line (``wmt25-genmt-humeval.jsonl``).

``scores`` has the answers about each system: a list of objects, one for each annotator (WMT24 and the first
release of WMT25), or one object whose keys end in the number of the annotator (``human1``, ``errors1`` …). An
answer is a score (``human`` or ``score``) and error spans with the positions of Appraise: UTF-16 units with an
inclusive end. Files may not name annotators; they are then named by their number.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from campaign.formats import InputFile
from campaign.formats.cells import Refuse, judge_of
from campaign.formats.errors import Lose, Loss, Losses
from campaign.formats.json_text import JSONObject
from campaign.formats.segment_identity import MARK, segment_id
from campaign.formats.tables import integer
from protocols.spans.files.appraise import characters_of_utf16, spans_of
from protocols.spans.files.jsonl import make_record, score_value
from protocols.spans.records import ScoredJudgment, ScoredOutput, Span
from ranking.files.labels import (
    any_text,
    json_objects,
    list_of,
    number_of,
    object_of,
    system_of,
    text_of,
)

_SHAPE: Final = '{"doc_id": "…", "src_text": "…", "tgt_text": {…}, "scores": {…}}'
_NUMBERED: Final = re.compile(r"(human|score|errors|annotator|times)([0-9]*)")
_SCORES: Final = ("human", "score")


def read_wmt_jsonl(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each answer about an output, and the losses.

    Raises
    ------
    FormatError
        With line and key.
    """
    losses = Losses()
    judgments: list[ScoredJudgment] = []
    lines_of_document: dict[str, int] = defaultdict(int)
    for line, values, refuse in json_objects(file, shape=_SHAPE):
        name = text_of("doc_id", values.get("doc_id"), refuse)
        source = any_text("src_text", values.get("src_text"), refuse)
        lines_of_document[name] += 1
        segment = _segment(name, lines_of_document[name])
        texts = object_of("tgt_text", values.get("tgt_text"), refuse)
        scores = object_of("scores", values.get("scores"), refuse)
        lose = losses.counter_for(f"line {line}")
        for system, answers in scores.items():
            key = f"scores.{system}"
            text = texts.get(system)
            if text is None:
                output_text = None
            else:
                output_text = any_text(f"tgt_text.{system}", text, refuse)
            for number, answer in enumerate(_answers(key, answers, refuse), 1):
                started_at, ended_at = _times(
                    f"{key}.times",
                    answer.get("times"),
                    refuse,
                )
                judgments.append(
                    make_record(
                        ScoredJudgment,
                        key,
                        refuse,
                        segment.source_language,
                        segment.target_language,
                        segment.document,
                        segment.name,
                        _judge(key, answer, number, refuse, lose),
                        (_output(key, system, output_text, answer, refuse, lose),),
                        source,
                        started_at=started_at,
                        ended_at=ended_at,
                        line=line,
                    ),
                )
    return judgments, losses.counted()


@dataclass(frozen=True, slots=True)
class _Segment:
    """The names of a segment; languages are empty if its ID has none."""

    source_language: str
    target_language: str
    document: str
    name: str


def _segment(identifier: str, line_of_document: int) -> _Segment:
    """Return the names in an ID ``pair_#_domain_#_document_#_number``, whose number counts from 0.

    Without a number, the lines of a document are counted.
    """
    pair, *others = identifier.split(MARK)
    position = line_of_document
    number = None
    if len(others) > 2:
        number = integer(others[-1], 0)
    if number is not None:
        position = number + 1
        others.pop()
    if not others:
        return _Segment("", "", identifier, segment_id(identifier, str(position)))
    source_language, _dash, target_language = pair.partition("-")
    document = "/".join(others)
    return _Segment(
        source_language,
        target_language,
        document,
        segment_id(document, str(position)),
    )


def _answers(key: str, value: object, refuse: Refuse) -> Iterator[JSONObject]:
    """Yield the answers about an output, with the same keys in all layouts."""
    if isinstance(value, list):
        for number, answer in enumerate(value):
            yield from _answers_by_annotator(
                object_of(f"{key}[{number}]", answer, refuse),
            )
    else:
        yield from _answers_by_annotator(object_of(key, value, refuse))


def _answers_by_annotator(values: JSONObject) -> Iterator[JSONObject]:
    answers: dict[str, JSONObject] = defaultdict(dict)
    for name, value in values.items():
        match = _NUMBERED.fullmatch(name)
        if match:
            answers[match[2]][match[1]] = value
    yield from answers.values()


def _judge(
    key: str,
    answer: JSONObject,
    number: int,
    refuse: Refuse,
    lose: Lose,
) -> str:
    name = answer.get("annotator")
    if name is None:
        lose("names of annotators that the file lacks (numbered instead)")
        return f"annotator {number}"
    return judge_of(
        text_of(f"{key}.annotator", name, refuse),
        f"{key}.annotator",
        refuse,
    )


def _times(
    key: str,
    value: object,
    refuse: Refuse,
) -> tuple[float | None, float | None]:
    if value is None:
        return None, None
    times = []
    for time in list_of(key, value, refuse):
        times.append(_seconds(key, time, refuse))
    if len(times) != 2:
        refuse(key, f"there are {len(times)} times", "write the start and the end")
    return times[0], times[1]


def _seconds(key: str, value: object, refuse: Refuse) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            refuse(key, f"{value!r} is not a number", "write seconds since 1970")
    return number_of(key, value, refuse)


def _output(
    key: str,
    system: str,
    text: str | None,
    answer: JSONObject,
    refuse: Refuse,
    lose: Lose,
) -> ScoredOutput:
    score = next((answer[name] for name in _SCORES if name in answer), None)
    spans = None
    if answer.get("errors") is not None:
        errors = list_of(f"{key}.errors", answer["errors"], refuse)
        placed = []
        for span in spans_of(errors, refuse, lose):
            placed.append(_span_in_characters(span, text, lose))
        spans = tuple(placed)
    return make_record(
        ScoredOutput,
        key,
        refuse,
        (system_of(key, system, refuse),),
        score_value(f"{key}.score", score, refuse),
        spans,
        text,
    )


def _span_in_characters(span: Span, text: str | None, lose: Lose) -> Span:
    """Return a span in characters, inside its text."""
    if span.start is None or span.end is None or text is None:
        return span
    start = characters_of_utf16(text, span.start)
    end = characters_of_utf16(text, span.end)
    last = max(len(text), 1)
    lose("spans that end after their text (shortened)", end > last)
    start = min(start, last - 1)
    return replace(span, start=start, end=min(max(start + 1, end), last))
