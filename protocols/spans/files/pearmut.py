"""The annotation log of Pearmut: a line of JSON each time a judge submits a document, or the download of several logs.

A line has the documents' items (``item``), what the judge said of each (``annotation``: by model a
score and error spans), who (``user_id``), which place in their task (``item_i``) and what they did
when (``actions``). An item's segment is that of its ``item_id``, wherever it stands in a task;
without one, that of its source. A later line of the same judge and place replaces repeated answers,
model by model; a line whose annotation is ``__RESET__`` takes back all that came before of that
judge and document, and of all of the judge's where it names no document.

Positions count what Pearmut's page makes a place: units of UTF-16, line breaks left out, the last one included. The place
after the last one is ``[missing]``.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from campaign.formats import FormatError, InputFile
from campaign.formats.errors import Loss, Losses
from campaign.formats.json_stream import object_lines
from campaign.formats.segment_identity import id_parts, segment_id
from campaign.texts.canonical_json import json_line
from protocols.spans.files.jsonl import (
    judgment_made,
    output_made,
    score_value,
    span_made,
    spans_check,
)
from protocols.spans.records import MAX_OUTPUTS, ScoredJudgment, ScoredOutput, Severity, Span
from ranking.files.labels import (
    Refuse,
    judge_of,
    list_of,
    number_of,
    object_of,
    refuse_at,
    refuse_broken_text,
    system_of,
    text_of,
)

RESET: Final = "__RESET__"
#: Longest time that Pearmut counts between two actions.
_LONGEST_PAUSE: Final = 60.0
#: Documents outside the campaign, by the beginning of their item_i.
_BESIDE = ("welcome_", "random_", "goodbye_")
_SHAPE = '{"user_id": "…", "item_i": 0, "item": [{…}], "annotation": [{"model": {…}}]}'
_WMT26 = "_###_"
_PAIR = re.compile(r"([A-Za-z_]+)---([A-Za-z_]+?)( v[0-9]+)?")
_OF_OUTPUT = ("score", "error_spans", "textfield", "sliders")


@dataclass(slots=True)
class _Submission:
    """A line that counts: the judgments of its items by their place, None for items without one."""

    line: int
    judgments: list[ScoredJudgment | None] = field(default_factory=list)


def read_pearmut_log(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each item of each submission that still counts, and the losses.

    Raises
    ------
    FormatError
        With line and key: not such a log, a score out of range, or a span outside its text.
    """
    losses = Losses()
    submitted: dict[tuple[str, str, str], list[_Submission]] = {}
    empty = True
    for campaign, line, values in _lines(file):
        empty = False
        refuse = refuse_at(file.name, line)
        judge = judge_of(text_of("user_id", values.get("user_id"), refuse), "user_id", refuse)
        document = values.get("item_i")
        if values.get("annotation") == RESET:
            _reset(submitted, campaign, judge, document, losses, f"line {line}")
            continue
        if document is None or isinstance(document, bool):
            refuse("item_i", "the line names no document", "write the document's number")
        if str(document).startswith(_BESIDE):
            losses.add("forms, tutorials and attention checks", f"line {line}")
            continue
        submission = _submission(file.name, line, campaign, judge, values, losses)
        before = submitted.setdefault((campaign, judge, str(document)), [])
        _replace(before, submission, losses)
        before.append(submission)
    if empty:
        raise FormatError(file.name, "the file is empty", "give the log of a campaign of Pearmut")
    found = [
        (submission.line, judgment)
        for submissions in submitted.values()
        for submission in submissions
        for judgment in submission.judgments
        if judgment is not None
    ]
    # In the order in which they were made.
    return [judgment for _line, judgment in sorted(found, key=lambda each: each[0])], losses.found()


def _lines(file: InputFile) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield campaign, line and entry; of a download of several logs, the line is that of the campaign's log."""
    for line, values in object_lines(file, _SHAPE):
        if "annotation" in values or "user_id" in values:
            yield "", line, values
            continue
        refuse = refuse_at(file.name, line)
        for campaign, entries in values.items():
            for number, entry in enumerate(list_of(campaign, entries, refuse)):
                yield campaign, line, object_of(f"{campaign}[{number}]", entry, refuse)


def _reset(
    submitted: dict[tuple[str, str, str], list[_Submission]],
    campaign: str,
    judge: str,
    document: object,
    losses: Losses,
    where: str,
) -> None:
    for key, submissions in submitted.items():
        if key[:2] == (campaign, judge) and (document is None or key[2] == str(document)):
            taken = sum(each is not None for one in submissions for each in one.judgments)
            losses.add("judgments that were reset", where, taken)
            submissions.clear()


def _replace(before: list[_Submission], later: _Submission, losses: Losses) -> None:
    """Take from earlier submissions the outputs that the later one judges again."""
    for submission in before:
        for place, earlier in enumerate(submission.judgments):
            again = later.judgments[place] if place < len(later.judgments) else None
            if earlier is None or again is None:
                continue
            names = [(each.document, each.segment, each.source) for each in (earlier, again)]
            if names[0] != names[1]:
                continue
            systems = {system for output in again.outputs for system in output.systems}
            kept = tuple(out for out in earlier.outputs if not systems.intersection(out.systems))
            losses.add(
                "outputs that the same judge judged again later",
                f"line {submission.line}",
                len(earlier.outputs) - len(kept),
            )
            submission.judgments[place] = replace(earlier, outputs=kept) if kept else None


