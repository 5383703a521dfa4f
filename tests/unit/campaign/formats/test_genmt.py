"""WMT's JSON Lines: a document a line, systems in files of their own, found by id."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import (
    FormatError,
    InputFile,
    ReadingOptions,
    SegmentTexts,
    read_test_set,
)
from campaign.formats.genmt import divided_id

MakeFile = Callable[[str, str | bytes], InputFile]
Read = Callable[..., list[SegmentTexts]]
Refused = Callable[..., str]

ONE: dict[str, Any] = {
    "dataset_id": "wmttest2025",
    "collection_id": "general",
    "doc_id": "en-de_DE_#_news_#_visit",
    "domain": "news",
    "src_lang": "en",
    "tgt_lang": "de_DE",
    "src_text": "The museum opens.\n\nBags stay\nhere.",
    "prompt_instruction": "Translate.",
    "video": None,
    "screenshot": None,
    "refs": {"refA": {"ref": "Es öffnet.\n\nTaschen\nbleiben."}},
}
TWO = ONE | {
    "doc_id": "en-de_DE_#_speech_#_tour",
    "domain": "speech",
    "src_text": "Hm.",
    "refs": {},
}
CZECH = ONE | {"doc_id": "en-cs_CZ_#_news_#_visit", "tgt_lang": "cs_CZ", "refs": {}}
AMBER = [
    {"doc_id": TWO["doc_id"], "hypothesis": "Äh."},
    {"doc_id": CZECH["doc_id"], "hypothesis": "Muzeum."},
    {"doc_id": ONE["doc_id"], "hypothesis": "Offen.\n\nTaschen."},
]


def lines(*values: dict[str, Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


@pytest.fixture
def read(make_file: MakeFile) -> Read:
    def read(
        source: str,
        systems: dict[str, str] | None = None,
        **options: Any,
    ) -> list[SegmentTexts]:
        files = {
            name: make_file(f"{name}.jsonl", text)
            for name, text in (systems or {}).items()
        }
        return list(
            read_test_set(
                source=make_file("genmt.jsonl", source),
                systems=files,
                options=ReadingOptions(**options),
            ),
        )

    return read


@pytest.fixture
def refused(read: Read) -> Refused:
    def refused(*arguments: Any, **options: Any) -> str:
        with pytest.raises(FormatError) as caught:
            read(*arguments, **options)
        return str(caught.value)

    return refused


def test_a_system_is_matched_by_id_and_blank_lines_stay(read: Read) -> None:
    first, second = read(lines(ONE, TWO), {"amber": lines(*AMBER)})
    assert first == SegmentTexts(
        document="news/visit",
        position=1,
        number=1,
        source="The museum opens.\n\nBags stay\nhere.",
        references=("Es öffnet.\n\nTaschen\nbleiben.",),
        outputs={"amber": "Offen.\n\nTaschen."},
    )
    assert (second.document, second.references, second.outputs) == (
        "speech/tour",
        ("",),
        {"amber": "Äh."},
    )


def test_lines_that_name_their_segment_are_segments_of_one_document(
    read: Read,
    refused: Refused,
) -> None:
    pair = {"src_lang": "en", "tgt_lang": "de"}
    first = pair | {"doc_id": "news-1", "segment_id": 1, "src_text": "Rain."}
    second = pair | {"doc_id": "news-1", "segment_id": 2, "src_text": "Sun."}
    outputs = [
        {"doc_id": "news-1", "segment_id": "2", "hypothesis": "Sonne."},
        {"doc_id": "news-1", "segment_id": "1", "hypothesis": "Regen."},
    ]
    segments = read(lines(first, second), {"amber": lines(*outputs)})
    read_back = [
        (row.document, row.position, row.source, row.outputs["amber"])
        for row in segments
    ]
    assert read_back == [
        ("news-1", 1, "Rain.", "Regen."),
        ("news-1", 2, "Sun.", "Sonne."),
    ]
    assert 'the id "news-1 #1" appears twice, first on line 1' in refused(
        lines(first, first),
        {},
    )


def test_paragraphs_become_segments_if_asked_for(read: Read, refused: Refused) -> None:
    segments = read(lines(ONE, TWO), {"amber": lines(*AMBER)}, by_paragraph=True)
    assert [
        (s.document, s.position, s.source, s.references, s.outputs["amber"])
        for s in segments
    ] == [
        ("news/visit", 1, "The museum opens.", ("Es öffnet.",), "Offen."),
        ("news/visit", 2, "Bags stay\nhere.", ("Taschen\nbleiben.",), "Taschen."),
        ("speech/tour", 1, "Hm.", ("",), "Äh."),
    ]
    short = [*AMBER[:2], AMBER[2] | {"hypothesis": "Offen."}]
    assert refused(
        lines(ONE, TWO),
        {"amber": lines(*short)},
        by_paragraph=True,
    ).startswith(
        'amber.jsonl, line 3: the output of amber of "en-de_DE_#_news_#_visit" has 1 paragraph, its '
        "source (genmt.jsonl, line 1) 2; not covered by all systems: 1 document of 2 (news/visit).",
    )


def test_one_language_pair_is_read(read: Read, refused: Refused) -> None:
    content = lines(ONE, CZECH, TWO)
    for chosen in (("en", "de"), ("en", "de_DE"), ("en", "de-DE")):
        segments = read(content, {"amber": lines(*AMBER)}, languages=chosen)
        assert [s.document for s in segments] == ["news/visit", "speech/tour"]
    assert read(content, {"amber": lines(*AMBER)}, languages=("en", "cs"))[
        0
    ].outputs == {"amber": "Muzeum."}
    message = refused(content, {"amber": lines(*AMBER)})
    assert message == (
        "genmt.jsonl, line 2: the file holds several language pairs: en-cs_CZ, en-de_DE; en-de_DE "
        "begins on line 1. What to do: choose one of them, spelled as in the file."
    )
    assert "no segments for de-en, only for en-cs_CZ, en-de_DE" in refused(
        content,
        languages=("de", "en"),
    )
    assert "several language pairs" in refused(lines(ONE, ONE | {"doc_id": "x", "tgt_lang": "de_AT"}), languages=("en", "de"))  # fmt: skip


def test_lines_of_other_pairs_are_known_by_the_source_where_ids_do_not_tell(
    read: Read,
    refused: Refused,
) -> None:
    source = lines(
        CZECH | {"doc_id": "a"},
        ONE | {"doc_id": "b"},
        CZECH | {"doc_id": "c"},
    )
    amber = [{"doc_id": name, "hypothesis": name} for name in ("a", "c", "b")]
    (segment,) = read(source, {"amber": lines(*amber)}, languages=("en", "de"))
    assert (segment.document, segment.outputs) == ("news/b", {"amber": "b"})
    more = lines(*amber, {"doc_id": "d", "hypothesis": "d"})
    assert 'the id "d" is not in genmt.jsonl' in refused(
        source,
        {"amber": more},
        languages=("en", "de"),
    )


def test_lines_that_hold_all_outputs_need_no_other_file(
    read: Read,
    refused: Refused,
) -> None:
    one = {"doc_id": "cs-de_DE_#_news_#_blesk_#_0", "src_text": "a", "tgt_text": {"refA": "r", "B": "b", "A": "a"}, "scores": {}}  # fmt: skip
    two = one | {"doc_id": "cs-de_DE_#_news_#_blesk_#_1"}
    first, second = read(lines(one, two))
    assert (first.document, first.references, list(first.outputs)) == (
        "news/blesk",
        ("r",),
        ["B", "A"],
    )
    assert (second.document, second.position) == ("news/blesk", 2)
    fewer = two | {"tgt_text": {"A": "a"}}
    assert refused(lines(one, fewer)).startswith(
        'genmt.jsonl, line 2 (field "tgt_text"): the line has no output of B, but line 1 does.',
    )
    more = two | {"tgt_text": {"A": "a", "B": "b", "C": "c"}}
    assert "the line has an output of C, but line 1 does not" in refused(
        lines(one, more),
    )
    assert "genmt.jsonl, line 1 contains outputs" in refused(
        lines(one),
        {"amber": lines(*AMBER)},
    )
    assert "contains a comma" in refused(lines(one | {"tgt_text": {"a,b": "x"}}))


@pytest.mark.parametrize(
    ("source", "amber", "message"),
    [
        ([ONE, TWO], AMBER[:2], 'amber.jsonl (field "doc_id"): the file has no line for "en-de_DE_#_news_#_visit" (genmt.jsonl, line 1)'),
        ([ONE], AMBER, 'amber.jsonl, line 1 (field "doc_id"): the id "en-de_DE_#_speech_#_tour" is not in genmt.jsonl.'),
        ([ONE, TWO], [*AMBER, AMBER[0]], 'amber.jsonl, line 4 (field "doc_id"): the id "en-de_DE_#_speech_#_tour" appears twice, first on line 1.'),
        ([ONE, TWO, ONE], AMBER, 'genmt.jsonl, line 3 (field "doc_id"): the id "en-de_DE_#_news_#_visit" appears twice, first on line 1.'),
        ([ONE], [AMBER[2] | {"hypothesis": " \n"}], "amber.jsonl, line 1: the output of amber for en-de_DE_#_news_#_visit is empty."),
        ([ONE], [{"doc_id": ONE["doc_id"]}], 'amber.jsonl, line 1 (field "hypothesis"): the value is missing.'),
        ([ONE], [{"hypothesis": "x"}], 'amber.jsonl, line 1 (field "doc_id"): the value is missing.'),
        ([ONE | {"src_text": ""}], AMBER, 'genmt.jsonl, line 1 (field "src_text"): the source of en-de_DE_#_news_#_visit is empty.'),
        ([ONE | {"src_text": 1}], AMBER, 'genmt.jsonl, line 1 (field "src_text"): the value is not a text.'),
        ([ONE | {"refs": []}], AMBER, 'genmt.jsonl, line 1 (field "refs"): the value is not an object.'),
        ([ONE | {"src_text": "a\u0007"}], AMBER, 'genmt.jsonl, line 1 (field "src_text"): the character U+0007'),
        ([ONE | {"doc_id": " "}], AMBER, 'genmt.jsonl, line 1 (field "doc_id"): the value is empty.'),
    ],
)  # fmt: skip
def test_invalid_file_is_refused_with_its_place(
    refused: Refused,
    source: list[dict[str, Any]],
    amber: list[dict[str, Any]],
    message: str,
) -> None:
    assert message in refused(lines(*source), {"amber": lines(*amber)})


def test_references_have_no_file_of_their_own(make_file: MakeFile) -> None:
    with pytest.raises(
        FormatError,
        match=r"^ref.txt: genmt.jsonl is WMT's JSON Lines and already contains",
    ):
        read_test_set(
            source=make_file("genmt.jsonl", lines(ONE)),
            references=[make_file("ref.txt", "")],
        )


@pytest.mark.parametrize(
    ("identifier", "languages", "rest", "segment"),
    [
        ("en-sr_Cyrl_RS_#_news_#_a", ("en", "sr_Cyrl_RS"), ("news", "a"), None),
        ("cs-de_DE_#_news_#_blesk.cz.1_#_12", ("cs", "de_DE"), ("news", "blesk.cz.1"), "12"),
        ("WMT26_###_news_###_eng_Latn_###_deu_Latn_###_bbc.1", ("eng_Latn", "deu_Latn"), ("WMT26", "news", "bbc.1"), None),
        ("WMT26_###_news_###_eng_Latn_###_deu_Latn_###_bbc.1_###_3", ("eng_Latn", "deu_Latn"), ("WMT26", "news", "bbc.1"), "3"),
        ("plain", None, ("plain",), None),
    ],
)  # fmt: skip
def test_an_id_says_pair_names_and_segment(
    identifier: str,
    languages: tuple[str, str] | None,
    rest: tuple[str, ...],
    segment: str | None,
) -> None:
    divided = divided_id(identifier)
    assert (divided.languages, divided.rest, divided.segment) == (
        languages,
        rest,
        segment,
    )


_TEXTS = (
    st.text(
        st.characters(
            codec="utf-8",
            exclude_categories=("Cc", "Cs"),
            include_characters="\n",
        ),
    )
    .map(str.strip)
    .filter(bool)
)


@given(
    texts=st.lists(
        st.tuples(_TEXTS, _TEXTS | st.just(""), _TEXTS, _TEXTS),
        min_size=1,
        max_size=6,
    ),
    order=st.randoms(use_true_random=False),
    ascii_only=st.booleans(),
)
def test_written_file_is_read_back(
    make_file: MakeFile,
    texts: list[tuple[str, ...]],
    order: Any,
    ascii_only: bool,
) -> None:
    def written(values: list[dict[str, Any]]) -> str:
        return "\r\n".join(
            json.dumps(value, ensure_ascii=ascii_only) for value in values
        )

    source = [
        {"doc_id": f"d{n}", "src_lang": "a", "tgt_lang": "b", "src_text": row[0], "refs": {"r": {"ref": row[1]}}}
        for n, row in enumerate(texts)
    ]  # fmt: skip
    systems = {}
    for column, name in ((2, "x"), (3, "y")):
        outputs = [
            {"doc_id": f"d{n}", "hypothesis": row[column]}
            for n, row in enumerate(texts)
        ]
        order.shuffle(outputs)
        systems[name] = make_file(name, written(outputs))
    segments = list(
        read_test_set(source=make_file("s.jsonl", written(source)), systems=systems),
    )
    assert [
        (s.source, *s.references, s.outputs["x"], s.outputs["y"]) for s in segments
    ] == texts
