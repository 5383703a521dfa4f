"""Files of test sets as people have them: read as a set, or refused with the file that is wrong."""

import io
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile, SegmentTexts, read_test_set
from campaign.formats.archives import (
    archive_files,
    files_together,
    folder_files,
    opener,
)
from campaign.formats.inspecting import inspect
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import SetReading, opened_set, recognise
from campaign.formats.streams import StoredFile
from campaign.formats.yaml_tree import read_yaml, yaml_bytes

CASES = Path(__file__).parents[2] / "data" / "cases" / "files"


def imported(
    case: str,
    name: str = "",
    *,
    common: bool = False,
) -> tuple[list[SegmentTexts], list[tuple[str, str]]]:
    """Return the segments of a case's folder, archive or file, and what is left out."""
    path = CASES / case / name
    omissions = Omissions()
    with ExitStack() as stack:
        if path.is_dir():
            files = folder_files(path)
        elif path.suffix in {".zip", ".gz"}:
            files = stack.enter_context(
                archive_files(StoredFile(path.name, opener(path))),
            )
        else:
            files = [StoredFile(path.name, opener(path))]
        found = recognise(path.name, files)
        with opened_set(
            found,
            SetReading(common_documents=common),
            omissions=omissions,
        ) as segments:
            return list(segments), omissions.left_out


def set_of(
    files: dict[str, bytes],
    languages: tuple[str, str] | None = None,
) -> tuple[list[SegmentTexts], list[str]]:
    """Return the segments of files, and the names of those that are left out."""
    found = recognise(
        "set",
        [StoredFile(name, partial(io.BytesIO, text)) for name, text in files.items()],
        languages,
    )
    with opened_set(found, SetReading(languages=languages)) as segments:
        return list(segments), [name for name, _why in found.left_out]


def refused(case: str, name: str = "") -> FormatError:
    with pytest.raises(FormatError) as caught:
        imported(case, name)
    return caught.value


@pytest.mark.parametrize(
    ("case", "file", "line", "problem"),
    [
        (
            "01-blank-lines-in-reference",
            "reference.de",
            3,
            "blank lines in reference.de: 3, 5",
        ),
        (
            "14-carriage-return-inside-one-output",
            "alpha.de",
            2,
            "ends line 2 of alpha.de",
        ),
        ("15-form-feed-in-output", "alpha.de", 2, "the control character U+000C"),
        ("16-windows-1250", "alpha.de", 1, "the byte 0xF6 is not UTF-8"),
        (
            "24-no-final-line-break-and-one-too-many",
            "beta.de",
            5,
            "blank lines in beta.de: 5",
        ),
        ("26-empty-output", "alpha.de", 2, "the output of alpha is empty"),
        ("41-nul-byte", "alpha.de", 2, "U+0000"),
        ("42-nul-in-one-of-three-systems", "alpha.de", 2, "U+0000"),
        ("61-one-of-three-systems-in-utf-16", "alpha.de", 1, "in UTF-16"),
        ("64-one-of-three-systems-in-utf-16-without-mark", "alpha.de", 1, "in UTF-16"),
    ],
)
def test_a_damaged_output_is_refused_with_its_line(
    case: str,
    file: str,
    line: int,
    problem: str,
) -> None:
    error = refused(case)
    assert (error.file, error.line) == (file, line)
    assert problem in error.problem


def test_an_output_with_another_ending_is_refused() -> None:
    error = refused("63-one-of-three-systems-is-csv-or-named-license")
    assert error.file == "alpha.de.log"


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("40-json-array-instead-of-lines", "t.json"),
        ("60-label-studio-export", "ls.json"),
    ],
)
def test_a_json_array_is_no_test_set(case: str, name: str) -> None:
    assert "a JSON array" in refused(case, name).problem


@pytest.mark.parametrize(
    ("case", "name", "problem"),
    [
        ("31-nested-zip", "set.zip", "itself packed or compressed"),
        ("32-symlink-in-tar", "set.tar.gz", "is a link"),
        ("73-pearmut-campaign-with-html-and-media", "c.json", "not among the files"),
    ],
)
def test_content_without_a_test_set_is_refused(
    case: str,
    name: str,
    problem: str,
) -> None:
    assert problem in refused(case, name).problem


