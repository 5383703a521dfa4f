"""What files are taken for, by their beginning and then by their names."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError
from campaign.formats.archives import is_litter
from campaign.formats.file_names import language_pair, set_name, system_names
from campaign.formats.recognising import FileRole, RecognisedSet, opened_set, recognise
from campaign.formats.streams import StoredFile
from campaign.formats.test_sets import TestSetFormat, format_of


def named(contents: dict[str, str | bytes]) -> list[StoredFile]:
    def stored(name: str, content: str | bytes) -> StoredFile:
        data = content.encode() if isinstance(content, str) else content
        return StoredFile(name, lambda: io.BytesIO(data))

    return [stored(name, content) for name, content in contents.items()]


def roles(recognised: RecognisedSet) -> dict[str, str]:
    return {
        file.name: f"{file.role}={file.system}" if file.system else str(file.role)
        for file in recognised.files
    }


def read(contents: dict[str, str | bytes]) -> RecognisedSet:
    return recognise("set", named(contents))


SGML = '<{0} setid="x" srclang="any"><doc docid="d"><seg id="1">t</seg></doc></{0}>'
XML = '<?xml version="1.0"?>\n<dataset id="x"><doc id="d"><src lang="cs"><p><seg id="1">t</seg></p></src></doc></dataset>'


def test_wmt_sgml_is_recognised_by_its_tags() -> None:
    found = read(
        {
            "newstest2012-ref.en.sgm": SGML.format("refset"),
            "newstest2012-src.cs.sgm": SGML.format("SrcSet"),
            "systems/newstest2012.cs-en.cu-bojar.sgm": SGML.format("tstset"),
            "systems/newstest2012.cs-en.onlineA.sgm.gz": gzip.compress(
                SGML.format("tstset").encode(),
            ),
        },
    )
    assert roles(found) == {
        "newstest2012-ref.en.sgm": "reference",
        "newstest2012-src.cs.sgm": "source",
        "systems/newstest2012.cs-en.cu-bojar.sgm": "system=cu-bojar",
        "systems/newstest2012.cs-en.onlineA.sgm.gz": "system=onlineA",
    }
    assert found.languages == ("cs", "en")
    with opened_set(found) as segments:
        (segment,) = segments
    assert segment.outputs == {"cu-bojar": "t", "onlineA": "t"}


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (
            {"visit.en": "a", "visit.de": "b", "amber.de": "c", "birch.de": "d"},
            {"visit.en": "source", "visit.de": "reference", "amber.de": "system=amber", "birch.de": "system=birch"},
        ),
        (
            {"src.txt": "a", "ref.txt": "b", "system.en-de.txt": "c", "docs.txt": "d"},
            {"src.txt": "source", "ref.txt": "reference", "system.en-de.txt": "system=system", "docs.txt": "documents"},
        ),
        (
            {"sources/en-de.txt": "a", "references/en-de.refA.txt": "b", "documents/en-de.docs": "d",
             "system-outputs/en-de/ONLINE-A.txt": "c", "system-outputs/en-de/source-first.txt": "c"},
            {"sources/en-de.txt": "source", "references/en-de.refA.txt": "reference", "documents/en-de.docs": "documents",
             "system-outputs/en-de/ONLINE-A.txt": "system=ONLINE-A",
             "system-outputs/en-de/source-first.txt": "system=source-first"},
        ),
        (
            {"wmt25-genmt.jsonl": '{"doc_id": "a", "src_lang": "en", "src_text": "x"}',
             "systems/A.jsonl": '{"doc_id": "a", "hypothesis": "\\"src_text\\":"}'},
            {"wmt25-genmt.jsonl": "source", "systems/A.jsonl": "system=A"},
        ),
        ({"newstest2021.cs-en.all.xml": XML, "README": "x"}, {"newstest2021.cs-en.all.xml": "whole", "README": "ignored"}),
        ({"c.json": '{\n  "info": {}, "campaign_id": "x", "data": []}'}, {"c.json": "whole"}),
        ({"set.tsv": "source\tA\nx\ty\n", "note.txt": "a"}, {"set.tsv": "whole", "note.txt": "ignored"}),
        ({"set": '{"source": "x"}', "judgments.csv": "a,b", "x.bin": b"\0\1", "empty.txt": " \n"},
         {"set": "whole", "judgments.csv": "ignored", "x.bin": "ignored", "empty.txt": "ignored"}),
        ({"scores.jsonl": '{"doc_id": "a", "score": 1}', "shape.json": '{"systems": 3}'},
         {"scores.jsonl": "ignored", "shape.json": "ignored"}),
        ({"page.xml": "<?xml version='1.0'?><hits/>"}, {"page.xml": "ignored"}),
        ({"src.en": "a", "a,b.de": "b"}, {"src.en": "source", "a,b.de": "system=a,b"}),
    ],
)  # fmt: skip
def test_files_get_their_roles(
    contents: dict[str, str | bytes],
    expected: dict[str, str],
) -> None:
    found = read(contents)
    assert roles(found) == expected
    assert all(file.why and not file.why.endswith(".") for file in found.files)


def test_json_lines_with_a_key_of_wmt_are_read_by_the_reader_that_names_it() -> None:
    line = '{"doc_id": "d", "source": "s", "outputs": {"a": "t"}}'
    assert format_of("texts.jsonl", line.encode()) is TestSetFormat.JSONL
    assert (
        format_of("texts.jsonl", b'{"doc_id": "d", "src_text": "s"}')
        is TestSetFormat.GENMT
    )


def test_without_a_source_or_with_two_it_says_what_to_do() -> None:
    with pytest.raises(
        FormatError,
        match=r"^set: no file was recognised as the source",
    ):
        _ = read({"a.txt": "x", "b.txt": "y"}).main
    with pytest.raises(
        FormatError,
        match=r"^source.txt: src.txt and this file could both be",
    ):
        _ = read({"src.txt": "x", "source.txt": "y"}).main
    # Three languages: which one is the source, nobody can tell.
    assert not read({"a.en": "x", "a.de": "y", "a.cs": "z"}).of(FileRole.SOURCE)
    assert not read({"a.en": "x", "a.de": "y"}).of(FileRole.SOURCE)


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("newstest2012.cs-en.onlineA.sgm", ("cs", "en")),
        ("newstest2021.cs-en.all.xml", ("cs", "en")),
        ("system.en-de.txt", ("en", "de")),
        ("wmt25.en-sr_Cyrl_RS.txt", ("en", "sr_Cyrl_RS")),
        ("wmt23.en2de.txt", ("en", "de")),
        ("system-outputs/en-de/A.txt", ("en", "de")),
        ("cu-bojar.txt", None),
        ("uedin-wmt12.sgm", None),
        ("newstest.en.txt", None),
    ],
)
def test_language_pairs_are_guessed_of_names(
    name: str,
    pair: tuple[str, str] | None,
) -> None:
    assert language_pair(name) == pair


def test_names_that_contradict_each_other_tell_no_languages() -> None:
    assert (
        read({"src.en": "a", "x.en-de.txt": "b", "y.en-cs.txt": "c"}).languages is None
    )
    assert read({"src.en": "a", "ref.de": "b", "sys": "c"}).languages == ("en", "de")
    assert read({"src.en": "a", "ref.de": "b", "sys.fr": "c"}).languages is None
    assert read({"src.txt": "a", "sys.txt": "c"}).languages is None


def test_systems_keep_different_names() -> None:
    assert system_names(["x.en-de.A.txt", "x.en-de.B.txt"]) == ["A", "B"]
    assert system_names(["A.de", "A.txt"]) == ["A.de", "A"]
    assert system_names(["GPT 5.5.jsonl", "Qwen 3.5 - 9b.jsonl"]) == [
        "GPT 5.5",
        "Qwen 3.5 - 9b",
    ]
    assert system_names(["only.en-de.txt"]) == ["only"]
    assert system_names([]) == []


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (["news/source.cs.txt", "news/systems/a.txt"], "news cs-en"),
        (["wmt12-cs-en/source.txt", "wmt12-cs-en/a.txt"], "wmt12-cs-en"),
        (["news2012-src.cs.sgm", "news2012.cs-en.A.sgm.gz"], "news2012 cs-en"),
        (["WMT 23.tar.gz"], "WMT 23 cs-en"),
        (["source.txt", "system.txt"], "cs-en"),
    ],
)
def test_a_test_set_is_named_after_its_files(names: list[str], called: str) -> None:
    assert set_name(names, ("cs", "en")) == called


@given(
    st.lists(
        st.text("abAB.-_12", min_size=1, max_size=12),
        unique_by=str.casefold,
        max_size=6,
    ),
)
def test_names_of_systems_are_never_shared(names: list[str]) -> None:
    assert len(set(system_names(names))) == len(names)


@given(st.dictionaries(st.text("abrefsrc.-/XML", min_size=1, max_size=10), st.binary(max_size=200), max_size=5))  # fmt: skip
def test_whatever_is_given_gets_one_role_each(contents: dict[str, str | bytes]) -> None:
    try:
        found = read(contents)
    except FormatError as error:
        assert "gzip" in error.problem  # noqa: PT017
        return
    kept = [name for name in contents if not is_litter(name)]
    assert [file.name for file in found.files] == kept
    assert found.litter == len(contents) - len(kept)
