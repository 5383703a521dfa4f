"""WMT XML test sets: documents, translators, systems, and what is refused where."""

from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

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
from campaign.formats import wmt_xml as documents_module

MakeFile = Callable[[str, str | bytes], InputFile]

HEAD = "<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"museum\">\n"
SOURCE = '<src lang="en"><p>\n<seg id="1">The museum opens.</seg>\n<seg id="2">Bags &amp; coats.</seg>\n</p></src>\n'
REFERENCE = '<ref lang="de" translator="A"><p><seg id="1">Es öffnet.</seg></p></ref>\n'
AMBER = '<hyp lang="de" system="amber"><p><seg id="1">Offen.</seg><seg id="2">Taschen.</seg></p></hyp>\n'
BIRCH = '<hyp lang="de" system="birch"><p><seg id="1">Auf.</seg>\n<seg id="2">Beutel.</seg></p></hyp>\n'


def doc(*versions: str, name: str = "visit") -> str:
    return f'<doc id="{name}" origlang="en">\n{"".join(versions)}</doc>\n'


def whole(*documents: str) -> str:
    return f"{HEAD}{''.join(documents)}</dataset>\n"


@pytest.fixture
def read(make_file: MakeFile) -> Callable[..., list[SegmentTexts]]:
    def read(
        content: str | bytes,
        languages: tuple[str, str] | None = None,
    ) -> list[SegmentTexts]:
        return list(
            read_test_set(
                source=make_file("set.xml", content),
                options=ReadingOptions(languages=languages),
            ),
        )

    return read


@pytest.fixture
def refused(read: Callable[..., list[SegmentTexts]]) -> Callable[..., str]:
    def refused(content: str | bytes, languages: tuple[str, str] | None = None) -> str:
        with pytest.raises(FormatError) as caught:
            read(content, languages)
        return str(caught.value)

    return refused


Read = Callable[..., list[SegmentTexts]]
Refused = Callable[..., str]


def test_a_document_is_read_with_what_translates_it(read: Read) -> None:
    first, second = read(whole(doc(SOURCE, REFERENCE, AMBER, BIRCH)))
    assert first == SegmentTexts(
        document="visit",
        position=1,
        number=1,
        source="The museum opens.",
        references=("Es öffnet.",),
        outputs={"amber": "Offen.", "birch": "Auf."},
    )
    assert (second.source, second.references, second.position) == (
        "Bags & coats.",
        ("",),
        2,
    )


def test_documents_may_stand_in_collections_and_order_their_systems_differently(
    read: Read,
) -> None:
    inside = doc(SOURCE, AMBER, BIRCH) + doc(SOURCE, BIRCH, AMBER, name="shop")
    segments = read(whole(f'<collection id="general">{inside}</collection>'))
    assert [list(segment.outputs) for segment in segments] == [["amber", "birch"]] * 4
    assert [(s.document, s.position, s.number) for s in segments[2:]] == [
        ("shop", 1, 3),
        ("shop", 2, 4),
    ]


def test_references_are_told_apart_by_translator(read: Read) -> None:
    other = REFERENCE.replace('"A"', '"B"').replace("öffnet", "geht auf")
    segments = read(
        whole(doc(SOURCE, other, AMBER) + doc(SOURCE, REFERENCE, AMBER, name="shop")),
    )
    assert segments[0].references == ("Es geht auf.",)
    assert segments[2].references == ("", "Es öffnet.")


def test_a_language_pair_is_chosen_and_the_others_are_left(
    read: Read,
    refused: Refused,
) -> None:
    czech = AMBER.replace('"de"', '"cs"').replace("Offen", "Otevřeno")
    content = whole(doc(SOURCE, REFERENCE, AMBER, czech))
    assert read(content, ("en", "cs"))[0].outputs == {"amber": "Otevřeno."}
    assert read(content, ("en", "cs"))[0].references == ()
    assert read(content, ("EN", "de"))[0].references == ("Es öffnet.",)
    message = refused(content)
    assert "several language pairs: en-cs, en-de; en-de begins on line 8" in message
    assert message.startswith("set.xml, line 10: ")
    assert "no segments for en-fi, only for en-cs, en-de" in refused(
        content,
        ("en", "fi"),
    )


