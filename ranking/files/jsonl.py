"""Judgments as JSON Lines: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

from campaign.formats import FormatError, InputFile
from campaign.formats.records import CONTROL
from campaign.formats.streams import text_lines
from ranking.files.labels import MAX_INTEGER, Refuse, judge_of, systems_of
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
    empty = True
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            empty = False
            refuse = partial(_refuse, file.name, line)
            yield _block(line, _parsed(file.name, line, text), refuse)
    if empty:
        raise FormatError(file.name, "the file is empty", "give an object a line")


def _refuse(file: str, line: int, field: str | None, problem: str, remedy: str) -> NoReturn:
    raise FormatError(file, problem, remedy, line=line, field=field)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return values


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def _parsed(file: str, line: int, text: str) -> dict[str, Any]:
    remedy = "write one complete JSON object on every line"
    try:
        values = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            file, f"the line is no JSON ({error.msg})", remedy, line=line, column=error.pos + 1
        ) from error
    except (RecursionError, ValueError) as error:  # too deep, thousands of digits, or from above
        raise FormatError(file, f"the line is no JSON ({error})", remedy, line=line) from error
    if not isinstance(values, dict):
        raise FormatError(file, "the line is no JSON object", remedy, line=line)
    return values


def _block(line: int, values: dict[str, Any], refuse: Refuse) -> JudgedBlock:
    for key in _REQUIRED:
        if key not in values:
            refuse(key, "the key is missing", f"give every line the keys {', '.join(_REQUIRED)}")
    for key in values:
        if key not in _REQUIRED and key not in _OPTIONAL:
            refuse(
                key,
                "the key is unknown",
                f"remove it; there are {', '.join(_REQUIRED + _OPTIONAL)}",
            )
    candidates = _candidates(values["candidates"], refuse)
    labels = _list("labels", values["labels"], refuse)
    if len(labels) != len(candidates):
        refuse(
            "labels",
            f"there are {len(labels)} labels for {len(candidates)} candidates",
            "give one label a candidate, null where the judge gave none",
        )
    return JudgedBlock(
        line=line,
        source_language=_text("source_language", values["source_language"], refuse),
        target_language=_text("target_language", values["target_language"], refuse),
        segment=_integer("segment", values["segment"], 1, refuse),
        judge=judge_of(_text("judge", values["judge"], refuse), "judge", refuse),
        candidates=candidates,
        labels=tuple(_label(label, refuse) for label in labels),
        duration_ms=None
        if values.get("duration_ms") is None
        else _integer("duration_ms", values["duration_ms"], 0, refuse),
        document=_document(values.get("document"), refuse),
    )


def _candidates(value: object, refuse: Refuse) -> tuple[tuple[str, ...], ...]:
    seen: set[str] = set()
    candidates = []
    for candidate in _list("candidates", value, refuse):
        names = [candidate] if isinstance(candidate, str) else candidate
        if not isinstance(names, list) or not names:
            refuse("candidates", "a candidate is no list of systems", 'write [["A", "B"], ["C"]]')
        systems: tuple[str, ...] = ()
        for name in names:
            systems += systems_of(_text("candidates", name, refuse), "candidates", seen, refuse)
        candidates.append(systems)
    return tuple(candidates)


def _document(value: object, refuse: Refuse) -> str:
    """Return a document's name, a text or a whole number; empty where there is none."""
    if value is None or value == "":
        return ""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number else _text("document", value, refuse)


def _list(key: str, value: object, refuse: Refuse) -> list[Any]:
    if not isinstance(value, list):
        refuse(key, "the value is no list", "write it in square brackets")
    return value


def _text(key: str, value: object, refuse: Refuse) -> str:
    if not isinstance(value, str) or not value.strip():
        refuse(key, "the value is no text, or an empty one", "write a text in double quotes")
    if CONTROL.search(value):
        refuse(key, "the text contains a control character", "remove it")
    try:
        value.encode()
    except UnicodeEncodeError:
        refuse(key, "the text contains half of a surrogate pair", "write the whole character")
    return value


def _integer(key: str, value: object, smallest: int, refuse: Refuse) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        refuse(key, f"{value!r} is no whole number", "write a whole number, without quotes")
    if not smallest <= value <= MAX_INTEGER:
        refuse(key, f"{value} is out of range", f"write a whole number from {smallest}")
    return value


def _label(value: object, refuse: Refuse) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (is_number and value in {-1, 1, 2, 3, 4, 5}):
        refuse(
            "labels",
            f"the label {value!r} is not 1, 2, 3, 4, 5 or null",
            "give a label from 1 (best) to 5, or null where the judge gave none",
        )
    return value if isinstance(value, int) and value > 0 else None
