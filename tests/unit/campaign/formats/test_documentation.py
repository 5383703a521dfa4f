"""The examples in docs/formats.md are files that can be read."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from campaign.formats import FiveWayRow, InputFile, read_five_way_csv, read_test_set

MakeFile = Callable[[str, str | bytes], InputFile]


@pytest.fixture(scope="module")
def examples() -> dict[str, list[str]]:
    text = (Path(__file__).parents[4] / "docs" / "formats.md").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for language, content in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        found.setdefault(language, []).append(content)
    return found


def test_plain_text(make_file: MakeFile, examples: dict[str, list[str]]) -> None:
    source, output = examples["text"][:2]
    segments = list(
        read_test_set(
            source=make_file("source.en", source),
            systems={"online-a": make_file("online-a.de", output)},
        )
    )
    assert segments[1].source == "Bags stay in the cloakroom."
    assert segments[1].outputs == {"online-a": "Taschen bleiben in der Garderobe."}


def test_sgml(make_file: MakeFile, examples: dict[str, list[str]]) -> None:
    (content,) = examples["sgml"]
    segments = list(read_test_set(source=make_file("source", content)))
    assert [(s.document, s.source) for s in segments] == [
        ("visit/1", "The museum opens at nine."),
        ("visit/1", "Bags & coats stay in the cloakroom."),
    ]


@pytest.mark.parametrize("file_format", ["tsv", "jsonl"])
def test_single_files(
    make_file: MakeFile, examples: dict[str, list[str]], file_format: str
) -> None:
    content = examples[file_format][0]  # the others hold judgments
    segments = list(read_test_set(source=make_file("set", content)))
    assert [(s.document, s.number, s.source) for s in segments] == [
        ("visit", 1, "The museum opens at nine."),
        ("visit", 2, "Bags stay here."),
    ]
    assert segments[0].outputs["online-b"] == "Museum öffnet neun."


def test_wmt_xml(make_file: MakeFile, examples: dict[str, list[str]]) -> None:
    first, second = read_test_set(source=make_file("set.xml", examples["xml"][0]))
    assert first.references == ("Das Museum öffnet um neun.",)
    assert (second.source, second.references) == ("Bags & coats stay here.", ("",))
    assert second.outputs == {"online-a": "Taschen bleiben hier."}


def test_wmts_json_lines(make_file: MakeFile, examples: dict[str, list[str]]) -> None:
    source, output = examples["jsonl"][1:3]
    (segment,) = read_test_set(
        source=make_file("genmt.jsonl", source), systems={"online-a": make_file("a.jsonl", output)}
    )
    assert (segment.document, segment.outputs) == (
        "culture/visit",
        {"online-a": "Museum öffnet.\n\nTaschen hier."},
    )


def test_pearmut(make_file: MakeFile, examples: dict[str, list[str]]) -> None:
    segments = list(read_test_set(source=make_file("campaign.json", examples["json"][0])))
    assert [(s.document, s.position, list(s.outputs)) for s in segments] == [
        ("visit", 1, ["online-a", "online-b"]),
        ("visit", 2, ["online-a", "online-b"]),
    ]


def test_five_way_csv(examples: dict[str, list[str]]) -> None:
    content = examples["csv"][0]
    rows = list(read_five_way_csv(io.BytesIO(content.encode()), "judgments.csv"))
    assert rows[1] == FiveWayRow(
        source_language="English",
        target_language="German",
        source_index=2,
        document="visit",
        segment_id="2",
        judge="judge01",
        candidates=(("rules",), ("online-a", "online-b")),
        labels=(1, None),
        system_numbers=((3,), (1, 2)),
    )
