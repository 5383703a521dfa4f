"""Test sets as WMT SGML: the tokenizer, and the alignment of files."""

import html
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile, SegmentTexts, read_test_set

MakeFile = Callable[[str, str | bytes], InputFile]
Read = Callable[..., list[SegmentTexts]]


def _set(kind: str, documents: Mapping[str, Mapping[str, str]]) -> str:
    lines = [f'<{kind} setid="test" srclang="any">']
    for document, segments in documents.items():
        lines.append(f'<doc sysid="anything" docid="{document}">')
        lines += [
            f'<p>\n<seg id="{number}">{text}</seg>\n</p>'
            for number, text in segments.items()
        ]
        lines.append("</doc>")
    return "\n".join([*lines, f"</{kind}>", ""])


@pytest.fixture(scope="session")
def read(make_file: MakeFile) -> Read:
    def read_texts(
        source: str,
        references: Sequence[str] = (),
        systems: Mapping[str, str] | None = None,
    ) -> list[SegmentTexts]:
        return list(
            read_test_set(
                source=make_file("src.sgm", source),
                references=[
                    make_file(f"ref{n}.sgm", text)
                    for n, text in enumerate(references, 1)
                ],
                systems={
                    name: make_file(f"{name}.sgm", t)
                    for name, t in (systems or {}).items()
                },
            ),
        )

    return read_texts


def test_files_are_aligned_by_document_and_segment_in_the_source_order(
    read: Read,
) -> None:
    segments = read(
        _set("srcset", {"d1": {"1": "eins", "2": "zwei"}, "d2": {"1": "drei"}}),
        references=[
            _set("refset", {"d2": {"1": "three"}, "d1": {"2": "two", "1": "one"}}),
        ],
        systems={
            "A": _set("tstset", {"d1": {"1": "1a", "2": "2a"}, "d2": {"1": "3a"}}),
        },
    )
    assert segments == [
        SegmentTexts("d1", 1, 1, "eins", ("one",), {"A": "1a"}),
        SegmentTexts("d1", 2, 2, "zwei", ("two",), {"A": "2a"}),
        SegmentTexts("d2", 1, 3, "drei", ("three",), {"A": "3a"}),
    ]


def test_case_order_and_quotes_of_tags_and_attributes_do_not_matter(read: Read) -> None:
    source = (
        "<?xml version='1.0'?>\n<!DOCTYPE mteval SYSTEM \"x.dtd\">\n"
        "<!-- a comment with <seg id=9> over\nlines -->\n"
        "<SRCSET SrcLang=any setid='x'>\n"
        "<DOC genre='news'\n  DocID=plain\n>\n<HL><Seg ID='a>b'>eins</SEG></HL>"
        '<h1>\n<seg  score="1"   id = 2 >zwei</seg ></h1></DOC> < \n</SRCSET>'
    )
    assert [(s.document, s.source) for s in read(source)] == [
        ("plain", "eins"),
        ("plain", "zwei"),
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            "&quot;a&#39;s &amp; b&eacute; &lt;seg&gt; &#x20AC;&quot;",
            '"a\'s & bé <seg> €"',
        ),
        (
            "S&P-500, AT&T, ?a=1&copy=2 &unknown; &notit;",
            "S&P-500, AT&T, ?a=1&copy=2 &unknown; &notit;",
        ),
        ("&amp;quot; is decoded once", "&quot; is decoded once"),
        ("a < b, 3 > 2, <3, <b>bold</b> <p>", "a < b, 3 > 2, <3, <b>bold</b> <p>"),
        (" \tends\u00a0 ", "ends"),
        ("wrapped  \n  over\r\n\nlines\n", "wrapped over lines"),
        ("kept\u2028and\x85kept", "kept\u2028and\x85kept"),
    ],
)
def test_segment_texts(read: Read, content: str, text: str) -> None:
    assert [s.source for s in read(_set("srcset", {"d": {"1": content}}))] == [text]


_ESCAPED = st.text(
    st.characters(
        codec="utf-8",
        exclude_characters="\x7f",
        exclude_categories=["Cc", "Cs"],
    ),
).filter(lambda text: text.strip())


@given(
    st.lists(_ESCAPED, min_size=1, max_size=5),
    st.permutations(range(5)),
    st.booleans(),
)
def test_any_text_comes_back_in_any_order(
    read: Read,
    texts: list[str],
    order: list[int],
    wrap: bool,
) -> None:
    escaped = [html.escape(text) for text in texts]
    source = _set("srcset", {"d": {str(i): text for i, text in enumerate(escaped)}})
    shuffled = {str(i): escaped[i] for i in order if i < len(texts)}
    output = _set("tstset", {"d": shuffled}).replace(
        "<seg id",
        "<seg\nid" if wrap else "<seg id",
    )
    segments = read(source, systems={"A": output})
    assert [s.source for s in segments] == [text.strip() for text in texts]
    assert [s.outputs["A"] for s in segments] == [text.strip() for text in texts]


