"""JSON taken in order: the same values as json has, however the file is cut, and errors with a place."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile
from campaign.formats import json_stream as module
from campaign.formats.json_stream import JsonStream
from tests.properties import examples

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


class _Cut:
    """A stream that gives a few bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        self._content = content
        self._size = size

    def read(self, _size: int = -1, /) -> bytes:
        piece, self._content = self._content[: self._size], self._content[self._size :]
        return piece


def stream(content: str | bytes, size: int = 7) -> JsonStream:
    data = content.encode() if isinstance(content, str) else content
    return JsonStream(InputFile("f.json", _Cut(data, size)), remedy="write one JSON object")


def taken(read: JsonStream) -> Any:
    """Take an object or list by its parts."""
    if read.peek() == "{":
        found: Any = {key: read.value() for key in read.entries()}
    else:
        found = [read.value() for _index in read.elements()]
    read.end()
    return found


@examples(60)
@given(
    value=st.lists(_VALUES, max_size=4) | st.dictionaries(st.text(), _VALUES, max_size=4),
    size=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
    escaped=st.booleans(),
)
def test_values_are_those_of_json(value: Any, size: int, indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    assert taken(stream(text, size)) == value


@pytest.mark.parametrize("number", ["1.5", "1e-5", "-12", "1E+10", "123456789"])
@pytest.mark.parametrize("size", range(1, 8))
def test_a_number_that_is_cut_is_read_whole(number: str, size: int) -> None:
    assert taken(stream(f"[{number}]", size)) == [json.loads(number)]
    whole = stream(number, size)
    assert whole.value() == json.loads(number)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '{"a": 1,\n "b" 2}',
            "line 2, column 6: the file is not valid JSON (Expecting ':' delimiter)",
        ),
        (
            '{"a": 1,\n b: 2}',
            "line 2, column 2: the file is not valid JSON (Expecting property name",
        ),
        ('{"a": 1,\n "a": 2}', 'the key "a" appears twice in one object'),
        ('{"a": {"b": 1, "b": 2}}', 'the key "b" appears twice in one object'),
        ('{"a": [1,\n tru]}', "line 2, column 2: the file is not valid JSON (Expecting value)"),
        ('{"a": 1', "the file is not valid JSON (Expecting '}' delimiter)"),
        ('{"a": "x', "the file is not valid JSON (Unterminated string starting at)"),
        ('{"a": 1} x', "line 1, column 10: the file is not valid JSON (Extra data)"),
        ('{"a": ' + "[" * 100_000, "the file is not readable JSON"),
        ('{"a": ' + "9" * 10_000 + "}", "the file is not readable JSON"),
        ('{"a": "' + "x" * 200 + '"}', "a value is longer than 100 characters"),
        ('{"a": [' + "[]," * 200 + "[]]}", "a value is longer than 100 characters"),
        ("{" + ", ".join(f'"{n}": 1' for n in range(1_001)) + "}", "more than 1,000 keys"),
        ("", "the file is not valid JSON (Expecting '[' delimiter)"),
        (b'{"a":\n "\xc3', "line 2, column 3: the byte 0xC3 is not UTF-8"),
    ],
)
def test_it_is_refused(content: str | bytes, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_VALUE", 100)
    if "not readable JSON" in said:
        monkeypatch.setattr(module, "MAX_VALUE", 1_000_000)
    with pytest.raises(FormatError) as caught:
        taken(stream(content, 50_000 if "not readable" in said else 7))
    assert said in str(caught.value)


def test_a_list_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ELEMENTS", 100)
    assert len(taken(stream("[" + "[]," * 99 + "[]]"))) == 100
    with pytest.raises(FormatError, match="more than 100 documents and items"):
        taken(stream("[" + "[]," * 100 + "[]]"))


def test_what_is_skipped_may_have_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_VALUE", 100)
    read = stream('{"a": [[' + "[1, 2]," * 60 + '[]]], "b": 3}')
    found = {}
    for key in read.entries():
        if key == "a":
            read.skip()
        else:
            found[key] = read.value()
    assert found == {"b": 3}
