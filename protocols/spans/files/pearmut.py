"""Scores and error spans in logs and campaigns of Pearmut (`ranking.files.pearmut_log`).

Positions are those of Pearmut's page: UTF-16 units without line breaks, with an inclusive end. The
position after the last one is ``[missing]``, and those after it are further special tokens, whose names the log does
not have.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final, TypedDict

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import Refuse, refuse_at
from campaign.formats.errors import Lose, Loss, Losses
from campaign.formats.genmt import campaign_decoded, key_not_ranked
from campaign.formats.json_text import JSONObject
from campaign.formats.records import FormAnswer
from campaign.formats.segment_identity import segment_id
from campaign.texts.canonical_json import json_line
from protocols.spans.files.jsonl import make_record, present, score_value
from protocols.spans.records import (
    ERROR,
    MISSING,
    NUMBERED,
    UNKNOWN_SEVERITY,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
)
from ranking.files.labels import integer_of, list_of, object_of, refuse_broken_text
from ranking.files.pearmut_log import (
    FORMS,
    SLIDERS,
    LoggedItem,
    LoggedOutput,
    UnnamedItems,
    entry_answers,
    log_read,
    names_of,
    times_of,
)

#: Attributes of items that are those of judgments.
_SHARED: Final = {field.name for field in fields(LoggedItem)} - {"outputs"}
#: Data that an ID cannot hold.
AMBIGUOUS_NAMES: Final = (
    "documents whose names hold “_#_” beside segments without a number"
)
#: The place of what a campaign has, which is one JSON object.
_NO_LINES: Final = "data"
_OF_OUTPUT = ("score", "error_spans", "textfield", "sliders")


def read_pearmut_log(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each item of each submission that still counts, and the losses.

    Raises
    ------
    FormatError
        With line and key, if the file is not such a log, a score is out of range, or a span is
        outside its text.
    """
    losses = Losses()
    items = log_read(file, losses)
    _refuse_sliders_alone(file.name, items)
    return _judgments(items, file.name, losses), losses.counted()


def _refuse_sliders_alone(file: str, items: Sequence[LoggedItem | FormAnswer]) -> None:
    """Raise FormatError if judges moved sliders, and neither scored nor marked errors."""
    has_sliders = False
    for item in items:
        if isinstance(item, FormAnswer):
            continue
        for output in item.outputs:
            if output.answers.get("score") is not None or output.answers.get(
                "error_spans",
            ):
                return
            has_sliders = has_sliders or bool(output.answers.get("sliders"))
    if has_sliders:
        raise FormatError(
            file,
            "its judges answered on sliders alone, without scores or errors",
            "import it into a task of ratings whose criteria are called like the sliders",
        )