@pytest.mark.parametrize(
    ("case", "name", "systems"),
    [
        ("13-line-separators-inside-text", "", {"alpha", "beta"}),
        ("18-byte-order-marks-everywhere", "", {"alpha", "beta"}),
        ("27-names-with-versions", "", {"Llama-3.1-8B", "Llama-3.1-70B"}),
        ("29-mac-archive", "set.zip", {"alpha", "beta"}),
        ("30-zip-with-backslashes", "set.zip", {"alpha", "beta"}),
        ("33-evalset-layout", "", {"ONLINE-B", "Lan-BridgeMT"}),
        ("43-document-names-with-tabs", "", {"alpha", "beta"}),
        ("65-folder-of-gz", "", {"alpha", "beta"}),
        ("66-reference-among-the-outputs", "", {"ONLINE-B", "Lan-BridgeMT"}),
        ("67-txt-of-wmt-news-systems", "", {"GPT-4.1", "M2M100_1.2B-B4", "ONLINE-B"}),
        ("72-pearmut-campaign-of-dynamic-lists", "c.json", {"alpha", "beta"}),
    ],
)
def test_a_set_of_files_is_read_with_its_systems(
    case: str,
    name: str,
    systems: set[str],
) -> None:
    segments, _left_out = imported(case, name)
    assert {system for segment in segments for system in segment.outputs} == systems
    assert len(segments) == 4


def test_line_ends_marks_and_separators_leave_texts_as_they_are() -> None:
    plain, _left_out = imported("18-byte-order-marks-everywhere")
    assert plain[0].source == "The museum opens at nine."
    assert not any(
        "\ufeff" in text or "\r" in text
        for each in plain
        for text in each.outputs.values()
    )
    separated, _left_out = imported("13-line-separators-inside-text")
    assert separated[0].outputs["alpha"] == "Museum\u2028öffnet neun."


def test_a_line_break_in_a_segment_of_xml_becomes_a_blank() -> None:
    segments, _left_out = imported("02-line-break-and-tab-in-xml-seg", "set.xml")
    assert [segment.source for segment in segments] == [
        "The museum opens at nine.",
        "Bags stay here.",
    ]
    assert segments[1].outputs["alpha"] == "Säcke bleiben hier."


@pytest.mark.parametrize(
    ("case", "name", "problem", "remedy"),
    [
        ("17-utf-16-from-a-spreadsheet", "t.txt", "in UTF-16", "iconv -f UTF-16"),
        ("39-references-as-text-in-jsonl", "t.jsonl", "not a list", '["text", …]'),
    ],
)
def test_a_single_file_is_refused_with_its_remedy(
    case: str,
    name: str,
    problem: str,
    remedy: str,
) -> None:
    error = refused(case, name)
    assert (error.file, error.line) == (name, 1)
    assert problem in error.problem
    assert remedy in error.remedy


def test_names_that_yaml_would_change_survive_it() -> None:
    segments, _left_out = imported("49-names-yaml-would-change", "t.tsv")
    names = [*segments[0].outputs]
    assert len(names) == 8
    assert read_yaml("c.yaml", yaml_bytes({"systems": names})).value == {
        "systems": names,
    }


def test_an_evalset_folder_says_what_it_leaves_out() -> None:
    segments, left_out = imported("33-evalset-layout")
    assert [segment.document for segment in segments] == [
        "visit",
        "visit",
        "tower",
        "tower",
    ]
    assert {len(segment.references) for segment in segments} == {2}
    assert {name for name, _why in left_out} == {
        "human-scores/en-de.mqm.seg.score",
        "metric-scores/en-de/COMET-refA.seg.score",
        "system-outputs/en-de/refA.txt",
        "system-outputs/en-de/refB.txt",
        "documents/en-de.docs",
    }


def evalset() -> dict[str, bytes]:
    return {
        f"{folder}/{pair}{rest}": f"{folder} {pair}{rest}".encode()
        for pair in ("en-de", "zh-en")
        for folder, rest in (
            ("sources", ".txt"),
            ("references", ".refA.txt"),
            ("documents", ".docs"),
            ("system-outputs", "/GPT-4.txt"),
            ("system-outputs", "/uni-kam.txt"),
        )
    }


