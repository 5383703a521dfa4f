"""Test sets as JSON Lines."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile, SegmentTexts, read_test_set

MakeFile = Callable[[str, str | bytes], InputFile]


def _read(make_file: MakeFile, content: str | bytes) -> list[SegmentTexts]:
    return list(read_test_set(source=make_file("set.jsonl", content)))


def test_an_object_a_line_is_a_segment(make_file: MakeFile) -> None:
    content = (
        '{"document": "d", "segment": 1, "source": " s1", "references": ["r", ""], '
        '"outputs": {"A": "a1", "B": "b\\u00e9\\ud83d\\ude00"}}\n\n'
        '{"outputs": {"B": "b\\n 2", "A": "a2"}, "source": "s2", "segment": "x", "document": "d"}'
    )
    segments = _read(make_file, content)
    assert segments == [
        SegmentTexts("d", 1, 1, "s1", ("r", ""), {"A": "a1", "B": "bé😀"}),
        SegmentTexts("d", 2, 2, "s2", (), {"A": "a2", "B": "b\n 2"}),
    ]
    assert [list(segment.outputs) for segment in segments] == [["A", "B"], ["A", "B"]]


def test_only_the_source_is_required(make_file: MakeFile) -> None:
    assert _read(make_file, '{"source": "s"}') == [
        SegmentTexts("set.jsonl", 1, 1, "s", (), {}),
    ]


_TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"])).filter(
    lambda text: text.strip() == text != "",
)


@given(st.lists(st.tuples(_TEXT, st.lists(_TEXT), _TEXT), min_size=1), st.booleans())
def test_written_json_is_read_back(
    make_file: MakeFile,
    rows: list[tuple[str, list[str], str]],
    ascii_only: bool,
) -> None:
    content = "".join(
        json.dumps(
            {"source": source, "references": references, "outputs": {"A": output}},
            ensure_ascii=ascii_only,
        )
        + "\n"
        for source, references, output in rows
    )
    segments = _read(make_file, content)
    assert [(s.source, list(s.references), s.outputs["A"]) for s in segments] == rows


_GOOD = '{"document": "d", "segment": 1, "source": "s", "outputs": {"A": "a"}}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n", ("set.jsonl: the file contains no segments.")),
        ('\n{"source": "a" "b"}', ("set.jsonl, line 2, column 16: the line is not valid JSON (Expecting ',' delimiter).")),
        ('[\n{"source": "a"},\n]', ("set.jsonl, line 1: it is a JSON array, not a test set.")),
        ('["a"]', ("set.jsonl, line 1: the line is not a JSON object.")),
        ("[" * 100_000, ("set.jsonl, line 1: it is a JSON array, not a test set.")),
        ('{"segment": ' + "9" * 10_000 + "}", ("set.jsonl, line 1: the line is not readable JSON.")),
        ('{"source": "s", "output": {}}', ('set.jsonl, line 1: the key "output" is unknown.')),
        ('{"source": "s", "outputs": {"A": "a", "A": "b"}}', ('set.jsonl, line 1: the key "A" appears twice in one object.')),
        ('{"source": "s", "outputs": {"A": 0}}', ('set.jsonl, line 1 (field "outputs"): the value is not a text.')),
        ('{"outputs": {}}', ('set.jsonl, line 1 (field "source"): the value is missing.')),
        ('{"source": 3}', ('set.jsonl, line 1 (field "source"): the value is not a text.')),
        ('{"source": "s", "segment": true}', ('set.jsonl, line 1 (field "segment"): the value is not a text.')),
        ('{"source": "s", "references": "r"}', ('set.jsonl, line 1 (field "references"): the value is not a list.')),
        ('{"source": "s", "outputs": ["a"]}', ('set.jsonl, line 1 (field "outputs"): the value is not an object.')),
        ('{"source": "s", "outputs": {"A,B": "a"}}', ("set.jsonl, line 1 (field \"outputs\"): the system name 'A,B' contains a comma.")),
        ('{"source": "s", "outputs": {"A": " "}}', 'set.jsonl, line 1 (field "outputs"): the output of A is empty.'),
        ('{"source": ""}', 'set.jsonl, line 1 (field "source"): the source is empty.'),
        (
            _GOOD + '{"document": "d", "segment": 2, "source": "s", "outputs": {"A": "a", "B": "b"}}',
            'set.jsonl, line 2 (field "outputs"): the line has an output of B, but line 1 does not.',
        ),
        (
            _GOOD + '{"document": "d", "segment": 2, "source": "s", "outputs": {}}',
            ('set.jsonl, line 2 (field "outputs"): the line has no output of A, but line 1 does.'),
        ),
        (
            _GOOD + '{"segment": 2, "source": "s", "outputs": {"A": "a"}}',
            'set.jsonl, line 2 (field "document"): the line has no "document", but line 1 has a "document".',
        ),
        ('{"source": "s"}\n{"source": "s", "segment": 1}', 'set.jsonl, line 2 (field "segment"): the line has a "segment", but line 1 has no "segment".'),
        (_GOOD + _GOOD, ('set.jsonl, line 2: the document "d" has the segment "1" twice.')),
        (r'{"source": "a\u0000"}', 'set.jsonl, line 1 (field "source"): the character U+0000, written with a backslash, is not allowed in text.'),
        (r'{"source": "a\ud83d"}', 'set.jsonl, line 1 (field "source"): the character U+D83D, written with a backslash, is not allowed in text.'),
    ],
)  # fmt: skip
def test_errors_name_file_line_field_and_remedy(
    make_file: MakeFile,
    content: str,
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        _read(make_file, content)
    assert str(caught.value).startswith(f"{message} What to do: ")
