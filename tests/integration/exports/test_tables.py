"""Tables of every kind and protocol: one name per fact, values in cells, columns described, and everything as one zip."""

import csv
import io
import json
import re
import zipfile
from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import date, datetime
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from annotation.export.work_time import time_sheet_csv
from annotation.models import Judgment
from annotation.selectors.work_time import JudgeTime, Worked
from campaign.formats import InputFile, read_test_set
from campaign.formats.judge_lists import judge_list_read
from campaign.models import Campaign, Protocol, Task
from ranking.export.asked import requested_export
from ranking.export.columns import columns_written, described_columns
from ranking.export.kinds import ANSWERS, KINDS
from ranking.export.writing import export_bytes
from ranking.files.reading import read_judgments
from tests.factories import make_campaign, make_task
from tests.integration.exports.conftest import SYSTEMS
from tests.integration.protocols.test_controls_of_every_protocol import WORLDS
from tests.integration.ranking.writing import TestSetWriter
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

#: Columns of the files that WMT released, whose names scripts of others read; `judgeID` is of WMT15 and WMT16.
_OF_WMT = {
    "srclang",
    "trglang",
    "srcIndex",
    "documentId",
    "segmentId",
    "judgeId",
    "judgeID",
}
#: Names of columns that another column's fact must not have.
_OTHER_NAMES = {
    "judge_id",
    "judge_name",
    "pseudonym",
    "segment_number",
    "address",
    "position",
}


def whole(task: Task, kind: str, file_format: str) -> bytes:
    asked = requested_export(task=task, kind=kind, file_format=file_format)
    return b"".join(export_bytes(asked))


def csv_formats(task: Task) -> list[tuple[str, str]]:
    """Return the kinds with a format that is a table with a header."""
    return [
        (kind.name, name)
        for kind in KINDS.values()
        for name in kind.formats_of(task)
        if name.endswith("csv") and kind.name != ANSWERS
    ]


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def is_json(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), list | dict)
    except ValueError:
        return False


@pytest.fixture(scope="module", params=list(Protocol))
def answered(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Task]:
    """A task of each protocol with answers."""
    make = WORLDS[request.param]
    with shared_rows(django_db_blocker, lambda: make(make_campaign())) as task:
        yield task


def test_exported_cells_match_described_columns(answered: Task) -> None:
    task = answered
    assert Judgment.objects.of(task.pk).exists()
    for kind, file_format in csv_formats(task):
        table = rows(whole(task, kind, file_format))
        cells = [(name, cell) for row in table for name, cell in row.items()]
        assert not [cell for cell in cells if is_json(cell[1]) or cell[1] == "None"], (
            kind
        )
        described = described_columns(KINDS[kind], task)
        assert all(map(str, described.values())), kind
        header = (
            {re.sub(r"(?<=\D)\d+", "N", name) for name in table[0]} if table else set()
        )
        if kind != "texts":
            assert header <= described.keys(), kind


def test_tables_hold_the_answers(answered: Task) -> None:
    lines = [
        json.loads(line) for line in whole(answered, "judgments", "jsonl").splitlines()
    ]
    table = rows(whole(answered, "judgments", "csv"))
    assert len(table) == len(lines)
    for row, line in zip(table, lines, strict=True):
        assert row["judge"] == line["judge"]
        assert row["segment"] == str(line["segment"])
        shown = [
            cell for name, cell in row.items() if name.startswith("candidate") and cell
        ]
        assert shown == [",".join(systems) for systems in line["candidates"]]
        labels = [row[f"label{number}"] for number in range(1, len(shown) + 1)]
        assert labels == [
            "" if label is None else str(label) for label in line["labels"]
        ]
        for name, value in (line["answer"] or {}).items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                assert row[name] == str(value)


def test_one_fact_has_one_name_in_all_tables(news: TestSetWriter) -> None:
    for kind in KINDS.values():
        names = set(columns_written(kind, news.task)) - _OF_WMT
        assert not names & _OTHER_NAMES, kind.name
        assert "judge" in names or not {
            name for name in names if "judge" in name.lower()
        } - {
            "judged_later",
            "judge_group",
        }


def test_segments_have_one_number_in_all_files(campaign: Campaign) -> None:
    task = WORLDS[Protocol.RANKING](campaign)
    positions = {
        (row["documentId"], row["srcIndex"]): row["segmentId"]
        for row in rows(whole(task, "counted", "five-way-csv"))
    }
    pairs = rows(whole(task, "comparisons", "pairwise-csv"))
    by_number = {
        number: position for (_document, number), position in positions.items()
    }
    assert {
        row["srcIndex"]: row["segmentId"] for row in pairs
    }.items() <= by_number.items()
    assert any(number != position for number, position in by_number.items())
    texts = {
        row["segment"]: row["document"] for row in rows(whole(task, "texts", "csv"))
    }
    judgments = rows(whole(task, "judgments", "csv"))
    assert {
        row["segment"]: row["document"] for row in judgments
    }.items() <= texts.items()