def test_one_language_pair_of_an_evalset_is_read() -> None:
    segments, left_out = set_of(evalset(), ("zh", "en"))
    (segment,) = segments
    assert (segment.source, segment.references) == (
        "sources zh-en.txt",
        ("references zh-en.refA.txt",),
    )
    assert set(segment.outputs) == {"GPT-4", "uni-kam"}
    assert set(left_out) == {name for name in evalset() if "en-de" in name}
    with pytest.raises(FormatError, match="choose a language pair"):
        set_of(evalset())


def test_an_output_under_another_name_that_is_a_reference_is_reported() -> None:
    found = recognise("set", folder_files(CASES / "33-evalset-layout"))
    assert inspect(found).identical_systems == (("reference 2", "Lan-BridgeMT"),)


GENMT = b'{"doc_id": "d", "src_lang": "en", "tgt_lang": "de", "src_text": "a", "refs": {"refA": {"ref": "b"}}}'


@pytest.mark.parametrize(("text", "systems"), [("b", 2), ("c", 3)])
def test_the_reference_among_outputs_of_wmt_json_lines_is_no_system(
    text: str,
    systems: int,
) -> None:
    outputs = {"refA": text, "alpha": "x", "beta": "b"}
    files = {
        f"systems/{name}.jsonl": f'{{"doc_id": "d", "hypothesis": "{output}"}}'.encode()
        for name, output in outputs.items()
    }
    segments, left_out = set_of({"source.jsonl": GENMT, **files})
    assert len(segments[0].outputs) == systems
    assert left_out == ["systems/refA.jsonl"][: 3 - systems]


@pytest.mark.parametrize(
    "line",
    [b"{doc_id: 1}\n", b'"d", "hypothesis": "x"}\n', b"[1\n", b"{}]\n"],
)
def test_a_broken_first_line_of_json_lines_is_refused(line: bytes) -> None:
    output = b'{"doc_id": "d", "hypothesis": "x"}\n'
    files = {"source.jsonl": GENMT, "a.jsonl": output, "b.jsonl": output}
    with pytest.raises(FormatError) as caught:
        set_of({**files, "c.jsonl": line + output})
    assert (caught.value.file, caught.value.line) == ("c.jsonl", 1)


def test_json_lines_of_another_kind_are_left_out() -> None:
    output = b'{"doc_id": "d", "hypothesis": "x"}'
    files = {
        "source.jsonl": GENMT,
        "a.jsonl": output,
        "b.jsonl": output,
        "c.jsonl": b'{"score": 1}',
    }
    assert set_of(files)[1] == ["c.jsonl"]


def test_files_of_an_operating_system_are_counted() -> None:
    _segments, left_out = imported("29-mac-archive", "set.zip")
    assert [name for name, _why in left_out] == ["7 hidden or temporary files"]


def test_an_empty_document_is_named() -> None:
    segments, left_out = imported("03-empty-document-in-wmt-xml", "set.xml")
    assert {segment.document for segment in segments} == {"v1", "v3"}
    assert ['"v2"' in name for name, _why in left_out] == [True]


@pytest.mark.parametrize(
    ("case", "name", "lost", "documents"),
    [
        ("04-document-withdrawn-from-outputs", "set.xml", "v2", ["v1", "v3"]),
        (
            "57-genmt-null-and-empty-hypotheses",
            "",
            "news/v1",
            ["news/v0", "news/v2", "news/v3"],
        ),
    ],
)
def test_only_the_documents_that_all_systems_cover_can_be_asked_for(
    case: str,
    name: str,
    lost: str,
    documents: list[str],
) -> None:
    error = refused(case, name)
    assert error.line is not None
    assert f"({lost})" in error.problem
    assert "--common-documents" in error.remedy
    segments, left_out = imported(case, name, common=True)
    assert [segment.document for segment in segments] == documents
    assert [segment.number for segment in segments] == list(range(1, len(segments) + 1))
    assert f'document "{lost}"' in [name for name, _why in left_out]


def test_columns_that_describe_segments_are_no_systems() -> None:
    segments, left_out = imported("25-metadata-columns-in-tsv", "t.tsv")
    assert [segment.document for segment in segments] == ["d0", "d0", "d1", "d1"]
    assert [set(segment.outputs) for segment in segments] == [{"alpha", "beta"}] * 4
    assert [name for name, _why in left_out] == [
        't.tsv, column "domain"',
        't.tsv, column "comet"',
    ]