_ONE = {"d": {"1": "a", "2": "b"}}


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"d": {"1": "a"}}, 'A.sgm, line 4: the document "d" is missing the segment "2" (src.sgm, line 7), looked for up to here.'),
        (
            {"d": {"1": "a", "3": "c"}, "e": {"1": "x"}, "f": {"1": "y"}},
            'A.sgm, line 7: the document "d" is missing the segment "2" (src.sgm, line 7), looked for up to here.',
        ),
        ({"d": {"1": "a", "2": "b", "3": "c"}}, 'A.sgm, line 10: the document "d" has the segment "3", which src.sgm does not.'),
        ({"c": {"7": "x"}, "d": {"1": "a", "2": "b"}}, 'A.sgm, line 4: the document "c" has the segment "7", which src.sgm does not.'),
        ({"d": {"1": "a", "2": ""}}, ("A.sgm, line 7: the output of A (document d, segment 2) is empty.")),
    ],
)  # fmt: skip
def test_an_output_that_does_not_fit_the_source_is_refused(
    read: Read,
    output: dict[str, dict[str, str]],
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        read(_set("srcset", _ONE), systems={"A": _set("tstset", output)})
    assert str(caught.value).startswith(f"{message} What to do: ")


def test_a_segment_that_comes_twice_is_refused_in_every_file(read: Read) -> None:
    twice = _set("tstset", _ONE).replace('id="2"', 'id="1"')
    message = (
        ', line 7: the document "d" has the segment "1" twice. What to do: remove one of the two, '
        "or number them differently."
    )
    with pytest.raises(FormatError) as caught:
        read(_set("srcset", _ONE), systems={"A": twice})
    assert str(caught.value) == "A.sgm" + message
    with pytest.raises(FormatError) as caught:
        read(twice.replace("tstset", "srcset"))
    assert str(caught.value) == "src.sgm" + message


def test_a_file_of_several_systems_is_refused(read: Read) -> None:
    # "d " is "d" to the reader, and a key of its own to Python.
    both = _set(
        "tstset",
        {"d": {"1": "a", "2": "b"}, "e": {"1": "c"}, "d ": {"1": "x"}},
    )
    with pytest.raises(FormatError) as caught:
        read(
            _set("srcset", {"d": {"1": "a", "2": "b"}, "e": {"1": "c"}}),
            systems={"A": both},
        )
    assert str(caught.value) == (
        'A.sgm, line 17: the document "d" appears again after another document. What to do: keep '
        "the segments of a document together, and use a unique name or file for every document of the "
        "test set and every system."
    )


_START = '<srcset setid="x">\n<doc docid="d">\n'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (f'{_START}<seg id="1">a', ("src.sgm, line 3: the file ends inside the segment that begins on line 3.")),
        (f'{_START}<seg id="1">a</seg>\n<seg\nid=', ("src.sgm, line 5: the file ends inside the tag that begins on line 4.")),
        (f'{_START}<seg id="1">a</seg>\n', ("src.sgm, line 3: the file ends inside the document that begins on line 2.")),
        (f'{_START}<seg id="1">a\n<seg id="2">b</seg>', ('src.sgm, line 3: the segment "1" of the document "d" is never closed.')),
        (f"{_START}<p><seg>a</seg>", 'src.sgm, line 3 (field "id"): the segment has no id.'),
        ('<srcset setid="x">\n<doc sysid="d">\n', ('src.sgm, line 2 (field "docid"): the document has no docid.')),
        ('<srcset setid="x">\n <seg id="1">a</seg>', ("src.sgm, line 2, column 2: the segment is not inside a document.")),
        (f"{_START}a</seg>", ("src.sgm, line 3, column 2: closing tag without an open segment.")),
        (_set("tstset", _ONE), ("src.sgm, line 1: the file is a tstset, not a srcset.")),
        (f'{_START}<seg id="1">a&#7;</seg>', ("src.sgm, line 3: &#7; is a control character, which is not allowed in text.")),
        (f'{_START}<seg id="1"> </seg></doc>', ("src.sgm, line 3: the source (document d, segment 1) is empty.")),
        ("<srcset></srcset>", "src.sgm: the file contains no segments."),
        (f'{_START}\n<seg id="1\n' + 2000 * "going on\n", ("src.sgm, line 4: the tag that begins here is never closed.")),
    ],
)  # fmt: skip
def test_errors_name_file_line_and_remedy(
    read: Read,
    source: str,
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        read(source)
    assert str(caught.value).startswith(f"{message} What to do: ")


def test_a_segment_that_never_ends_is_refused_before_it_fills_the_memory(
    read: Read,
) -> None:
    with pytest.raises(
        FormatError,
        match=r'^src\.sgm, line 3: the segment "1" .* is never closed',
    ):
        read(f'{_START}<seg id="1">' + ("x" * 1_000_000 + "\n") * 6)


def test_a_source_in_the_place_of_an_output_is_refused(read: Read) -> None:
    with pytest.raises(
        FormatError,
        match=r"^A\.sgm, line 1: the file is a srcset, not a refset or",
    ):
        read(_set("srcset", _ONE), systems={"A": _set("srcset", _ONE)})
