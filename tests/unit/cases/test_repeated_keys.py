"""A key that is twice in one JSON object is refused with its line, whatever door the JSON came by."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management.base import CommandError
from rest_framework.exceptions import ParseError

from campaign.api.requests import StrictJSONParser
from campaign.formats import FormatError, InputFile
from campaign.formats.json_text import (
    decode_file,
    decode_json,
    object_array,
    object_lines,
)
from campaign.formats.yaml_tree import read_yaml
from campaign.management.commands import rest
from protocols.spans.files.formats import read_spans_file
from ranking.files.bundles import opened_bundle

# The inner object has the key of the outer one, which is no repeat; the text has a key's punctuation.
_ONCE = '{"id": 1,\n "a": {"id": "{\\"id\\":"},\n'
_TWICE = _ONCE + ' "\\u0069d": 2}'
_ON_ONE_LINE = _TWICE.replace("\n", "")


def _body(text: str) -> None:
    StrictJSONParser().parse(io.BytesIO(text.encode()))


def _lines(text: str) -> None:
    list(object_lines(InputFile("f", io.BytesIO(b"\n\n" + text.encode())), "{}"))


def _array(text: str) -> None:
    list(object_array(InputFile("f", io.BytesIO(f"[{{}}, {{}}, {text}]".encode()))))


def _spans(text: str) -> None:
    cell = text.replace('"', '""')
    row = f'ann,A,5,TGT,eng,deu,80,d,False,"[{cell}]",10,20\n'
    read_spans_file(InputFile("f", io.BytesIO(row.encode())))


def _bundle(text: str, folder: Path) -> None:
    (folder / "run.json").write_text(text, encoding="utf-8")
    with opened_bundle(folder) as bundle:
        bundle.json("run.json")


@pytest.mark.parametrize(
    ("read", "text", "line"),
    [
        (_body, _TWICE, 3),
        (lambda text: decode_file(text, file="f"), _TWICE, 3),
        (lambda text: read_yaml("f", text.encode()), _TWICE, 3),
        (_lines, _ON_ONE_LINE, 3),
        (_array, _TWICE, 3),
        (_spans, _ON_ONE_LINE, 1),
    ],
)
def test_key_twice_in_one_object_is_refused_with_its_line(
    read: Callable[[str], object],
    text: str,
    line: int,
) -> None:
    with pytest.raises((FormatError, ParseError), match=f"line {line}[:, ].*key .id. "):
        read(text)


def test_key_twice_in_a_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r'run\.json .*the key "id" appears twice'):
        _bundle(_TWICE, tmp_path)


def test_key_twice_in_a_field_of_the_command_is_refused() -> None:
    with pytest.raises(CommandError, match='the key "id" appears twice'):
        rest._json("rules", _TWICE)


def test_key_that_is_no_text_is_refused_with_an_answer() -> None:
    with pytest.raises(ParseError) as refusal:
        _body('{"\\ud800": 1, "\\ud800": 2}')
    assert str(refusal.value.detail).encode()


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1, Infinity]"])
def test_number_that_json_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a JSON number"):
        decode_json(text)


def test_numbers_stay_as_they_are_written() -> None:
    text = '{"a": [2.0, 2, 1e3], "b": {"a": null}}'
    assert json.dumps(decode_json(text)) == '{"a": [2.0, 2, 1000.0], "b": {"a": null}}'