@given(
    scores=st.lists(
        st.floats(allow_infinity=False).map(repr) | st.integers().map(str),
        min_size=2,
        max_size=9,
    ),
    word=st.integers(0, 8),
)
def test_a_column_of_numbers_is_a_system_only_where_all_sources_are_numbers(
    scores: list[str],
    word: int,
) -> None:
    def systems(sources: list[str]) -> set[str]:
        rows = [
            f"{source}\tein {source}\t{n}"
            for source, n in zip(sources, scores, strict=True)
        ]
        table = "\n".join(["source\tA\tscore", *rows])
        first, *_rest = read_test_set(
            source=InputFile("t.tsv", io.BytesIO(table.encode())),
        )
        return set(first.outputs)

    numbers = [str(n) for n in range(len(scores))]
    assert systems(numbers) == {"A", "score"}
    numbers[word % len(scores)] = "No. 1"
    assert systems(numbers) == {"A"}


GOOD = {
    "source.en": [f"Sentence {n} opens." for n in range(6)],
    "reference.de": [f"Satz {n} beginnt." for n in range(6)],
    "alpha.de": [f"Satz {n} öffnet." for n in range(6)],
    "beta.de": [f"{n} öffnet." for n in range(6)],
    "gamma.de": [f"Öffnet {n}." for n in range(6)],
}


def read(files: dict[str, bytes]) -> list[SegmentTexts]:
    def stored(name: str, content: bytes) -> StoredFile:
        return StoredFile(name, lambda: io.BytesIO(content))

    given = files_together(
        "set",
        [stored(name, content) for name, content in files.items()],
    )
    with opened_set(recognise("set", given)) as segments:
        return list(segments)


def packed(texts: dict[str, list[str]]) -> dict[str, bytes]:
    return {
        name: "".join(f"{line}\n" for line in lines).encode()
        for name, lines in texts.items()
    }


@given(
    name=st.sampled_from(["reference.de", "alpha.de", "beta.de", "gamma.de"]),
    damage=st.sampled_from(
        [b"", b"\0", b"\xff", b"\x07", b"\n", "utf-16-le", "utf-16", "cut", "doubled"],
    ),
    place=st.integers(0, 5),
    ending=st.sampled_from(["", ".gz", ".log", ".csv", ".html"]),
)
def test_damage_to_one_file_is_refused_by_its_name(
    name: str,
    damage: bytes | str,
    place: int,
    ending: str,
) -> None:
    files = packed(GOOD)
    lines = files.pop(name).splitlines(keepends=True)
    if damage in {"utf-16-le", "utf-16"}:
        content = b"".join(lines).decode().encode(str(damage))
    elif damage == "cut":
        content = b"".join(lines[:place])
    elif damage == "doubled":
        content = b"".join([*lines[: place + 1], *lines[place:]])
    elif damage == b"":
        content = b""
    else:
        assert isinstance(damage, bytes)
        content = b"".join([*lines[:place], damage + lines[place], *lines[place + 1 :]])
    damaged = name + (ending if ending != ".gz" else "")
    with pytest.raises(FormatError) as caught:
        read(files | {damaged: content})
    assert caught.value.file == damaged


@given(st.sets(st.sampled_from(["alpha.de", "beta.de", "gamma.de"])))
def test_outputs_taken_away_leave_the_others_or_too_few(taken: set[str]) -> None:
    files = {
        name: content for name, content in packed(GOOD).items() if name not in taken
    }
    if len(taken) > 1:
        with pytest.raises(FormatError):
            read(files)
        return
    left = {"alpha", "beta", "gamma"} - {name.removesuffix(".de") for name in taken}
    assert {frozenset(segment.outputs) for segment in read(files)} == {frozenset(left)}


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (
            "111-table-names-a-missing-recording",
            'names "audio/beta.wav", which is not among',
        ),
        ("112-text-named-mp3", "audio/beta.mp3: the file is text"),
        (
            "113-picture-named-wav",
            "audio/beta.wav: the file is PNG, but its name ends in .wav",
        ),
    ],
)
def test_wrong_media_files_are_refused(case: str, problem: str) -> None:
    assert problem in str(refused(case))


def test_file_of_a_running_pearmut_campaign_is_read() -> None:
    [segment], left_out = imported("114-pearmut-campaign-that-runs", "c.json")
    assert list(segment.outputs) == ["amber", "birch"]
    [(left, _reason)] = left_out
    assert left == "c.json: 1 judge of data"
