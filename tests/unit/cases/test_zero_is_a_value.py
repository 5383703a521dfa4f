"""0 and "0" in any field of any file are values, and not missing ones."""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest

from campaign.formats import FormatError
from campaign.formats.streams import StoredFile
from protocols.editing.files import LINES as EDITS
from protocols.frame.scale.files import LINES as RATINGS
from protocols.quiz.files import LINES as READINGS
from protocols.sorting.files import LINES as COMPARISONS
from protocols.spans.files.formats import SpansFormat, read_spans
from protocols.two_outputs.files import LINES as CHOICES
from ranking.files.machine_lines import MACHINE_JUDGMENTS, machine_records
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat

_SPAN: Final = {"start": 0, "end": 1, "severity": "minor", "category": "Style"}
_MARKED: Final = {"start_i": 0, "end_i": 1, "severity": "minor", "category": "Style"}
_RATED: Final = {"segment": 1, "systems": ["A"], "judge": "ann", "criterion": "style"}
_COMPARED: Final = {"segment": 1, "judge": "ann", "first": "A", "second": "B"}

#: Lines of JSON with all keys that are read, by format.
_LINES: Final[dict[str, dict[str, Any]]] = {
    InputFormat.JSONL: {
        "source_language": "en",
        "target_language": "de",
        "segment": 1,
        "document": "d",
        "judge": "ann",
        "candidates": ["A", ["B"]],
        "labels": [1, 2],
        "duration_ms": 5,
    },
    InputFormat.ARENA_VOTES: {
        "model_a": "A",
        "model_b": "B",
        "winner": "model_a",
        "question_id": "q",
        "turn": 1,
        "judge": "ann",
        "tstamp": 1_000,
    },
    SpansFormat.JSONL: {
        "source_language": "en",
        "target_language": "de",
        "document": "d",
        "segment": "1",
        "judge": "ann",
        "source": "One",
        "outputs": [{"systems": ["A"], "score": 5, "spans": [_SPAN], "text": "Eins"}],
        "started_at": 1,
        "ended_at": 2,
        "duration_ms": 5,
        "comment": "c",
        "repeat": 1,
    },
    SpansFormat.PEARMUT_LOG: {
        "user_id": "ann",
        "item_i": 1,
        "item": [{"item_id": "d_#_1", "src": "One", "tgt": {"A": "Eins"}}],
        "annotation": [{"A": {"score": 5, "error_spans": [_MARKED]}}],
        "actions": [{"time": 1, "action": "load"}, {"time": 3, "action": "submit"}],
        "comment": "c",
    },
    SpansFormat.WMT_JSONL: {
        "doc_id": "en-de_#_news_#_visit_#_1",
        "src_text": "One",
        "tgt_text": {"A": "Eins"},
        "scores": {"A": [{"human": 5, "errors": [], "annotator": "ann"}]},
    },
    RATINGS.name: {
        **_RATED,
        "value": 5,
        "scale": "0-100",
        "condition": "ASR",
        "duration_ms": 5,
        "screen": 1,
    },
    CHOICES.name: {**_COMPARED, "answer": "same", "duration_ms": 5},
    COMPARISONS.name: {**_COMPARED, "answer": "same", "duration_ms": 5},
    EDITS.name: {
        "segment": 1,
        "systems": ["A"],
        "judge": "ann",
        "outcome": "edited",
        "output": "Ein",
        "text": "Eins",
        "keystrokes": 5,
        "active_ms": 5,
        "acceptances": [{"judge": "ben", "acceptable": True}],
    },
    READINGS.name: {
        "snippet": "s",
        "systems": ["A"],
        "judge": "ann",
        "answers": [True],
        "expected": [True],
        "duration_ms": 5,
    },
    MACHINE_JUDGMENTS: {
        "machine": "gpt",
        "version": "1",
        "prompt": "p",
        "settings": "t",
        "segment": 1,
        "document": "d",
        "candidates": ["A", "B"],
        "labels": [1, 2],
        "duration_ms": 5,
        "comment": "c",
    },
}
#: Tables, each with a row.
_TABLES: Final[dict[str, dict[str, str]]] = {
    InputFormat.FIVE_WAY_CSV: {
        "srclang": "en",
        "trglang": "de",
        "srcIndex": "1",
        "documentId": "d",
        "segmentId": "1",
        "judgeId": "ann",
        "system1Id": "A",
        "system2Id": "B",
        "system1rank": "1",
        "system2rank": "2",
    },
    InputFormat.PAIRWISE_CSV: {
        "srclang": "en",
        "trglang": "de",
        "srcIndex": "1",
        "segmentId": "1",
        "judgeID": "ann",
        "system1Id": "A",
        "system1rank": "1",
        "system2Id": "B",
        "system2rank": "2",
        "rankingID": "1",
    },
    InputFormat.ARENA_VOTES: {
        key: str(value) for key, value in _LINES[InputFormat.ARENA_VOTES].items()
    },
    SpansFormat.MQM_TSV: {
        "system": "A",
        "doc": "d",
        "doc_id": "1",
        "seg_id": "1",
        "rater": "ann",
        "source": "One",
        "target": "Eins",
        "category": "Style",
        "severity": "minor",
    },
    RATINGS.name: {
        **{key: str(value) for key, value in _LINES[RATINGS.name].items()},
        "systems": "A",
    },
}


