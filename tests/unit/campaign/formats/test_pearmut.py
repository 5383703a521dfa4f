"""Campaigns of Pearmut: what is a segment, and what cannot be ranked."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile, SegmentTexts, read_test_set
from campaign.formats import genmt as module
from campaign.formats.omissions import Omissions

MakeFile = Callable[[str, str | bytes], InputFile]
Read = Callable[[Any], list[SegmentTexts]]
Refused = Callable[[Any], str]

ONE: dict[str, Any] = {"src": "The museum opens.", "tgt": {"amber": "Offen.", "birch": "Auf."}, "ref": "Es öffnet.", "item_id": "news_###_visit_###_0", "instructions": "<b>x</b>"}  # fmt: skip
TWO: dict[str, Any] = {"src": "Bags.\n\nCoats.", "tgt": {"birch": "Beutel.", "amber": "Taschen."}, "item_id": "news_###_visit_###_1"}  # fmt: skip
CHECK = ONE | {"item_id": "c", "validation": {"amber": {"score": [70, 80]}}}


def campaign(*data: Any, **more: Any) -> dict[str, Any]:
    return {
        "info": {"assignment": "dynamic"},
        "campaign_id": "museum",
        "data": list(data),
    } | more


@pytest.fixture
def read(make_file: MakeFile) -> Read:
    def read(value: Any) -> list[SegmentTexts]:
        content = (
            value if isinstance(value, str | bytes) else json.dumps(value, indent=2)
        )
        return list(read_test_set(source=make_file("campaign.json", content)))

    return read


@pytest.fixture
def refused(read: Read) -> Refused:
    def refused(value: Any) -> str:
        with pytest.raises(FormatError) as caught:
            read(value)
        return str(caught.value)

    return refused


def test_items_are_segments_of_their_document(read: Read) -> None:
    first, second = read(campaign([ONE, TWO]))
    assert first == SegmentTexts(
        document="news/visit",
        position=1,
        number=1,
        source="The museum opens.",
        references=("Es öffnet.",),
        outputs={"amber": "Offen.", "birch": "Auf."},
    )
    assert (second.position, second.source, second.references) == (
        2,
        "Bags.\n\nCoats.",
        (),
    )
    assert list(second.outputs) == ["amber", "birch"]


def test_forms_tutorials_and_checks_are_left_out(read: Read) -> None:
    segments = read(
        campaign(
            [{"text": "Your language?", "form": "string"}],
            [CHECK],
            [ONE, TWO],
            data_welcome=[[CHECK]],
            data_random=[[CHECK]],
        ),
    )
    assert [segment.source for segment in segments] == [ONE["src"], TWO["src"]]


def test_items_that_are_left_out_are_named_by_their_kind(make_file: MakeFile) -> None:
    tutorial = CHECK | {"skippable": True}
    form = {"text": "Your language?", "form": "string"}
    data = {"brave-fox-1": [[form], [tutorial], [CHECK, ONE], [CHECK]]}
    omissions = Omissions()
    file = make_file("campaign.json", json.dumps(campaign(data=data)))
    list(read_test_set(source=file, omissions=omissions))
    assert [name.partition(": ")[2] for name, _reason in omissions.left_out] == [
        "1 judge of data",
        "1 item of data with form",
        "1 item of data with skippable",
        "2 items of data with validation",
        "instructions of 1 item",
    ]


def test_document_of_several_tasks_is_one_document_with_all_outputs(read: Read) -> None:
    amber, birch = (
        {**ONE, "tgt": {name: ONE["tgt"][name]}} for name in ("amber", "birch")
    )
    (segment,) = read(campaign([[amber]], [[birch]], [[birch]]))
    assert segment.outputs == ONE["tgt"]
    other = {**birch, "src": "Another."}
    with pytest.raises(
        FormatError,
        match=r"data\[1\]\[0\]\[0\].*differs from data\[0\]\[0\]\[0\]",
    ):
        read(campaign([[amber]], [[other]]))
    changed = {**amber, "tgt": {"amber": "Zu."}}
    with pytest.raises(FormatError, match="the output of amber differs from"):
        read(campaign([[amber]], [[changed]]))


def test_document_without_ids_that_a_pool_repeats_is_two_documents(
    read: Read,
    make_file: MakeFile,
) -> None:
    once = {"src": "Thank you.", "tgt": {"amber": "Danke.", "birch": "Dank."}}
    last = {"src": "Last.", "tgt": {"amber": "Letzter.", "birch": "Ende."}}
    pool = [[once], [last], [once]]
    other = [
        [once],
        [last],
        [{**once, "tgt": {"amber": "Vielen Dank.", "birch": "Dank."}}],
    ]
    for documents in (pool, other):
        assert [segment.source for segment in read(campaign(*documents))] == [
            "Thank you.",
            "Last.",
            "Thank you.",
        ]
    # The tasks of two judges, in which each of its places is the same document.
    assert read(campaign(pool, pool)) == read(campaign(*pool))
    for documents, warnings in ((pool, 1), (other, 0)):
        omissions = Omissions()
        file = make_file("campaign.json", json.dumps(campaign(*documents)))
        list(read_test_set(source=file, omissions=omissions))
        assert len(omissions.warnings) == warnings


def test_tasks_of_a_running_campaign_are_named_after_judges(read: Read) -> None:
    running = campaign(data={"brave-fox-1": [[ONE]], "calm-owl-2": [[TWO]]})
    assert read(running) == read(campaign([[ONE]], [[TWO]]))


def test_documents_without_ids_of_wmt_are_numbered(read: Read) -> None:
    plain = [{**item, "item_id": f"item{n}"} for n, item in enumerate((ONE, TWO))]
    assert {segment.document for segment in read(campaign(plain))} == {"museum/1"}
    without = {key: value for key, value in ONE.items() if key != "item_id"}
    again = {**without, "src": "Other."}
    assert [s.document for s in read(campaign([without], [again]))] == [
        "museum/1",
        "museum/2",
    ]
    # Two documents whose ids begin alike keep apart.
    assert [s.document for s in read(campaign([ONE], [TWO]))] == [
        "news/visit",
        "museum/2",
    ]


def test_source_of_media_is_its_src_text(read: Read) -> None:
    heard = {**ONE, "src": "<video src='a.mp4'></video>", "src_text": "Welcome."}
    assert read(campaign([heard]))[0].source == "Welcome."


@pytest.mark.parametrize(
    ("value", "place", "problem"),
    [
        (campaign([{**ONE, "src": "<iframe src='a.html'></iframe>"}]), "data[0][0].src", "the source is a page of another server"),
        (campaign([{"tgt": {"a": "b"}}]), "data[0][0].src", "the item has no source text"),
        (campaign([{**ONE, "src": " "}]), "data[0][0].src", "the source is empty"),
        (campaign([ONE, {**TWO, "tgt": "x"}]), "data[0][1].tgt", "the item has no outputs by model"),
        (campaign([ONE, {**TWO, "tgt": {}}]), "data[0][1].tgt", "the item has no outputs by model"),
        (campaign([ONE, {**TWO, "tgt": {"amber": ""}}]), "data[0][1].tgt", "the output of amber is empty"),
        (campaign([ONE, {**TWO, "tgt": {"amber": "a"}}]), "data[0][1]", "data[0][1] has no output of birch, but data[0][0] does"),
        (campaign([[ONE]], [[{**TWO, "tgt": {"amber": "a"}}]]), "data[1][0][0]", "data[1][0][0] has no output of birch, but data[0][0][0] does"),
        (campaign([{**ONE, "tgt": {"a,b": "a"}}]), "data[0][0].tgt", "contains a comma"),
        (campaign([{**ONE, "ref": 3}]), "data[0][0].ref", "the value is not a text"),
        (campaign([CHECK]), "data", "the campaign has no item to rank"),
        (campaign(), "data", "the campaign has no item to rank"),
        (campaign({"src": "x"}), "data[0]", "a document is not a list of items"),
        (campaign(["x"]), "data[0][0]", "an item is not an object"),
        (campaign(data="x"), "data", "the file is not a Pearmut campaign"),
        ({"info": {}, "data": []}, "data", "the file is not a Pearmut campaign"),
        (campaign([{**ONE, "src": "a\x07"}]), "data[0][0].src", "the character U+0007"),
    ],
)  # fmt: skip
def test_invalid_file_is_refused_with_its_place(
    refused: Refused,
    value: Any,
    place: str,
    problem: str,
) -> None:
    message = refused(value)
    assert message.startswith(f'campaign.json (field "{place}"): ')
    assert problem in message


def test_damaged_json_is_refused_with_its_line(refused: Refused) -> None:
    text = json.dumps(campaign([ONE]), indent=2)
    assert refused(text[:-3]).startswith(
        "campaign.json, line 19, column 3: the file is not valid JSON",
    )
    assert "is not valid JSON (Extra data)" in refused(f"{text} x")
    assert 'the key "data" appears twice in one object' in refused(
        '{"data": [], "data": []}',
    )
    assert "the file is not readable JSON" in refused('{"data": ' + "[" * 100_000)

    assert "the byte 0xFF is not UTF-8" in refused(b'{"info":\n \xff')
    assert refused(b'{"info":\n \xff').startswith("campaign.json, line 2, column 2: ")


def test_a_campaign_that_would_fill_the_memory_is_refused(
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 2**20)
    message = refused(campaign([ONE, {**ONE, "src": "x" * 2**20}]))
    assert message.startswith("campaign.json: the file is longer than 1,048,576 bytes")
    monkeypatch.setattr(module, "MAX_VALUES", 1000)
    assert "has more than 1,000 values" in refused('{"data": [' + "[]," * 2000 + "[]]}")


_TEXTS = (
    st.text(
        st.characters(
            codec="utf-8",
            exclude_categories=("Cc", "Cs"),
            include_characters="\n",
        ),
    )
    .map(str.strip)
    .filter(lambda text: bool(text) and not module._PAGE.search(text))
)


@given(
    documents=st.lists(st.lists(st.tuples(_TEXTS, _TEXTS | st.just(""), _TEXTS, _TEXTS), min_size=1, max_size=4), min_size=1, max_size=4),
    indent=st.sampled_from([None, 1]),
    tasks=st.booleans(),
)  # fmt: skip
def test_written_file_is_read_back(
    make_file: MakeFile,
    documents: list[list[tuple[str, ...]]],
    indent: int | None,
    tasks: bool,
) -> None:
    data: list[Any] = [
        [
            {
                "src": row[0],
                "ref": row[1],
                "tgt": {"x": row[2], "y": row[3]},
                "item_id": f"{d}_#_{n}",
            }
            for n, row in enumerate(rows)
        ]
        for d, rows in enumerate(documents)
    ]
    content = json.dumps(campaign(*([data] if tasks else data)), indent=indent)
    segments = list(read_test_set(source=make_file("a", "\ufeff" + content)))
    assert [
        (s.source, "".join(s.references), s.outputs["x"], s.outputs["y"])
        for s in segments
    ] == [row for rows in documents for row in rows]
    assert [s.document for s in segments] == [
        str(d) for d, rows in enumerate(documents) for _ in rows
    ]


def test_other_keys_of_items_are_named(make_file: MakeFile) -> None:
    item = TWO | {"error_spans": {"amber": []}, "domain": "news"}
    omissions = Omissions()
    file = make_file("campaign.json", json.dumps(campaign([ONE, item])))
    list(module.read_pearmut_campaign(file, omissions))
    named = [name for name, _why in omissions.left_out]
    assert named == [
        "campaign.json: domain of 1 item",
        "campaign.json: error_spans of 1 item",
        "campaign.json: instructions of 1 item",
    ]


def test_campaign_may_be_alone_in_a_list(read: Read, refused: Refused) -> None:
    alone = campaign([ONE])
    assert read([alone]) == read(alone)
    assert "the file has 2 campaigns" in refused([alone, alone])
