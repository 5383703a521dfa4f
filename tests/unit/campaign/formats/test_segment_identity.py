"""Which segment a row is about."""

import pytest

from campaign.formats.segment_identity import (
    KnownSegment,
    KnownSegments,
    SegmentName,
    SegmentProblem,
    SegmentTexts,
    id_parts,
    same_text,
    segment_id,
)

_SOURCES = {11: "One.", 12: "Two.", 13: "Three.", 14: "Four.", 15: "Five."}
# "tower" is longer than "visit", so that its number 3 is also the number 3 through the test set, which is its first.
_SEGMENTS = [
    KnownSegment(11, 1, "visit", 1),
    KnownSegment(12, 2, "visit", 2),
    KnownSegment(13, 3, "tower", 1),
    KnownSegment(14, 4, "tower", 2),
    KnownSegment(15, 5, "tower", 3),
]


def _found(
    segment: str,
    document: str = "",
    source: str | None = None,
    **more: bool,
) -> int:
    known = KnownSegments("museum", _SEGMENTS)
    name = SegmentName(segment, document, source, **more)
    return known.choose(name, known.candidates(name), _SOURCES).number


@pytest.mark.parametrize(
    ("segment", "document", "source", "number"),
    [
        ("4", "", None, 4),
        ("4", "tower", None, 4),
        ("tower_#_3", "", None, 5),
        ("tower_#_3", "tower", None, 5),
        ("tower_###_1", "", "Three.", 3),
        ("1", "tower", "Three.", 3),
        ("3", "tower", "Five.", 5),
        ("3", "tower", "Three.", 3),
        ("tower_#_0", "", "Three.", 3),
        ("tower_#_1", "", "Four.", 4),
        ("0", "tower", "Three.", 3),
        ("2", "tower", "Five.", 5),
    ],
)
def test_finds_the_segment_that_names_and_texts_prove(
    segment: str,
    document: str,
    source: str | None,
    number: int,
) -> None:
    assert _found(segment, document, source) == number


@pytest.mark.parametrize(
    ("segment", "document", "source", "said"),
    [
        ("1", "towers", None, 'no document "towers".*tower'),
        ("towers_#_1", "", None, 'no document "towers".*tower'),
        ("visit_#_1", "tower", None, "not in the document"),
        ("6", "", None, "no segment 6; its last is 5"),
        ("9", "tower", None, 'no segment 9 of the document "tower"'),
        ("visit_#_3", "", None, "no segment"),
        ("4", "", "Three.", "source text differs"),
        ("3", "tower", None, "could be any of 3 .* and 5 "),
        ("2", "tower", None, "or a position in a batch"),
    ],
)
def test_refuses_what_nothing_proves(
    segment: str,
    document: str,
    source: str | None,
    said: str,
) -> None:
    with pytest.raises(SegmentProblem, match=said):
        _found(segment, document, source)


@pytest.mark.parametrize(
    ("document", "segment"),
    [("visit", "1"), ("a_#_b", "12"), ("", "7")],
)
def test_id_names_document_and_segment(document: str, segment: str) -> None:
    assert id_parts(segment_id(document, segment)) == (document, segment)


def test_one_segment_has_one_source_and_one_output_of_a_system() -> None:
    texts = SegmentTexts()
    texts.check("visit", "1", "line 1", "One.", [("A", "Eins.")])
    texts.check("tower", "1", "line 2", "Three.", [("A", "Drei.")])
    texts.check("visit", "1", "line 3", None, [("A", "Eins."), ("B", "Ein.")])
    with pytest.raises(
        SegmentProblem,
        match=r"source of segment 1 .*differs from line 1",
    ):
        texts.check("visit", "1", "line 4", "Three.", [])
    with pytest.raises(SegmentProblem, match=r"output of B .*differs from line 3"):
        texts.check("visit", "1", "line 5", None, [("B", "Eins.")])


STORED = "[media:e65769a0f9516417d8050d9c5d7637ef.png]"


@pytest.mark.parametrize(
    ("text", "known", "is_same"),
    [
        ("<img src='assets/a.png'>", STORED, True),
        ("pictures/a.png", STORED, True),
        ("Look: pictures/a.png", f"Look: {STORED}", True),
        ("Look:", f"Look: {STORED}", True),
        ("See: pictures/a.png", f"Look: {STORED}", False),
        ("a.png b.png", STORED, False),
        ("", STORED, False),
        ("a.png", "b.png", False),
    ],
)
def test_names_of_files_match_marks(text: str, known: str, is_same: bool) -> None:
    assert same_text(text, known) is is_same
