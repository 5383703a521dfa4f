"""Judgments as JSON Lines: an object a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from campaign.formats import InputFile
from ranking.files.json_objects import (
    candidate_of,
    count_of,
    integer_of,
    json_objects,
    keys_check,
    list_of,
    name_of,
    text_of,
)
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import JudgedBlock

_REQUIRED = ("source_language", "target_language", "segment", "judge", "candidates", "labels")
_OPTIONAL = ("document", "segment_id", "duration_ms")


def read_jsonl(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every line; `docs/formats.md` describes the objects.

    Raises
    ------
    FormatError
        With line and key; with the column where the line is no JSON.
    """
    for line, values, refuse in json_objects(file):
        yield _block(line, values, refuse)


def _block(line: int, values: dict[str, Any], refuse: Refuse) -> JudgedBlock:
    keys_check(values, _REQUIRED, _OPTIONAL, refuse)
    candidates = _candidates(values["candidates"], refuse)
    labels = list_of("labels", values["labels"], refuse)
    if len(labels) != len(candidates):
        refuse(
            "labels",
            f"there are {len(labels)} labels for {len(candidates)} candidates",
            "give one label a candidate, null where the judge gave none",
        )
    document = values.get("document")
    return JudgedBlock(
        line=line,
        source_language=text_of("source_language", values["source_language"], refuse),
        target_language=text_of("target_language", values["target_language"], refuse),
        segment=integer_of("segment", values["segment"], 1, refuse),
        judge=judge_of(text_of("judge", values["judge"], refuse), "judge", refuse),
        candidates=candidates,
        labels=tuple(_label(label, refuse) for label in labels),
        duration_ms=count_of("duration_ms", values, refuse),
        document="" if document in (None, "") else name_of("document", document, refuse),
    )


def _candidates(value: object, refuse: Refuse) -> tuple[tuple[str, ...], ...]:
    candidates = [
        candidate_of("candidates", each, refuse) for each in list_of("candidates", value, refuse)
    ]
    count = Counter(chain.from_iterable(candidates))
    for system, times in count.items():
        if times > 1:
            refuse(
                "candidates",
                f"the system {system} stands twice in the block",
                "name every system once a block",
            )
    return tuple(candidates)


def _label(value: object, refuse: Refuse) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (is_number and value in {-1, 1, 2, 3, 4, 5}):
        refuse(
            "labels",
            f"the label {value!r} is not 1, 2, 3, 4, 5 or null",
            "give a label from 1 (best) to 5, or null where the judge gave none",
        )
    return value if isinstance(value, int) and value > 0 else None