def read_pearmut_campaign(
    file: InputFile,
) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return the `error_spans` of a campaign's items as judgments without a judge, and the losses.

    Raises
    ------
    FormatError
        If the file is too large or not such a campaign, or a span is outside its text.
    """
    losses = Losses()
    refuse = refuse_at(file.name, None)
    lose = losses.counter_for(_NO_LINES)
    campaign = campaign_decoded(file)
    data = campaign.get("data")
    if isinstance(data, dict):
        # Of a campaign that runs: tasks by judge.
        data = list(data.values())
    judgments = []
    unnamed = UnnamedItems()
    for item in _items(list_of("data", data, refuse)):
        if key_not_ranked(item):
            continue
        suggested = object_of("error_spans", item.get("error_spans", {}), refuse)
        annotation = {}
        for model, spans in suggested.items():
            annotation[model] = {"error_spans": spans}
        if annotation:
            entry = {"item": [item], "annotation": [annotation]}
            answers = entry_answers(
                0,
                str(campaign.get("campaign_id")),
                "",
                entry,
                unnamed=unnamed,
                refuse=refuse,
                lose=lose,
            )
            judgments += _judgments(answers, file.name, losses)
    return judgments, losses.counted()


def _items(values: list[Any]) -> Iterator[JSONObject]:
    """Yield the items of documents, which may be in a list for each task."""
    for value in values:
        if isinstance(value, list):
            yield from _items(value)
        elif isinstance(value, dict):
            yield value


def _judgments(
    answers: Iterable[LoggedItem | FormAnswer],
    file: str,
    losses: Losses,
) -> list[ScoredJudgment]:
    judgments = []
    for item in answers:
        if isinstance(item, FormAnswer):
            losses.add(FORMS, f"line {item.line}")
            continue
        refuse = refuse_at(file, item.line or None)
        lose = losses.counter_for(f"line {item.line}" if item.line else _NO_LINES)
        facts = {}
        for name in _SHARED:
            facts[name] = getattr(item, name)
        outputs = tuple(_output(output, refuse, lose) for output in item.outputs)
        judgments.append(
            make_record(ScoredJudgment, None, refuse, **facts, outputs=outputs),
        )
    return judgments


def _output(output: LoggedOutput, refuse: Refuse, lose: Lose) -> ScoredOutput:
    values = output.answers
    lose(SLIDERS, bool(values.get("sliders")))
    lose("texts that judges wrote", bool(values.get("textfield")))
    lose("other keys of annotations", bool(values.keys() - set(_OF_OUTPUT)))
    score = values.get("score")
    spans = values.get("error_spans")
    if score is not None:
        score = score_value(f"{output.key}.score", score, refuse)
    if spans is not None:
        spans = _spans(
            f"{output.key}.error_spans",
            spans,
            output.logged_text,
            refuse,
            lose,
        )
    return make_record(
        ScoredOutput,
        "outputs",
        refuse,
        (output.system,),
        score,
        spans,
        output.text,
    )


def _spans(
    key: str,
    value: object,
    text: str,
    refuse: Refuse,
    lose: Lose,
) -> tuple[Span, ...]:
    places = character_of_position(text)
    spans = []
    for number, entry in enumerate(list_of(key, value, refuse)):
        own = f"{key}[{number}]"
        values = object_of(own, entry, refuse)
        severity = str(values.get("severity") or "").lower()
        if severity not in list(Severity):
            lose(UNKNOWN_SEVERITY)
            continue
        first = integer_of(f"{own}.start_i", values.get("start_i"), 0, refuse)
        last = integer_of(f"{own}.end_i", values.get("end_i"), 0, refuse)
        start = end = None
        kind = ERROR
        if first > len(places):
            kind = f"{NUMBERED}{first - len(places)}"
        elif first < len(places) <= last:
            refuse(
                f"{own}.end_i",
                f"the span ends at {last}, but the output has {len(places)} places",
                "provide the log as written by Pearmut, with the text that was judged",
            )
        elif first < len(places):
            start = places[first]
            end = places[last] + 1
        category = values.get("category")
        category = "" if category is None else str(category)
        refuse_broken_text(f"{own}.category", category, refuse)
        spans.append(
            make_record(
                Span,
                own,
                refuse,
                start,
                end,
                Severity(severity),
                category,
                kind,
            ),
        )
    return tuple(spans)


def character_of_position(text: str) -> list[int]:
    """Return the character index of each position that can be marked, where each line ends in a line feed.

    A carriage return can be marked, and is then the line feed that takes its place.
    """
    places = []
    index = 0
    before = ""
    for character in text:
        if before == "\r" and character == "\n":
            index -= 1
        if character != "\n":
            for _unit in range(1 + (character > "\uffff")):
                places.append(index)
        index += 1
        before = character
    return places


def write_pearmut_log(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return a line for each judgment, as a screen of one item, and the losses.

    `item_id` names document and segment; `item_i` counts the segments in order of first occurrence.
    """
    losses = Losses()
    lines = []
    written: set[tuple[str, ...]] = set()
    places: dict[str, int] = {}
    for number, judgment in enumerate(judgments, 1):
        lose = losses.counter_for(f"judgment {number}")
        identifier = segment_id(judgment.document, judgment.segment)
        item_index = places.setdefault(identifier, len(places))
        names = names_of(identifier, "")
        lose(
            "languages",
            names[:2] != (judgment.source_language, judgment.target_language),
        )
        lose(
            AMBIGUOUS_NAMES,
            names[2:] != (judgment.document, judgment.segment),
        )
        annotation: dict[str, JSONObject] = {}
        texts: dict[str, str] = {}
        for output in judgment.outputs:
            lose("identical outputs of several systems", len(output.systems) > 1)
            scored = present(
                score=output.score,
                error_spans=_spans_written(output, lose),
            )
            for system in output.systems:
                key = (judgment.judge, judgment.document, judgment.segment, system)
                # Pearmut treats a later line as a correction.
                lose("further judgments of one output by one judge", key in written)
                if key not in written:
                    written.add(key)
                    annotation[system] = scored
                    texts[system] = output.text or ""
        if not annotation:
            continue
        entry = present(
            annotation=[annotation],
            actions=_actions(judgment, lose) or None,
            item=[present(item_id=identifier, src=judgment.source, tgt=texts)],
            comment=judgment.comment or None,
            user_id=judgment.judge,
            item_i=item_index,
        )
        lines.append(json_line(entry))
    return lines, losses.counted()


class LoggedSpan(TypedDict):
    """A span in a log of Pearmut, by places in its text."""

    start_i: int
    end_i: int
    category: str | None
    severity: str


class LoggedAction(TypedDict):
    """An action of a judge, in seconds since 1970."""

    time: float
    action: str


def _spans_written(output: ScoredOutput, lose: Lose) -> list[LoggedSpan] | None:
    if output.spans is None:
        return None
    if output.text is None:
        lose("spans of outputs without a text", len(output.spans))
        return []
    places = character_of_position(output.text)
    written = []
    for span in output.spans:
        if _is_written(span, places, lose):
            written.append(_span_written(span, places, lose))
    return written


def _is_written(span: Span, places: Sequence[int], lose: Lose) -> bool:
    """Return whether a Pearmut log can hold a span."""
    if span.kind not in (ERROR, MISSING):
        lose("marks other than errors and missing content")
        return False
    is_empty = span.start is not None and not _span_indices(span, places)
    lose("spans of line breaks alone", is_empty)
    return not is_empty


def _span_indices(span: Span, places: Sequence[int]) -> range:
    """Return the places of a span; the place after the last one for missing content."""
    if span.start is None or span.end is None:
        return range(len(places), len(places) + 1)
    return range(bisect_left(places, span.start), bisect_left(places, span.end))


def _span_written(span: Span, places: Sequence[int], lose: Lose) -> LoggedSpan:
    marked = _span_indices(span, places)
    first = marked[0]
    last = marked[-1]
    if span.end is not None:
        exact = places[first] == span.start and places[last] == span.end - 1
        lose("line breaks at the ends of spans", not exact)
    return {
        "start_i": first,
        "end_i": last,
        "category": span.category or None,
        "severity": span.severity.value,
    }


def _actions(judgment: ScoredJudgment, lose: Lose) -> list[LoggedAction]:
    """Return only the actions of loading and submitting."""
    actions: list[LoggedAction] = []
    if judgment.started_at is not None:
        actions.append({"time": judgment.started_at, "action": "load"})
    if judgment.ended_at is not None:
        actions.append({"time": judgment.ended_at, "action": "submit"})
    lose("whether a time is the start or the end", len(actions) == 1)
    if judgment.duration_ms != times_of(actions or None, refuse_at("", 0))[2]:
        lose("active times")
    return actions