def _submission(
    file: str, line: int, campaign: str, judge: str, values: dict[str, Any], losses: Losses
) -> _Submission:
    refuse = refuse_at(file, line)
    items = list_of("item", values.get("item"), refuse)
    annotations = list_of("annotation", values.get("annotation"), refuse)
    if len(items) != len(annotations):
        refuse(
            "annotation",
            f"there are {len(annotations)} annotations of {len(items)} items",
            "give the log as Pearmut writes it",
        )
    started, ended, duration = times_of(values.get("actions"), refuse)
    comment = values.get("comment")
    if isinstance(comment, str):
        refuse_broken_text("comment", comment, refuse)
    submission = _Submission(line)
    for place, (item, annotation) in enumerate(zip(items, annotations, strict=True)):
        key = f"item[{place}]"
        judged = _judged(key, item, annotation, refuse, losses, f"line {line}")
        if judged is None:
            submission.judgments.append(None)
            continue
        outputs = [
            _output(file, line, f"annotation[{place}].{model}", model, said, judged, losses)
            for model, said in object_of(f"annotation[{place}]", annotation, refuse).items()
        ]
        if len(outputs) > MAX_OUTPUTS:
            refuse(
                f"annotation[{place}]",
                f"there are {len(outputs)} outputs on one screen",
                f"give at most {MAX_OUTPUTS}",
            )
        source_language, target_language, document, segment = names_of(
            _identifier(key, judged, refuse), campaign
        )
        source = judged.get("src")
        submission.judgments.append(
            judgment_made(
                refuse,
                source_language=source_language,
                target_language=target_language,
                document=document,
                segment=segment,
                judge=judge,
                outputs=tuple(outputs),
                source=None
                if source is None
                else text_of(f"{key}.src", source, refuse, empty=True, lines=True),
                started_at=started,
                ended_at=ended,
                # Items of one document are timed only together.
                duration_ms=duration if len(items) == 1 else None,
                comment=comment if isinstance(comment, str) else "",
                line=line,
            )
        )
    return submission


def _judged(
    key: str, item: object, annotation: object, refuse: Refuse, losses: Losses, where: str
) -> dict[str, Any] | None:
    """Return the item if it is of the campaign and was judged."""
    values = object_of(key, item, refuse)
    identifier = str(values.get("item_id", ""))
    if (
        "form" in values
        or values.get("skippable")
        or values.get("validation")
        or identifier.startswith("attention_check_")
        or "tutorial" in identifier
    ):
        losses.add("forms, tutorials and attention checks", where)
        return None
    if annotation is None:
        losses.add("skipped items", where)
        return None
    for more in ("ref", "instructions"):
        losses.add("references and instructions of items", where, bool(values.get(more)))
    return values


def names_of(identifier: str, campaign: str) -> tuple[str, str, str, str]:
    """Return languages, document and segment, as far as the item's id or the campaign's name say them."""
    pair = _PAIR.fullmatch(campaign)
    source, target = pair.group(1, 2) if pair else ("", "")
    parts = identifier.split(_WMT26)
    if not pair and len(parts) > 3:
        source, target = parts[2:4]
    return source, target, *id_parts(identifier)


def _identifier(key: str, item: dict[str, Any], refuse: Refuse) -> str:
    """Return the id of an item; where it has none, one of its source, by which Pearmut tells such items apart."""
    identifier, source = item.get("item_id"), item.get("src")
    if identifier is None and isinstance(source, str):
        return f"source {hashlib.sha256(source.encode()).hexdigest()[:12]}"
    if identifier is None or not str(identifier).strip():
        refuse(f"{key}.item_id", "the item has neither id nor source", "give it an item_id")
    return str(identifier)


def times_of(value: object, refuse: Refuse) -> tuple[float | None, float | None, int | None]:
    """Return the first and the last action, and the time between actions, a minute each at most."""
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
    file: str,
    line: int,
    key: str,
    model: str,
    value: object,
    item: dict[str, Any],
    losses: Losses,
) -> ScoredOutput:
    refuse, where = refuse_at(file, line), f"line {line}"
    values = object_of(key, value, refuse)
    targets = object_of("item.tgt", item.get("tgt"), refuse)
    text = text_of(f"item.tgt.{model}", targets.get(model), refuse, empty=True, lines=True)
    losses.add("scores of custom sliders", where, bool(values.get("sliders")))
    losses.add("texts that judges wrote", where, bool(values.get("textfield")))
    losses.add("other keys of annotations", where, bool(values.keys() - set(_OF_OUTPUT)))
    score, spans = values.get("score"), values.get("error_spans")
    losses.add("outputs without a score", where, "score" in values and score is None)
    return output_made(
        refuse,
        systems=(system_of("item.tgt", model, refuse),),
        score=None if score is None else score_value(f"{key}.score", score, refuse),
        spans=None
        if spans is None
        else _spans(f"{key}.error_spans", spans, text, refuse, losses, where),
        text=text,
    )


