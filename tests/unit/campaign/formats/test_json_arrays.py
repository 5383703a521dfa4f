"""Objects of a JSON array, read in chunks."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile
from campaign.formats.json_text import object_array


class _Slow(io.BytesIO):
    """A stream that returns a few bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self._size = size

    def read(self, _size: int | None = -1, /) -> bytes:
        return super().read(self._size)


def _read(content: str, size: int = 1000) -> list[dict[str, Any]]:
    return [
        value
        for _n, value in object_array(InputFile("f", _Slow(content.encode(), size)))
    ]


@given(
    values=st.lists(st.dictionaries(st.text(), st.text() | st.integers()), max_size=5),
    size=st.integers(1, 40),
    indent=st.sampled_from([None, 0, 2]),
    is_ascii=st.booleans(),
)
def test_array_is_read_whatever_the_chunks(
    values: list[dict[str, Any]],
    size: int,
    indent: int | None,
    is_ascii: bool,
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=is_ascii)
    assert _read(text, size) == values
    assert _read(f"\ufeff {text}\n", size) == values


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"a": 1}, {"a": ', "line 2: the array is not valid JSON"),
        ('[{"a": 1}', "line 2: the array has no end"),
        ('[{"a": 1}, 2]', "line 2: the array contains no objects"),
        ('[{"a": 1}] {"a": 2}', "line 2: the array is not valid JSON"),
        ('[{"a": 1, "a": 2}]', 'line 1: the key "a" appears twice'),
        ('[{"a": ' + "[" * 100_000, "line 1: the array is not readable JSON"),
    ],
)
@pytest.mark.parametrize("size", [7, 1000])
def test_damaged_array_is_refused_with_the_number_of_its_object(
    text: str,
    problem: str,
    size: int,
) -> None:
    with pytest.raises(FormatError, match=problem):
        _read(text, size)
