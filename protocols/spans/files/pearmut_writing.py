"""Scored judgments as Pearmut's annotation log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from campaign.formats.losses import Loss, Losses
from campaign.formats.segment_identity import segment_id
from campaign.texts.json_lines import json_line
from protocols.spans.files.pearmut import character_of_place, names_of, times_of
from protocols.spans.records import ScoredJudgment, ScoredOutput, Span
from ranking.files.labels import refuse_at


def write_pearmut_log(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return a line for each judgment, as a screen of one item, and what they cannot carry.

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
            losses.add("that systems wrote the same text", where, len(output.systems) > 1)
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
            if (found := _span_object(span, output.text or "", losses, where)) is not None
        ]
    return said


def _span_object(span: Span, text: str, losses: Losses, where: str) -> dict[str, Any] | None:
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
        losses.add("which of start and end the time is", where)
    actions = [{"time": at, "action": action} for at, action in known]
    if judgment.duration_ms != times_of(actions or None, refuse_at("", 0))[2]:
        losses.add("times without breaks", where)
    return actions
