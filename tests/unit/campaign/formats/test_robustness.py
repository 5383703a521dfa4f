"""Whatever a file holds, it is read or refused with FormatError; nothing else happens."""

import contextlib
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import (
    FormatError,
    InputFile,
    ReadingOptions,
    TestSetFormat,
    read_five_way_csv,
    read_test_set,
)
from tests.some_now import some_now

MakeFile = Callable[[str, str | bytes], InputFile]

_PIECES = {
    TestSetFormat.PLAIN: [b"a", b"\n", b"\r", b" "],
    TestSetFormat.SGML: [
        b"<srcset>", b"<doc docid='d'>", b"<seg id=1>", b"</seg>", b"</doc>", b"<!--", b"-->", b"<",
        b">", b"'", b'"', b"&", b"&#0;", b"&#xD800;", b"&#9999999;", b"&amp;", b"text", b"\n", b"<p>",
    ],
    TestSetFormat.TSV: [b"source", b"reference", b"segment", b"document", b"A", b"\t", b"\n", b","],
    TestSetFormat.JSONL: [
        b'{"source": "s"}', b'{"source": "s", "outputs": {"A": "a"}}', b'"outputs"', b'"segment"',
        b"{", b"}", b":", b",", b"[", b"]", b'"a"', b"1", b"null", b"NaN", b"1e999", b'"\\ud800"', b"\n",
    ],
    TestSetFormat.WMT_XML: [
        b"<dataset id='x'>", b"</dataset>", b"<doc id='d'>", b"<doc id='e'>", b"</doc>", b"<src lang='cs'>",
        b"</src>", b"<ref lang='en'>", b"</ref>", b"<hyp lang='en' system='A'>", b"</hyp>", b"<p>", b"</p>",
        b"<seg id='1'>", b"<seg id='2'>", b"</seg>", b"text", b"&amp;", b"&#127;", b"&#0;", b"&a;", b"<!DOCTYPE x>",
        b"<!--", b"-->", b"<![CDATA[", b"]]>", b"\n", b"<?xml version='1.0' encoding='utf-16'?>",
    ],
    TestSetFormat.GENMT: [
        b'{"doc_id": "cs-de_#_news_#_a", "src_text": "s"}', b'{"doc_id": "b", "src_text": "s\\n\\ns"}',
        b'{"doc_id": "c", "src_text": "s", "tgt_text": {"A": "a"}}', b'"refs": {"refA": {"ref": "r"}}',
        b'{"doc_id": "c", "src_text": "s", "refs": {"refA": ', b'"x"', b"{", b"}", b",", b"[", b"]", b"1", b"null",
        b'"\\ud800"', b"\n", b'{"doc_id": "_#_", "src_text": "s"}', b'{"doc_id": "_###_-_###_", "src_text": "s"}',
    ],
    TestSetFormat.PEARMUT: [
        b'{"campaign_id": "c", "info": {}, "data": [', b"]}", b"[", b"]", b",", b'{"src": "s", "tgt": {"A": "a", "B": "b"}}',
        b'{"src": "s", "ref": "r", "item_id": "d_#_0", "tgt": {"A": "a"}}', b'{"form": null}', b'{"tgt": "x"}', b"null",
        b'"x"', b"1", b'{"src": "<video>", "tgt": {"A": "a"}}', b'{"src": "\\ud800", "tgt": {"A": "a"}}',
    ],
}  # fmt: skip
_CSV_PIECES = [
    (b"srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,system1rank,"
    b"system2rank\n"), b"a,b,1,d,s,j,A,B,1,2\n", b"a,b,1,d,s,j,", b'"A,C"', b"B", b",", b'"', b"-1",
    b"\n", b"6", b" ", b"99999999999",
]  # fmt: skip
_JUNK = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"\xe2\x80\xa8",
    b"\x85",
]


def _content(pieces: list[bytes]) -> st.SearchStrategy[bytes]:
    usual = st.lists(st.sampled_from(pieces), max_size=30).map(b"".join)
    return usual | st.lists(st.sampled_from([*pieces, *_JUNK]), max_size=12).map(
        b"".join,
    )


@pytest.mark.parametrize("file_format", some_now(TestSetFormat, most=3))
@given(data=st.data())
def test_test_sets(
    make_file: MakeFile,
    file_format: TestSetFormat,
    data: st.DataObject,
) -> None:
    content = data.draw(_content(_PIECES[file_format]) | st.binary())
    with contextlib.suppress(FormatError):
        for segment in read_test_set(
            source=make_file("f", content),
            options=ReadingOptions(file_format=file_format),
        ):
            assert segment.source.strip()
            segment.source.encode()


@given(_content(_CSV_PIECES) | st.binary())
def test_judgments(content: bytes) -> None:
    with contextlib.suppress(FormatError):
        for row in read_five_way_csv(io.BytesIO(content), "f"):
            assert (
                len(row.candidates) == len(row.labels) == len(row.system_numbers) >= 1
            )
