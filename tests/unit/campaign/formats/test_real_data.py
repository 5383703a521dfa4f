"""The released WMT files, read as they are, and texts of our own in the same shape."""

from pathlib import Path

import pytest

from campaign.formats import InputFile, SegmentTexts, read_five_way_csv, read_test_set
from campaign.formats import write_five_way_csv as write

pytestmark = pytest.mark.realdata


@pytest.fixture
def wmt12_cs_en(wmt12_with_texts: Path) -> list[SegmentTexts]:
    folder = wmt12_with_texts
    outputs = {
        path.name.split(".")[2]: path for path in sorted(folder.glob("systems/*.sgm"))
    }
    opened = {name: path.open("rb") for name, path in outputs.items()}
    with (
        (folder / "newstest2012-src.cs.sgm").open("rb") as source,
        (folder / "newstest2012-ref.en.sgm").open("rb") as reference,
    ):
        segments = list(
            read_test_set(
                source=InputFile("src", source),
                references=[InputFile("ref", reference)],
                systems={
                    name: InputFile(name, stream) for name, stream in opened.items()
                },
            ),
        )
    for stream in opened.values():
        stream.close()
    return segments


def test_the_ampersands_of_wmt12_are_text_and_its_entities_are_decoded(
    wmt12_cs_en: list[SegmentTexts],
) -> None:
    texts = [s.source for s in wmt12_cs_en]
    texts += [
        text for s in wmt12_cs_en for text in (*s.references, *s.outputs.values())
    ]
    assert sum("S&P" in text for text in texts) == 2
    assert sum("AT&T" in text for text in texts) == 2
    assert [text for text in texts if '"' in text]
    assert not [text for text in texts if "&quot;" in text or "&#39;" in text]
    # This one system escaped its output twice. It is read as it was submitted.
    twice = [
        s.outputs["uk-dan-moses"]
        for s in wmt12_cs_en
        if "&amp;" in s.outputs["uk-dan-moses"]
    ]
    assert len(twice) == 2
    assert [text for text in texts if "&amp;" in text] == twice


@pytest.mark.parametrize(
    ("path", "blocks", "systems", "blank", "skipped"),
    [
        ("wmt12-cs-en/judgments.csv", 1294, 6, 49, 3),
        ("wmt12-es-en/judgments.csv", 1141, 12, 41, 4),
        ("wmt10/judgments.cs-en.csv", 543, 13, 24, 4),
        ("wmt10/judgments.es-en.csv", 1140, 15, 35, 4),
    ],
)
def test_the_judgments_of_wmt_are_read_and_written_back_to_the_byte(
    real_data: Path,
    path: str,
    blocks: int,
    systems: int,
    blank: int,
    skipped: int,
) -> None:
    with (real_data / path).open("rb") as stream:
        rows = list(read_five_way_csv(stream, path))
    assert len(rows) == blocks
    labels = [label for row in rows for label in row.labels]
    assert len(labels) == 5 * blocks
    assert labels.count(None) == blank
    assert sum(not any(row.labels) for row in rows) == skipped
    assert (
        len(
            {
                name
                for row in rows
                for candidate in row.candidates
                for name in candidate
            },
        )
        == systems
    )
    assert "".join(write(rows)) == (real_data / path).read_text(encoding="utf-8")
