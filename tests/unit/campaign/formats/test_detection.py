"""Which format a test set is in, and which files go with it."""

import gzip
from collections.abc import Callable

import pytest

from campaign.formats import (
    FormatError,
    InputFile,
    ReadingOptions,
    TestSetFormat,
    detect_format,
    read_test_set,
)

MakeFile = Callable[[str, str | bytes], InputFile]


@pytest.mark.parametrize(
    ("name", "content", "file_format"),
    [
        ("a.sgm", "", TestSetFormat.SGML),
        ("a.SGML.gz", "", TestSetFormat.SGML),
        ("a.tsv", "", TestSetFormat.TSV),
        ("a.jsonl", "", TestSetFormat.JSONL),
        ("a.ndjson.gz", "", TestSetFormat.JSONL),
        ("a.txt", '\ufeff\n<SRCSET setid="x">', TestSetFormat.SGML),
        (
            "a",
            '<?xml version="1.0"?>\n<mteval>\n<srcset setid="x">',
            TestSetFormat.SGML,
        ),
        ("a", '\n {"source": "x"}', TestSetFormat.JSONL),
        ("a.txt", "Document\tSource\tA\nd\ts\ta\n", TestSetFormat.TSV),
        ("a.txt", "The source\tof the text\n", TestSetFormat.PLAIN),
        ("a.txt", "<p> is a tag.\n", TestSetFormat.PLAIN),
        ("a.txt", "{curly}\n", TestSetFormat.PLAIN),
        ("a.cs", "", TestSetFormat.PLAIN),
    ],
)
def test_the_ending_tells_and_else_the_content(
    make_file: MakeFile,
    name: str,
    content: str,
    file_format: TestSetFormat,
) -> None:
    assert detect_format(make_file(name, content))[0] is file_format


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_is_whole_after_its_format_was_told(
    make_file: MakeFile,
    compress: bool,
) -> None:
    content = b'{"source": "s"}\n' * 10_000
    data = gzip.compress(content) if compress else content
    assert sum(1 for _ in read_test_set(source=make_file("upload", data))) == 10_000


def test_a_damaged_file_is_named_when_it_is_read(make_file: MakeFile) -> None:
    with pytest.raises(FormatError, match=r"^upload: the gzip data is damaged"):
        list(read_test_set(source=make_file("upload", b"\x1f\x8bnonsense")))


@pytest.mark.parametrize(
    ("source", "others", "message"),
    [
        ("set.tsv", {"systems": ["A"]}, ("A.txt: set.tsv is TSV and already contains references and outputs.")),
        ("set.jsonl", {"references": True}, ("ref.txt: set.jsonl is JSONL and already contains references and outputs.")),
        ("set.sgm", {"documents": True}, ("docs.txt: set.sgm is SGML and already names its documents.")),
    ],
)  # fmt: skip
def test_files_that_do_not_go_together_are_refused_at_once(
    make_file: MakeFile,
    source: str,
    others: dict[str, list[str]],
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        read_test_set(
            source=make_file(source, ""),
            references=[make_file("ref.txt", "")] if "references" in others else [],
            systems={
                name: make_file(f"{name}.txt", "") for name in others.get("systems", [])
            },
            documents=make_file("docs.txt", "") if "documents" in others else None,
        )
    assert str(caught.value).startswith(f"{message} What to do: ")


def test_the_format_can_be_given(make_file: MakeFile) -> None:
    segments = read_test_set(
        source=make_file("set.tsv", "source\ttext\n"),
        options=ReadingOptions(file_format=TestSetFormat.PLAIN),
    )
    assert [segment.source for segment in segments] == ["source\ttext"]