def test_an_output_without_language_belongs_to_its_document(read: Read) -> None:
    content = whole(doc(SOURCE, REFERENCE, AMBER.replace(' lang="de"', "")))
    assert read(content)[0].outputs == {"amber": "Offen."}


@pytest.mark.parametrize(
    ("content", "place", "problem"),
    [
        (doc(AMBER), 3, 'the document "visit" has no source'),
        (doc(SOURCE, SOURCE, AMBER), 8, 'the document "visit" has the source twice, first on line 4'),
        (doc(SOURCE, AMBER, AMBER), 9, "has the output of amber twice, first on line 8"),
        (
            doc(SOURCE, AMBER.replace('<seg id="2">Taschen.</seg>', "")),
            8,
            'has no segment "2" of the document "visit" (source: line 6); it has 1 segment of 2',
        ),
        (
            doc(SOURCE, AMBER.replace('id="2"', 'id="3"')),
            8,
            'the output of amber has a segment "3" of the document "visit", which the source (line 4) does not have',
        ),
        (
            doc(SOURCE, AMBER.replace('id="2"', 'id="1"')),
            8,
            'has the segment "1" of the document "visit" twice, first on line 8',
        ),
        (
            doc(SOURCE, BIRCH.replace('id="2"', 'id="x"').replace('id="1"', 'id="2"').replace('id="x"', 'id="1"')),
            8,
            'has the segment "2" of the document "visit" where the source has "1" (line 5)',
        ),
        (
            doc(SOURCE.replace('id="1"', 'id="3"'), AMBER),
            6,
            'the segment "2" of the document "visit" comes after the segment "3" (line 5)',
        ),
        (doc(SOURCE.replace('id="2"', 'id="1"')), 6, 'the document "visit" has the segment "1" twice'),
        (doc(SOURCE, REFERENCE.replace('id="1"', 'id="7"')), 8, 'the reference A has a segment "7"'),
        (
            doc(SOURCE, AMBER) + doc(SOURCE, BIRCH, name="shop"),
            10,
            'the document "shop" (line 10) has an output of birch, but the document "visit" (line 3) does not',
        ),
        (
            doc(SOURCE, AMBER, BIRCH) + doc(SOURCE, BIRCH, name="shop"),
            12,
            'the document "shop" (line 12) has no output of amber, but the document "visit" (line 3) does',
        ),
        (doc(SOURCE, AMBER) + doc(SOURCE, AMBER), 12, 'has the segment "1" twice'),
        (doc(SOURCE.replace("The museum opens.", " "), AMBER), 5, "the source (document visit, segment 1) is empty"),
        (doc(SOURCE, AMBER.replace("Taschen.", "")), 8, "the output of amber (document visit, segment 2) is empty"),
        (doc(SOURCE, AMBER.replace('system="amber"', "")), 8, "the hyp has no system"),
        (doc(SOURCE, AMBER.replace("amber", "a,b")), 8, "contains a comma"),
        (doc(SOURCE).replace('id="visit"', ""), 3, "the document has no id"),
        (doc(SOURCE.replace("Bags", "<b>Bags</b>")), 6, "the segment has an element b inside"),
        (doc(SOURCE.replace("Bags", "&#127;")), 6, "the character U+007F, written as an entity, is not allowed in text"),
        (doc('<seg id="1">x</seg>'), 4, "a segment is outside a source, reference or output"),
        (doc(SOURCE.replace("<p>", "<p>loose")), 4, "the text 'loose' is outside a segment"),
        (SOURCE, 3, "a src is outside a document"),
        (doc(SOURCE, doc(SOURCE)), 8, "a document is inside another document"),
        (doc(SOURCE.replace("&amp;", "&")), 6, "the file is not valid XML (not well-formed (invalid token))"),
        (doc(SOURCE.replace("Bags", "&eacute;")), 6, "the file is not valid XML (undefined entity)"),
        ("<p>" * 40, 3, "elements are nested too deeply"),
    ],
)  # fmt: skip
def test_invalid_file_is_refused_with_its_place(
    refused: Refused,
    content: str,
    place: int,
    problem: str,
) -> None:
    message = refused(whole(content))
    assert problem in message
    assert message.startswith(f"set.xml, line {place}")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE dataset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE dataset SYSTEM "http://example.org/wmt.dtd">',
    ],
)
def test_document_types_and_entities_are_refused(
    refused: Refused,
    declaration: str,
) -> None:
    content = f'<?xml version="1.0"?>\n{declaration}\n<dataset id="x"></dataset>'
    assert refused(content).startswith(
        "set.xml, line 2: the file declares a document type",
    )


