"""`import_test_set`: newer formats, folders and archives, and the check that stores nothing."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from campaign.models import Campaign, Output, Reference, System, Task, TestSet

pytestmark = pytest.mark.django_db

Write = Callable[[str, str | bytes], Path]
Say = Callable[..., str]

SOURCE = (
    "The museum opens at nine.\nBags stay in the cloakroom.\nThe tour takes an hour.\n"
)
REFERENCE = (
    "Das Museum öffnet um neun.\nTaschen bleiben hier.\nDie Führung dauert lang.\n"
)
AMBER = "Museum öffnet neun.\nTaschen hier.\nFührung.\n"
BIRCH = "Ein Museum.\nBeutel.\nTour\\n\t<b>&amp;\n"
NAMES = {
    "campaign": "museum",
    "name": "visit",
    "source_language": "en",
    "target_language": "de",
}
WMT_XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="museum"><doc id="visit" origlang="en">
<src lang="en"><p><seg id="1">The museum opens at nine.</seg><seg id="2">Bags stay.</seg></p></src>
<ref lang="de" translator="A"><p><seg id="1">Es öffnet um neun.</seg><seg id="2">Taschen.</seg></p></ref>
<hyp lang="de" system="amber"><p><seg id="1">Museum öffnet.</seg><seg id="2">Taschen.</seg></p></hyp>
<hyp lang="de" system="birch"><p><seg id="1">Ein Museum.</seg><seg id="2">Beutel.</seg></p></hyp>
</doc></dataset>
"""
GENMT = '{"doc_id": "en-de_DE_#_news_#_visit", "domain": "news", "src_lang": "en", "tgt_lang": "de_DE", "src_text": "Open.\\n\\nBags.", "refs": {}}\n'
GENMT_OUTPUT = (
    '{"doc_id": "en-de_DE_#_news_#_visit", "hypothesis": "Offen.\\n\\nTaschen."}\n'
)
PEARMUT = {
    "info": {"assignment": "dynamic"},
    "campaign_id": "museum",
    "data": [[{"src": "The museum.", "ref": "Museum.", "tgt": {"amber": "Ein\n\nMuseum.", "birch": "M."}}]],
}  # fmt: skip


def stored() -> list[tuple[str, str | None, str, str | None]]:
    return list(
        Output.objects.filter(system__kind="system")
        .order_by("segment__number", "system__name")
        .values_list(
            "segment__document__name",
            "segment__source_text",
            "system__name",
            "text",
        ),
    )


@pytest.mark.usefixtures("campaign")
def test_wmts_xml_is_imported(write: Write, done: Say) -> None:
    path = write("museum.xml", WMT_XML)
    said = done("import_test_set", str(path), **NAMES)
    assert said.endswith(
        "2 segments, 2 systems; the reference is shown to judges and not ranked.",
    )
    assert stored()[0] == (
        "visit",
        "The museum opens at nine.",
        "amber",
        "Museum öffnet.",
    )
    assert Reference.objects.count() == 2


@pytest.mark.usefixtures("campaign")
def test_wmts_json_lines_keep_blank_lines_or_are_split(write: Write, done: Say) -> None:
    source, output = write("genmt.jsonl", GENMT), write("amber.jsonl", GENMT_OUTPUT)
    files = [
        f"--source={source}",
        f"--system=amber={output}",
        f"--system=birch={output}",
    ]
    done("import_test_set", *files, **NAMES)
    assert stored() == [
        ("news/visit", "Open.\n\nBags.", system, "Offen.\n\nTaschen.")
        for system in ("amber", "birch")
    ]
    TestSet.objects.all().delete()
    done("import_test_set", *files, "--split-paragraphs", **NAMES)
    assert [row[1:] for row in stored()][::2] == [("Open.", "amber", "Offen."), ("Bags.", "amber", "Taschen.")]  # fmt: skip


