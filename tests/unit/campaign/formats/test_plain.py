"""Test sets as plain text."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import (
    FormatError,
    InputFile,
    ReadingOptions,
    SegmentTexts,
    TestSetFormat,
    read_test_set,
)

MakeFile = Callable[[str, str | bytes], InputFile]
Read = Callable[..., list[SegmentTexts]]


@pytest.fixture(scope="session")
def read(make_file: MakeFile) -> Read:
    def read_texts(
        source: str | bytes,
        references: Sequence[str] = (),
        systems: Mapping[str, str] | None = None,
        documents: str | None = None,
    ) -> list[SegmentTexts]:
        return list(
            read_test_set(
                source=make_file("set/src.txt", source),
                references=[
                    make_file(f"ref{n}.txt", text)
                    for n, text in enumerate(references, 1)
                ],
                systems={
                    name: make_file(f"{name}.txt", t)
                    for name, t in (systems or {}).items()
                },
                documents=None
                if documents is None
                else make_file("docs.txt", documents),
                options=ReadingOptions(file_format=TestSetFormat.PLAIN),
            ),
        )

    return read_texts


def test_a_line_of_every_file_is_a_segment(read: Read) -> None:
    segments = read(
        "eins\nzwei\r\ndrei",
        references=["one\ntwo\nthree\n", "ONE\n\nTHREE\n"],
        systems={"A": "1a\n2a\n3a\n", "B": " 1b\t\n2b\n3b\n"},
        documents="d1\nd1\nd2\n",
    )
    outputs = {"A": "1a", "B": "1b"}
    trimmed = (("B", True),)
    assert segments == [
        SegmentTexts("d1", 1, 1, "eins", ("one", "ONE"), outputs, trimmed),
        SegmentTexts("d1", 2, 2, "zwei", ("two", ""), {"A": "2a", "B": "2b"}),
        SegmentTexts("d2", 1, 3, "drei", ("three", "THREE"), {"A": "3a", "B": "3b"}),
    ]


def test_without_document_names_everything_is_one_document_called_as_the_source(
    read: Read,
) -> None:
    assert [(s.document, s.position) for s in read("a\nb\n")] == [
        ("src.txt", 1),
        ("src.txt", 2),
    ]


def test_separators_of_unicode_do_not_shift_lines(read: Read) -> None:
    segments = read("a\u2028b\nc\n", systems={"A": "x\ny\x85z\n"})
    assert [(s.source, s.outputs["A"]) for s in segments] == [
        ("a\u2028b", "x"),
        ("c", "y\x85z"),
    ]


_TEXT = st.text(
    st.characters(
        codec="utf-8",
        exclude_characters="\x7f",
        exclude_categories=["Cc", "Cs"],
    ),
    min_size=1,
).filter(lambda text: text.strip() == text and not text.startswith("\ufeff"))


@given(
    st.lists(st.tuples(_TEXT, _TEXT, _TEXT), min_size=1),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_file_with_a_line_per_segment_is_read_back(
    read: Read,
    rows: list[tuple[str, str, str]],
    line_end: str,
) -> None:
    source, reference, output = (
        "".join(t + line_end for t in c) for c in zip(*rows, strict=True)
    )
    segments = read(source, references=[reference], systems={"A": output})
    assert [(s.source, *s.references, s.outputs["A"]) for s in segments] == rows
    assert [s.number for s in segments] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "a\nb\nc\n", "systems": {"A": "1\n2\n3\n", "B": "1\n2\n"}}, "B.txt, line 2: the file has 2 lines, but set/src.txt has 3 lines."),
        ({"source": "a\n", "references": ["1\n2\n3\n4\n"]}, "ref1.txt, line 2: the file has 4 lines, but set/src.txt has 1 line."),
        ({"source": "a\nb\n", "documents": ""}, "docs.txt: the file has 0 lines, but set/src.txt has 2 lines."),
        ({"source": "a\n \t\n"}, ("set/src.txt, line 2: the source is empty.")),
        ({"source": "a\nb\n", "systems": {"A": "1\n2\n", "B": "1\n\n"}}, ("B.txt, line 2: the output of B is empty.")),
        ({"source": "a\nb\n", "documents": "d\n\n"}, ("docs.txt, line 2: the name of the document is empty.")),
        ({"source": "a\nb\nc\n", "documents": "d\ne\nd\n"}, ('docs.txt, line 3: the document "d" appears again after another document.')),
        ({"source": "a\nb\n", "documents": "x\td\ny\td\n"}, 'docs.txt, line 2: the document "d" has the domain "y" here, but "x" earlier.'),
        ({"source": "a\nb\rc\n", "systems": {"A": "1\n2\n"}}, "A.txt, line 2: the file has 2 lines, but set/src.txt has 3 lines; a carriage return alone ends line 2 of set/src.txt."),
        ({"source": "a\rb\rc\r", "systems": {"A": "1\n2\n"}}, "A.txt, line 2: the file has 2 lines, but set/src.txt has 3 lines."),
        ({"source": "a\n", "documents": "d" * 301}, 'docs.txt, line 1: the document name "dddddddddddddddddddd…" is longer than 300 characters.'),
        ({"source": ""}, ("set/src.txt: the file contains no segments.")),
        ({"source": b"gr\xfcn\n"}, ("set/src.txt, line 1, column 3: the byte 0xFC is not UTF-8.")),
    ],
)  # fmt: skip
def test_errors_name_file_line_and_remedy(
    read: Read,
    arguments: dict[str, object],
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        read(**arguments)
    assert str(caught.value).startswith(f"{message} What to do: ")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("A,B", "the system name 'A,B' contains a comma"),
        ("A\tB", "the system name 'A\\tB' contains a tab"),
        ("A\nB", "the system name 'A\\nB' contains a line break"),
        ("A\0B", "the system name 'A\\x00B' contains a control character"),
        (" A", "the system name ' A' begins or ends with white space"),
        ("", "the name of a system is empty"),
        (
            "S" * 201,
            'the system name "SSSSSSSSSSSSSSSSSSSS…" is longer than 200 characters',
        ),
    ],
)
def test_names_that_files_cannot_carry_are_refused(
    make_file: MakeFile,
    name: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        read_test_set(
            source=make_file("src", "a\n"),
            systems={name: make_file("out", "1\n")},
        )
    assert str(caught.value) == f"out: {problem}. What to do: rename the system."