def test_xml_of_another_kind_and_xml_that_is_cut_off_are_refused(
    make_file: MakeFile,
    refused: Refused,
) -> None:
    with pytest.raises(FormatError, match="its root is html, not dataset"):
        list(
            read_test_set(
                source=make_file("x", "<html/>"),
                options=ReadingOptions(file_format=TestSetFormat.WMT_XML),
            ),
        )
    assert "no element found" in refused(whole(doc(SOURCE))[:-12])
    assert "the file contains no segments" in refused(whole())


def test_a_document_that_would_fill_the_memory_is_refused(
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(documents_module, "MAX_DOCUMENT_CHARACTERS", 215)
    assert "the document is longer than 215 characters" in refused(whole(doc(SOURCE)))


def test_bytes_that_are_not_utf_8_are_refused_whatever_is_declared(
    refused: Refused,
) -> None:
    content = (
        whole(doc(SOURCE))
        .replace("utf-8", "iso-8859-1")
        .replace("Bags", "é")
        .encode("latin-1")
    )
    assert refused(content).startswith(
        "set.xml, line 6, column 13: the byte 0xE9 is not UTF-8",
    )


# Texts as XML can hold them, without white space that goes.
_TEXTS = (
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"), min_size=1).map(str.strip).filter(bool)
)  # fmt: skip


@given(
    documents=st.lists(st.lists(st.tuples(_TEXTS, _TEXTS | st.just(""), _TEXTS, _TEXTS), min_size=1, max_size=4), min_size=1, max_size=3),
    name=_TEXTS.filter(lambda text: "," not in text and len(text) < 200),
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)  # fmt: skip
def test_written_file_is_read_back(
    make_file: MakeFile,
    documents: list[list[tuple[str, ...]]],
    name: str,
    line_end: str,
    mark: str,
) -> None:
    def version(head: str, column: int, texts: list[tuple[str, ...]]) -> str:
        segments = (
            f'<seg id="{number}">{escape(row[column])}</seg>'
            for number, row in enumerate(texts, 1)
        )
        return f"<{head}><p>{line_end.join(segments)}</p></{head[:3]}>{line_end}"

    content = mark + '<dataset id="x">' + line_end
    for number, texts in enumerate(documents):
        content += f'<doc id="{number}">' + version('src lang="en"', 0, texts)
        content += version('ref lang="de" translator="A"', 1, texts)
        content += version(f'hyp lang="de" system={quoteattr("b" + name)}', 2, texts)
        content += version('hyp lang="de" system="a"', 3, texts) + "</doc>" + line_end
    segments = list(read_test_set(source=make_file("x", content + "</dataset>")))
    assert [
        (s.source, *s.references, s.outputs["b" + name], s.outputs["a"])
        for s in segments
    ] == [row for texts in documents for row in texts]
    assert [s.document for s in segments] == [
        str(number) for number, texts in enumerate(documents) for _ in texts
    ]