def test_time_sheets_name_judges_as_judgments_do(news: TestSetWriter) -> None:
    judge = news.judge("-j2")
    sheet = [JudgeTime(judge, {date(2026, 3, 1): Worked(2, 60)})]
    [row] = rows(time_sheet_csv(sheet, time_zone="UTC").encode())
    assert row["judge"] in {
        row["judge"] for row in rows(whole(news.task, "judgments", "csv"))
    }


def test_times_have_one_form(news: TestSetWriter) -> None:
    at = datetime.fromisoformat("2026-03-01T12:30:00+01:00")
    news.skip("j1", news.block(8, list(SYSTEMS[:2])), at=at)
    form = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
    for kind, column in (
        ("judgments", "submitted_at"),
        ("skips", "created_at"),
        ("designs", "created_at"),
        ("activity", "time"),
    ):
        for file_format in ("csv", "jsonl"):
            content = whole(news.task, kind, file_format)
            read = (
                rows(content)
                if file_format == "csv"
                else map(json.loads, content.splitlines())
            )
            assert all(form.fullmatch(row[column]) for row in read), (kind, file_format)


def test_texts_in_csv_are_read_again(campaign: Campaign) -> None:
    task = make_task(campaign, documents=(3, 2))
    segment = task.test_set.segments.earliest("number")
    segment.outputs.update(text='-Ja, "gut"\n\n"so"')
    task.test_set.segments.filter(number__gt=3).update(source_text='A\n"b"')
    content = whole(task, "texts", "csv")
    assert b"'-Ja" in content
    read = list(read_test_set(source=InputFile("texts.csv", BytesIO(content))))
    lines = [json.loads(line) for line in whole(task, "texts", "jsonl").splitlines()]
    assert [
        (text.document, text.source, list(text.references), text.outputs)
        for text in read
    ] == [
        (line["document"], line["source"], line["references"], line["outputs"])
        for line in lines
    ]


def test_exported_judges_are_a_list_of_judges_for_another_campaign(
    news: TestSetWriter,
) -> None:
    content = whole(news.task, "named-judges", "csv").decode()
    read = judge_list_read(content)
    assert ("jana@example.org", "Jana Judgeova") in {
        (row.address, row.name) for row in read.rows
    }


def test_everything_is_one_zip(news: TestSetWriter, tmp_path: Any) -> None:
    content = whole(news.task, "everything", "zip")
    assert content == whole(news.task, "everything", "zip")
    assert b"jana@example.org" not in content
    with zipfile.ZipFile(BytesIO(content)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    readme = files.pop("README.txt").decode()
    kinds = {name.split(".")[0].split("/")[0] for name in files}
    assert kinds == {
        kind.name
        for kind in KINDS.values()
        if kind.formats and not kind.names_people and kind.name != "everything"
    }
    assert "named-judges" not in readme
    for name, data in files.items():
        assert b"jana@example.org" not in data, name
        assert name.split("/")[0] in readme
        if name.endswith(".csv"):
            header = next(csv.reader(io.StringIO(data.decode())))
            described = {re.sub(r"(?<=\D)\d+", "N", column) for column in header}
            assert name.startswith("texts") or all(
                f"  {column}: " in readme for column in described
            )
    path = tmp_path / "counted.csv"
    path.write_bytes(files["counted.csv"])
    assert len(read_judgments([str(path)]).blocks.judge) == 12


def test_everything_is_written_for_a_task_without_judgments(campaign: Campaign) -> None:
    task = make_task(campaign)
    with zipfile.ZipFile(BytesIO(whole(task, "everything", "zip"))) as archive:
        names = archive.namelist()
    assert {"texts.csv", "judgments.csv", "README.txt"} <= set(names)
    assert not [name for name in names if name.startswith("evalset")]


def test_csv_in_the_zip_of_the_page_opens_in_spreadsheets(
    as_organiser: Client,
    news: TestSetWriter,
) -> None:
    query = "kind=everything&file_format=zip"
    page = f"/campaigns/autumn/tasks/{news.task.pk}/exports/?{query}&stream=on"
    rest = f"/api/v1/tasks/{news.task.pk}/exports/stream/?{query}"
    for address, has_mark in ((page, True), (rest, False)):
        content = b"".join(as_organiser.get(address).streaming_content)  # type: ignore[attr-defined]
        with zipfile.ZipFile(BytesIO(content)) as archive:
            marks = {
                archive.read(name).startswith(BOM_UTF8)
                for name in archive.namelist()
                if name.endswith(".csv")
            }
        assert marks == {has_mark}


def test_rest_describes_the_columns(as_organiser: Client, news: TestSetWriter) -> None:
    address = f"/api/v1/tasks/{news.task.pk}/exports/kinds/"
    kinds = {row["name"]: row for row in as_organiser.get(address).json()["results"]}
    assert kinds["judgments"]["columns"]["candidateN"]
    assert kinds["everything"]["columns"] == {}
