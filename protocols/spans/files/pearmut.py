"""Pearmut's annotation log, a line of JSON for each document a judge submits; or a download of
several logs.

A line has the items of a document (``item``), the answers about each (``annotation``: a score and
error spans by model), the judge (``user_id``), the position in the judge's task (``item_i``) and
timed ``actions``. An item's segment is identified by its ``item_id``, or by its source if it has
none. Lines are in the order in which judges submitted them, so a later answer about an output counts
(`campaign.formats.repeats`); a line whose annotation is ``__RESET__`` withdraws all earlier answers by
that judge about the document, or about all documents if it names none.

Positions are those of Pearmut's page: UTF-16 units without line breaks, with an inclusive end. The
position after the last one is ``[missing]``, and those after it are further special tokens, whose names the log does
not have.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import Refuse, judge_of, refuse_at
from campaign.formats.errors import Lose, Loss, Losses
from campaign.formats.genmt import MAX_BYTES
from campaign.formats.json_text import decode_file, object_lines
from campaign.formats.segment_identity import id_parts, segment_id
from campaign.formats.streams import text_of as text_of_file
from campaign.texts.canonical_json import json_line
from protocols.spans.files.jsonl import any_text, made, present, score_value
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
from ranking.files.labels import (
    list_of,
    number_of,
    object_of,
    refuse_broken_text,
    system_of,
    text_of,
)

RESET: Final = "__RESET__"
#: Longest time that Pearmut counts between two actions.
_LONGEST_PAUSE: Final = 60.0
#: Prefixes of item_i for documents that are not part of the campaign.
_BESIDE = ("welcome_", "random_", "goodbye_")
_SHAPE = '{"user_id": "…", "item_i": 0, "item": [{…}], "annotation": [{"model": {…}}]}'
_WMT26 = "_###_"
_PAIR = re.compile(r"([A-Za-z_]+)---([A-Za-z_]+?)( v[0-9]+)?")
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
    submitted: dict[tuple[str, str, str], list[ScoredJudgment]] = defaultdict(list)
    empty = True
    for campaign, line, values in _lines(file):
        empty = False
        refuse, lose = refuse_at(file.name, line), losses.at(f"line {line}")
        judge = judge_of(text_of("user_id", values.get("user_id"), refuse), "user_id", refuse)
        document = values.get("item_i")
        if values.get("annotation") == RESET:
            for key, judgments in submitted.items():
                if key[:2] == (campaign, judge) and (document is None or key[2] == str(document)):
                    lose("judgments that were reset", len(judgments))
                    judgments.clear()
            continue
        if document is None or isinstance(document, bool):
            refuse("item_i", "the line has no document", "write the document's number")
        if str(document).startswith(_BESIDE):
            lose("forms, tutorials and attention checks")
            continue
        key = campaign, judge, str(document)
        submitted[key] += _submission(line, campaign, judge, values, refuse, lose)
    if empty:
        raise FormatError(file.name, "the file is empty", "provide the log of a Pearmut campaign")
    found = [judgment for own in submitted.values() for judgment in own]
    # In chronological order.
    return sorted(found, key=lambda judgment: judgment.line), losses.found()


def read_pearmut_campaign(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return the `error_spans` of a campaign's items as judgments without a judge, and the losses.

    Raises
    ------
    FormatError
        If the file is not such a campaign, or a span is outside its text.
    """
    losses = Losses()
    refuse, lose = refuse_at(file.name, 1), losses.at("line 1")
    campaign = object_of("", decode_file(text_of_file(file, MAX_BYTES), file=file.name), refuse)
    found = []
    for item in _items(list_of("data", campaign.get("data"), refuse)):
        suggested = object_of("error_spans", item.get("error_spans", {}), refuse)
        annotation = {model: {"error_spans": spans} for model, spans in suggested.items()}
        if annotation:
            entry = {"item": [item], "annotation": [annotation]}
            found += _submission(1, str(campaign.get("campaign_id")), "", entry, refuse, lose)
    return found, losses.found()


