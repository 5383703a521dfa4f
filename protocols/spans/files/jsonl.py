"""Scored judgments as JSON Lines, one object per line, without losses; and checks of values for all
formats.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar, cast

from campaign.formats import InputFile
from campaign.formats.cells import Refuse
from campaign.formats.errors import Loss
from campaign.formats.json_text import JSONObject
from campaign.texts.canonical_json import json_line
from protocols.spans.records import (
    ERROR,
    MAX_SCORE,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
    SpanJSON,
    Start,
    StartJSON,
)
from ranking.files.labels import (
    MAX_NUMBER,
    Take,
    any_text,
    boolean_of,
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


Record = TypeVar("Record", ScoredJudgment, ScoredOutput, Span, Start)
_REMEDIES: Final[dict[object, str]] = {
    Span: "write both ends, the start before the end, or neither",
    ScoredOutput: "name the systems, and count characters of the text that was judged from 0",
}


def make_record(
    kind: Callable[..., Record],
    key: str | None,
    refuse: Refuse,
    /,
    *values: Any,
    **more: Any,
) -> Record:
    """Make a judgment, output or span of the values, or refuse invalid ones."""
    try:
        return kind(*values, **more)
    except ValueError as error:
        refuse(key, str(error), _REMEDIES.get(kind, "correct the judgment"))


_SHAPE = '{"segment": "1", "judge": "ann", "outputs": [{"systems": ["A"], "score": 80, "spans": []}]}'


def read_spans_jsonl(file: InputFile) -> tuple[list[ScoredJudgment], tuple[Loss, ...]]:
    """Return a judgment for each line, and no losses; see `docs/formats-judgments.md` for the
    objects.

    Raises
    ------
    FormatError
        With line and key, or with the column if the line is not JSON. A span that ends after the
        text is refused; spans may overlap, as in Google's MQM.
    """
    judgments = []
    for line, values, refuse in json_objects(file, shape=_SHAPE):
        judgment = _JUDGMENT.read("", values, refuse)
        judgments.append(replace(judgment, line=line))
    return judgments, ()


@dataclass(frozen=True, slots=True)
class RecordForm(Generic[Record]):
    """The JSON object of a record.

    Attributes
    ----------
    kind : callable
        Makes the record of its values; raises ValueError for invalid ones.
    takes : mapping of str to callable
        Checks the value of each key.
    defaults : mapping of str to object
        Values of the keys that may be missing or null; they are not written.
    """

    kind: Callable[..., Record]
    takes: Mapping[str, Take]
    defaults: Mapping[str, object]

    def read(self, key: str, value: object, refuse: Refuse) -> Record:
        """Read an object; `key` is its place in the line, empty for the whole line."""
        values = object_of(key, value, refuse)
        path = f"{key}." if key else ""
        record_values = values_taken(values, self.takes, self.defaults, refuse, path)
        return make_record(
            self.kind,
            key or None,
            refuse,
            **{**self.defaults, **record_values},
        )

    def read_list(self, key: str, value: object, refuse: Refuse) -> tuple[Record, ...]:
        """Read a list of objects."""
        listed = list_of(key, value, refuse)
        records = []
        for number, element in enumerate(listed):
            records.append(self.read(f"{key}[{number}]", element, refuse))
        return tuple(records)

    def written(self, record: Record) -> dict[str, object]:
        """Return the object of a record."""
        values: dict[str, object] = {}
        for key in self.takes:
            value = getattr(record, key)
            if key not in self.defaults or value != self.defaults[key]:
                values[key] = _plain(value)
        return values


def span_object(span: Span) -> SpanJSON:
    """Return a span as a JSON object, in files and among stored suggestions."""
    values = cast("SpanJSON", _SPAN.written(span))
    if span.is_missing_content:
        # It follows from the missing position.
        del values["kind"]
    return values


def start_object(start: Start) -> StartJSON:
    """Return what a judge started from as a JSON object, in files and in the database."""
    values = cast("StartJSON", _START.written(start))
    return {**values, "is_shown": start.is_shown}


def _plain(value: Any) -> Any:
    """Return a value of a record as JSON has it."""
    if isinstance(value, Start):
        return start_object(value)
    if not isinstance(value, tuple):
        return value
    plain_values = []
    for element in value:
        plain_values.append(_WRITERS.get(type(element), str)(element))
    return plain_values


def _severity(key: str, value: object, refuse: Refuse) -> Severity:
    return Severity(word_of(key, value, Severity, refuse))


_POSITION: Final = whole(0, MAX_NUMBER)
_SPAN: Final = RecordForm(
    Span,
    {
        "start": _POSITION,
        "end": _POSITION,
        "severity": _severity,
        "category": any_text,
        "kind": name_of,
    },
    {"start": None, "end": None, "category": "", "kind": ERROR},
)
_START: Final = RecordForm(
    Start,
    {"spans": _SPAN.read_list, "is_shown": boolean_of, "planted": _POSITION},
    {"is_shown": True, "planted": None},
)
_OUTPUT: Final = RecordForm(
    ScoredOutput,
    {
        "systems": each_of(system_of),
        "score": score_value,
        "spans": _SPAN.read_list,
        "text": any_text,
        "start": _START.read,
    },
    {"score": None, "spans": None, "text": None, "start": None},
)
_JUDGMENT: Final = RecordForm(
    ScoredJudgment,
    {
        "source_language": any_text,
        "target_language": any_text,
        "document": any_text,
        "segment": name_of,
        "judge": judge_named,
        "source": any_text,
        "outputs": _OUTPUT.read_list,
        "started_at": number_of,
        "ended_at": number_of,
        "duration_ms": whole(0, MAX_NUMBER),
        "comment": any_text,
        "repeat": whole(1, MAX_NUMBER),
    },
    {
        "source_language": "",
        "target_language": "",
        "document": "",
        "judge": "",
        "source": None,
        "started_at": None,
        "ended_at": None,
        "duration_ms": None,
        "comment": "",
        "repeat": 1,
    },
)
_WRITERS: Final[dict[type, Callable[[Any], Any]]] = {
    Span: span_object,
    ScoredOutput: _OUTPUT.written,
}


def write_spans_jsonl(
    judgments: Iterable[ScoredJudgment],
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the lines, and no losses."""
    lines = []
    for judgment in judgments:
        lines.append(json_line(_JUDGMENT.written(judgment)))
    return lines, ()


def present(**values: object) -> JSONObject:
    """Return the values that are not None."""
    values_present = {}
    for name, value in values.items():
        if value is not None:
            values_present[name] = value
    return values_present
