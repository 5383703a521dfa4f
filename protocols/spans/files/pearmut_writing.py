"""Scored judgments as Pearmut's annotation log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from campaign.formats.losses import Loss, Losses
from campaign.texts.json_lines import json_line
from protocols.spans.files.pearmut import character_of_place, names_of, times_of
from protocols.spans.files.values import (
    refuse_at,
)
from protocols.spans.records import ScoredJudgment, ScoredOutput, Span


def write_pearmut_log(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return a line for each judgment, as a document of one item, and what they cannot carry."""
    losses = Losses()
    lines = []
    for number, judgment in enumerate(judgments):
        where = f"judgment {number + 1}"
        losses.add(
            "languages, and documents other than by the segment's name",
            where,
            names_of(judgment.segment, "", number, 0)[:3]
            != (judgment.source_language, judgment.target_language, judgment.document),
        )
        annotation: dict[str, Any] = {}
        texts: dict[str, str] = {}
        for output in judgment.outputs:
            losses.add("that systems wrote the same text", where, len(output.systems) > 1)
            if output.text is None:
                losses.add("spans of outputs without a text", where, len(output.spans or ()))
            said = _said(output, losses, where)
            for system in output.systems:
                annotation[system] = said
                texts[system] = output.text or ""
        entry: dict[str, Any] = {"annotation": [annotation]}
        actions = _actions(judgment, losses, where)
        if actions:
            entry["actions"] = actions
        item: dict[str, Any] = {"item_id": judgment.segment}
        if judgment.source is not None:
            item["src"] = judgment.source
        entry["item"] = [item | {"tgt": texts}]
        if judgment.comment:
            entry["comment"] = judgment.comment
        entry |= {"user_id": judgment.judge, "item_i": number}
        lines.append(json_line(entry))
    return lines, losses.found()


def _said(output: ScoredOutput, losses: Losses, where: str) -> dict[str, Any]:
    said: dict[str, Any] = {"score": output.score}
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