@pytest.mark.usefixtures("campaign")
def test_a_campaign_of_pearmut_is_imported(write: Write, done: Say) -> None:
    done(
        "import_test_set",
        str(write("campaign.json", json.dumps(PEARMUT, indent=1))),
        **NAMES,
    )
    assert stored() == [
        ("museum/1", "The museum.", "amber", "Ein\n\nMuseum."),
        ("museum/1", "The museum.", "birch", "M."),
    ]


def folder_written(folder: Path) -> Path:
    (folder / "systems").mkdir(parents=True)
    (folder / "news-src.en").write_text(SOURCE)
    (folder / "news-ref.de").write_text(REFERENCE)
    (folder / "systems" / "news.en-de.amber.txt").write_text(AMBER)
    (folder / "systems" / "news.en-de.birch.txt").write_text(BIRCH)
    (folder / "README.md").write_text("Texts.")
    return folder


@pytest.mark.usefixtures("campaign")
@pytest.mark.parametrize("packed", ["folder", "zip", "gztar", "tar", "list"])
def test_folders_archives_and_lists_of_files_are_recognised(
    tmp_path: Path,
    done: Say,
    packed: str,
) -> None:
    folder = folder_written(tmp_path / "news")
    given = [str(folder)]
    if packed == "list":
        given = [str(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    elif packed != "folder":
        given = [
            shutil.make_archive(str(tmp_path / "packed"), packed, tmp_path, "news"),
        ]
    done("import_test_set", *given, campaign="museum", name="visit")
    task = Task.objects.get()
    assert (task.test_set.source_language, task.test_set.target_language) == (
        "en",
        "de",
    )
    assert sorted(System.objects.values_list("name", flat=True)) == [
        "_ref",
        "amber",
        "birch",
    ]
    assert [row[3] for row in stored()][:2] == ["Museum öffnet neun.", "Ein Museum."]


@pytest.mark.usefixtures("campaign")
def test_a_hostile_archive_changes_nothing(tmp_path: Path, refused: Say) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        archive.writestr("../src.en", SOURCE)
    message = refused("import_test_set", str(tmp_path / "set.zip"), **NAMES)
    assert '"../src.en" leads out of the archive. What to do: ' in message


def test_a_check_says_what_stands_out_and_stores_nothing(
    tmp_path: Path,
    done: Say,
) -> None:
    folder = folder_written(tmp_path / "news")
    (folder / "systems" / "news.en-de.cedar.txt").write_text(AMBER)
    said = str(done("import_test_set", str(folder), "--check"))
    for line in (
        "news-src.en: source; 3 lines, UTF-8, line endings: LF",
        "systems/news.en-de.birch.txt: outputs of birch; 3 lines, UTF-8, line endings: LF",
        "Languages, from file names: en → de",
        "Segments: 3, documents: 1, references: 1",
        "Identical outputs: amber, cedar",
        "1. The museum opens at nine.",
        "    amber: Museum öffnet neun.",
        "These files can be imported. Nothing was stored.",
    ):
        assert line in said.splitlines()
    assert "README.md: skipped (its file extension is not that of a text file)" in said
    assert not Campaign.objects.exists()


@pytest.mark.usefixtures("campaign")
def test_a_file_of_several_pairs_needs_a_choice(
    write: Write,
    done: Say,
    refused: Say,
) -> None:
    both = GENMT + GENMT.replace("de_DE", "cs_CZ").replace('"Open', '"Otevřeno? Open')
    outputs = GENMT_OUTPUT + GENMT_OUTPUT.replace("de_DE", "cs_CZ").replace(
        "Offen",
        "Otevřeno",
    )
    output = write("amber.jsonl", outputs)
    files = [f"--source={write('genmt.jsonl', both)}"]
    files += [f"--system={name}={output}" for name in ("amber", "birch")]
    wrong = NAMES | {"target_language": "fr"}
    assert "no segments for en-fr, only for en-cs_CZ, en-de_DE" in refused(
        "import_test_set",
        *files,
        **wrong,
    )
    done("import_test_set", *files, "--pair", "en", "cs_CZ", **wrong)
    assert stored()[0][3] == "Otevřeno.\n\nTaschen."