def _read(file_format: str, path: Path) -> Any:
    """Return all that a file says, comparable by its text."""
    if file_format in list(InputFormat):
        read = read_judgments([str(path)])
        blocks = read.blocks
        columns = (blocks.segment, blocks.labels, read.duration_ms)
        return (blocks.systems, blocks.judges, read.documents, *map(str, columns))
    if file_format in list(SpansFormat):
        return read_spans([str(path)]).judgments
    if file_format == MACHINE_JUDGMENTS:
        file = StoredFile("j", partial(BytesIO, path.read_bytes()))
        return list(machine_records(_no_parser, file, MACHINE_JUDGMENTS))
    [lines] = [
        each
        for each in (RATINGS, CHOICES, COMPARISONS, EDITS, READINGS)
        if each.name == file_format
    ]
    return lines.read([str(path)]).rows


def _no_parser(_file: StoredFile, _format: str | None) -> list[Any]:
    raise AssertionError


def _said(file_format: str, path: Path, text: str) -> str:
    """Return what a file says, or that it is refused."""
    path.write_text(text)
    try:
        return repr(_read(file_format, path))
    except FormatError:
        return "refused"


def _places(value: Any, *before: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all values in JSON that hold no others."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, *before, key)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _places(inner, *before, number)
    else:
        yield before


def _with(values: Any, place: tuple[Any, ...], value: Any) -> str:
    changed = deepcopy(values)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return json.dumps(changed) + "\n"


@pytest.mark.parametrize("file_format", _LINES)
def test_zero_in_lines_of_json_is_not_read_as_missing(
    file_format: str,
    tmp_path: Path,
) -> None:
    values = _LINES[file_format]
    path = tmp_path / "j.jsonl"
    assert _said(file_format, path, json.dumps(values) + "\n") != "refused"
    for place in _places(values):
        missing = {
            _said(file_format, path, _with(values, place, each)) for each in ("", None)
        }
        for zero, other in ((0, 3), ("0", "3")):
            said = _said(file_format, path, _with(values, place, zero))
            is_read = said != _said(file_format, path, _with(values, place, other))
            assert said == "refused" or not is_read or said not in missing, (
                place,
                zero,
            )


@pytest.mark.parametrize(
    "file_format",
    [name for name, values in _LINES.items() if "segment" in values],
)
def test_segment_is_a_number_or_its_text(file_format: str, tmp_path: Path) -> None:
    said = set()
    for segment in (1, "1"):
        line = _with(_LINES[file_format], ("segment",), segment)
        said.add(_said(file_format, tmp_path / "j.jsonl", line))
    assert len(said) == 1
    assert "refused" not in said


@pytest.mark.parametrize("file_format", _TABLES)
def test_zero_in_cells_is_not_read_as_missing(
    file_format: str,
    tmp_path: Path,
) -> None:
    row = _TABLES[file_format]
    separator = "\t" if file_format == SpansFormat.MQM_TSV else ","
    path = tmp_path / "j.csv"

    def said(**cells: str) -> str:
        lines = [separator.join(row), separator.join({**row, **cells}.values())]
        return _said(file_format, path, "\n".join(lines) + "\n")

    assert said() != "refused"
    for column in row:
        missing = said(**{column: ""})
        zero = said(**{column: "0"})
        is_unread = zero == said(**{column: "3"})
        assert zero == "refused" or is_unread or zero != missing, column