def _spans(
    key: str, value: object, text: str, refuse: Refuse, losses: Losses, where: str
) -> tuple[Span, ...]:
    places = character_of_place(text)
    spans = []
    for number, each in enumerate(list_of(key, value, refuse)):
        values = object_of(f"{key}[{number}]", each, refuse)
        severity = str(values.get("severity") or "").lower()
        if severity not in ("minor", "major"):
            losses.add("spans with a severity other than minor or major", where)
            continue
        first, last = (
            _place(f"{key}[{number}].{name}", values.get(name), refuse)
            for name in ("start_i", "end_i")
        )
        if first >= len(places):
            losses.add("marked special tokens", where, first > len(places))
            start = end = None
        elif last >= len(places):
            refuse(
                f"{key}[{number}].end_i",
                f"the span ends at {last}, but the output has {len(places)} places",
                "give the log as Pearmut writes it, with the text that was judged",
            )
        else:
            start, end = places[first], places[last] + 1
        category = str(values.get("category") or "")
        refuse_broken_text(f"{key}[{number}].category", category, refuse)
        spans.append(
            span_made(f"{key}[{number}]", start, end, Severity(severity), category, refuse)
        )
    spans_check(key, spans, text, refuse)
    return tuple(spans)


def _place(key: str, value: object, refuse: Refuse) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        refuse(key, f"{value!r} is no place", "write a whole number from 0")
    return value


def character_of_place(text: str) -> list[int]:
    """Return the character of each place that can be marked."""
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

    `item_id` names document and segment; `item_i` counts the segments of a document, in the order in which they first come.
    """
    losses = Losses()
    lines = []
    written: set[tuple[str, ...]] = set()
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for number, judgment in enumerate(judgments, 1):
        where = f"judgment {number}"
        identifier = segment_id(judgment.document, judgment.segment)
        of_document = places[judgment.document]
        place = of_document.setdefault(judgment.segment, len(of_document))
        losses.add(
            "languages",
            where,
            names_of(identifier, "")[:2] != (judgment.source_language, judgment.target_language),
        )
        losses.add(
            "documents whose names hold “_#_” beside segments without a number",
            where,
            names_of(identifier, "")[2:] != (judgment.document, judgment.segment),
        )
        annotation: dict[str, Any] = {}
        texts: dict[str, str] = {}
        for output in judgment.outputs:
            losses.add("identical outputs of several systems", where, len(output.systems) > 1)
            if output.text is None:
                losses.add("spans of outputs without a text", where, len(output.spans or ()))
            said = _said(output, losses, where)
            for system in output.systems:
                key = (judgment.judge, judgment.document, judgment.segment, system)
                # Pearmut takes a later line for a correction.
                losses.add("further judgments of one output by one judge", where, key in written)
                if key in written:
                    continue
                written.add(key)
                annotation[system] = said
                texts[system] = output.text or ""
        if not annotation:
            continue
        entry: dict[str, Any] = {"annotation": [annotation]}
        actions = _actions(judgment, losses, where)
        if actions:
            entry["actions"] = actions
        item: dict[str, Any] = {"item_id": identifier}
        if judgment.source is not None:
            item["src"] = judgment.source
        entry["item"] = [item | {"tgt": texts}]
        if judgment.comment:
            entry["comment"] = judgment.comment
        entry |= {"user_id": judgment.judge, "item_i": place}
        lines.append(json_line(entry))
    return lines, losses.found()


def _said(output: ScoredOutput, losses: Losses, where: str) -> dict[str, Any]:
    said: dict[str, Any] = {} if output.score is None else {"score": output.score}
    if output.spans is not None:
        said["error_spans"] = [
            found
            for span in (output.spans if output.text is not None else ())
            if (found := _span_written(span, output.text or "", losses, where)) is not None
        ]
    return said


def _span_written(span: Span, text: str, losses: Losses, where: str) -> dict[str, Any] | None:
    places = character_of_place(text)
    if span.start is None or span.end is None:
        first = last = len(places)
    else:
        inside = [at for at, place in enumerate(places) if span.start <= place < span.end]
        if not inside:
            losses.add("spans of line breaks alone", where)
            return None
        first, last = inside[0], inside[-1]
        exact = places[first] == span.start and places[last] == span.end - 1
        losses.add("line breaks at the ends of spans", where, not exact)
    return {
        "start_i": first,
        "end_i": last,
        "category": span.category or None,
        "severity": span.severity.value,
    }


def _actions(judgment: ScoredJudgment, losses: Losses, where: str) -> list[dict[str, Any]]:
    """Return loading and submitting, with nothing between."""
    known = [
        (at, action)
        for at, action in ((judgment.started_at, "load"), (judgment.ended_at, "submit"))
        if at is not None
    ]
    if len(known) == 1:
        losses.add("whether a time is the start or the end", where)
    actions = [{"time": at, "action": action} for at, action in known]
    if judgment.duration_ms != times_of(actions or None, refuse_at("", 0))[2]:
        losses.add("active times", where)
    return actions