def _items(values: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the items of documents, which may be in a list for each task."""
    for value in values:
        if isinstance(value, list):
            yield from _items(value)
        elif isinstance(value, dict):
            yield value


def _lines(file: InputFile) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield campaign, line number and entry; the campaign is empty unless the file has several
    logs.
    """
    for line, values in object_lines(file, _SHAPE):
        if "annotation" in values or "user_id" in values:
            yield "", line, values
            continue
        refuse = refuse_at(file.name, line)
        for campaign, entries in values.items():
            for number, entry in enumerate(list_of(campaign, entries, refuse)):
                yield campaign, line, object_of(f"{campaign}[{number}]", entry, refuse)


def _submission(
    line: int, campaign: str, judge: str, values: dict[str, Any], refuse: Refuse, lose: Lose
) -> list[ScoredJudgment]:
    items = list_of("item", values.get("item"), refuse)
    annotations = list_of("annotation", values.get("annotation"), refuse)
    if len(items) != len(annotations):
        refuse(
            "annotation",
            f"the line has {len(annotations)} annotations for {len(items)} items",
            "provide the log as written by Pearmut",
        )
    started, ended, duration = times_of(values.get("actions"), refuse)
    comment = values.get("comment")
    if isinstance(comment, str):
        refuse_broken_text("comment", comment, refuse)
    found = []
    for place, (item, annotation) in enumerate(zip(items, annotations, strict=True)):
        key = f"item[{place}]"
        judged = _judged(key, item, annotation, refuse, lose)
        if judged is None:
            continue
        outputs = [
            _output(f"annotation[{place}].{model}", model, said, judged, refuse, lose)
            for model, said in object_of(f"annotation[{place}]", annotation, refuse).items()
        ]
        source = judged.get("src")
        judgment = made(
            ScoredJudgment,
            None,
            refuse,
            *names_of(_identifier(key, judged, refuse), campaign),
            judge=judge,
            outputs=tuple(outputs),
            source=None if source is None else any_text(f"{key}.src", source, refuse),
            started_at=started,
            ended_at=ended,
            # The items of a document are timed only together.
            duration_ms=duration if len(items) == 1 else None,
            comment=comment if isinstance(comment, str) else "",
            line=line,
        )
        found.append(judgment)
    return found


def _judged(
    key: str, item: object, annotation: object, refuse: Refuse, lose: Lose
) -> dict[str, Any] | None:
    """Return the item if it belongs to the campaign and was judged."""
    values = object_of(key, item, refuse)
    identifier = str(values.get("item_id", ""))
    if (
        "form" in values
        or values.get("skippable")
        or values.get("validation")
        or identifier.startswith("attention_check_")
        or "tutorial" in identifier
    ):
        lose("forms, tutorials and attention checks")
        return None
    if annotation is None:
        lose("skipped items")
        return None
    for more in ("ref", "instructions"):
        lose("references and instructions of items", bool(values.get(more)))
    return values


def names_of(identifier: str, campaign: str) -> tuple[str, str, str, str]:
    """Return languages, document and segment, as far as the item ID or the campaign name contains
    them.
    """
    pair = _PAIR.fullmatch(campaign)
    source, target = pair.group(1, 2) if pair else ("", "")
    parts = identifier.split(_WMT26)
    if not pair and len(parts) > 3:
        source, target = parts[2:4]
    return source, target, *id_parts(identifier)


def _identifier(key: str, item: dict[str, Any], refuse: Refuse) -> str:
    """Return the ID of an item; without one, an ID made from its source, which Pearmut uses to
    identify it.
    """
    identifier, source = item.get("item_id"), item.get("src")
    if identifier is None and isinstance(source, str):
        return f"source {hashlib.sha256(source.encode()).hexdigest()[:12]}"
    if identifier is None or not str(identifier).strip():
        refuse(f"{key}.item_id", "the item has neither id nor source", "add an item_id")
    return str(identifier)


def times_of(value: object, refuse: Refuse) -> tuple[float | None, float | None, int | None]:
    """Return the first and last action times, and the sum of gaps between actions, each at most a
    minute.
    """
    if value is None:
        return None, None, None
    times = sorted(
        number_of(f"actions[{place}].time", action.get("time"), refuse)
        for place, action in enumerate(list_of("actions", value, refuse))
        if isinstance(action, dict)
    )
    if not times:
        return None, None, None
    worked = sum(min(later - earlier, _LONGEST_PAUSE) for earlier, later in pairwise(times))
    return times[0], times[-1], round(1000 * worked)


def _output(
    key: str, model: str, value: object, item: dict[str, Any], refuse: Refuse, lose: Lose
) -> ScoredOutput:
    values = object_of(key, value, refuse)
    targets = object_of("item.tgt", item.get("tgt"), refuse)
    text = text_of(f"item.tgt.{model}", targets.get(model), refuse, empty=True, lines=True)
    lose("scores of custom sliders", bool(values.get("sliders")))
    lose("texts that judges wrote", bool(values.get("textfield")))
    lose("other keys of annotations", bool(values.keys() - set(_OF_OUTPUT)))
    score, spans = values.get("score"), values.get("error_spans")
    lose("outputs without a score", "score" in values and score is None)
    return made(
        ScoredOutput,
        "outputs",
        refuse,
        (system_of("item.tgt", model, refuse),),
        None if score is None else score_value(f"{key}.score", score, refuse),
        None if spans is None else _spans(f"{key}.error_spans", spans, text, refuse, lose),
        text,
    )


def _spans(key: str, value: object, text: str, refuse: Refuse, lose: Lose) -> tuple[Span, ...]:
    places = character_of_place(text)
    spans = []
    for number, each in enumerate(list_of(key, value, refuse)):
        own = f"{key}[{number}]"
        values = object_of(own, each, refuse)
        severity = str(values.get("severity") or "").lower()
        if severity not in list(Severity):
            lose(UNKNOWN_SEVERITY)
            continue
        first, last = (
            _place(f"{own}.{name}", values.get(name), refuse) for name in ("start_i", "end_i")
        )
        kind = ERROR
        if first >= len(places):
            start = end = None
            kind = f"{NUMBERED}{first - len(places)}" if first > len(places) else MISSING
        elif last >= len(places):
            refuse(
                f"{own}.end_i",
                f"the span ends at {last}, but the output has {len(places)} places",
                "provide the log as written by Pearmut, with the text that was judged",
            )
        else:
            start, end = places[first], places[last] + 1
        category = str(values.get("category") or "")
        refuse_broken_text(f"{own}.category", category, refuse)
        spans.append(made(Span, own, refuse, start, end, Severity(severity), category, kind))
    return tuple(spans)


def _place(key: str, value: object, refuse: Refuse) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        refuse(key, f"{value!r} is not a position", "write a whole number from 0")
    return value


def character_of_place(text: str) -> list[int]:
    """Return the character index of each position that can be marked."""
    return [
        place
        for place, character in enumerate(text)
        if character != "\n"
        for _unit in range(1 + (character > "\uffff"))
    ]


def write_pearmut_log(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return a line for each judgment, as a screen of one item, and the losses.

    `item_id` names document and segment; `item_i` counts the segments of a document in order of
    first occurrence.
    """
    losses = Losses()
    lines = []
    written: set[tuple[str, ...]] = set()
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for number, judgment in enumerate(judgments, 1):
        lose = losses.at(f"judgment {number}")
        identifier = segment_id(judgment.document, judgment.segment)
        of_document = places[judgment.document]
        place = of_document.setdefault(judgment.segment, len(of_document))
        names = names_of(identifier, "")
        lose("languages", names[:2] != (judgment.source_language, judgment.target_language))
        lose(
            "documents whose names hold “_#_” beside segments without a number",
            names[2:] != (judgment.document, judgment.segment),
        )
        annotation: dict[str, Any] = {}
        texts: dict[str, str] = {}
        for output in judgment.outputs:
            lose("identical outputs of several systems", len(output.systems) > 1)
            if output.text is None:
                lose("spans of outputs without a text", len(output.spans or ()))
            said = _said(output, lose)
            for system in output.systems:
                key = (judgment.judge, judgment.document, judgment.segment, system)
                # Pearmut treats a later line as a correction.
                lose("further judgments of one output by one judge", key in written)
                if key in written:
                    continue
                written.add(key)
                annotation[system] = said
                texts[system] = output.text or ""
        if not annotation:
            continue
        entry = present(
            annotation=[annotation],
            actions=_actions(judgment, lose) or None,
            item=[present(item_id=identifier, src=judgment.source, tgt=texts)],
            comment=judgment.comment or None,
            user_id=judgment.judge,
            item_i=place,
        )
        lines.append(json_line(entry))
    return lines, losses.found()


def _said(output: ScoredOutput, lose: Lose) -> dict[str, Any]:
    spans = None
    if output.spans is not None:
        spans = [
            found
            for span in (output.spans if output.text is not None else ())
            if (found := _span_written(span, output.text or "", lose)) is not None
        ]
    return present(score=output.score, error_spans=spans)


def _span_written(span: Span, text: str, lose: Lose) -> dict[str, Any] | None:
    places = character_of_place(text)
    if span.kind not in (ERROR, MISSING):
        lose("marks other than errors and missing content")
        return None
    if span.start is None or span.end is None:
        first = last = len(places)
    else:
        inside = [at for at, place in enumerate(places) if span.start <= place < span.end]
        if not inside:
            lose("spans of line breaks alone")
            return None
        first, last = inside[0], inside[-1]
        exact = places[first] == span.start and places[last] == span.end - 1
        lose("line breaks at the ends of spans", not exact)
    return {
        "start_i": first,
        "end_i": last,
        "category": span.category or None,
        "severity": span.severity.value,
    }


def _actions(judgment: ScoredJudgment, lose: Lose) -> list[dict[str, Any]]:
    """Return only the actions of loading and submitting."""
    known = [
        (at, action)
        for at, action in ((judgment.started_at, "load"), (judgment.ended_at, "submit"))
        if at is not None
    ]
    if len(known) == 1:
        lose("whether a time is the start or the end")
    actions = [{"time": at, "action": action} for at, action in known]
    if judgment.duration_ms != times_of(actions or None, refuse_at("", 0))[2]:
        lose("active times")
    return actions
