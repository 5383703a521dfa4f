"""Every kind in every format, from the registry: out, in again, and the same ranking; parts that are the whole."""

import csv
import io
import json
from dataclasses import asdict
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pyarrow import parquet

from annotation.models import Assignment, Judgment, Skip
from campaign.formats import InputFile, read_test_set
from campaign.formats.tables import neutral
from campaign.models import Campaign, Judge, Output, Reference, Segment, Task
from campaign.texts.values import joined
from ranking.core import rank
from ranking.core.judged.blocks import Blocks
from ranking.export.asked import ExportRefusedError, requested_export
from ranking.export.kinds import KINDS, ExportFormat
from ranking.export.rows import ROWS
from ranking.export.writing import export_bytes
from ranking.files.reading import read_judgments
from ranking.selectors.judged_columns import judged_blocks
from tests.factories import make_campaign, make_task
from tests.filling import Filling, filled_task
from tests.integration.exports.conftest import SYSTEMS
from tests.integration.machines.answering import machine_judges
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.usefixtures("as_owner", "db")

EVERY = [(kind.name, str(each)) for kind in KINDS.values() for each in kind.formats]
#: What a ranking is computed from.
RANKED = [(kind, each) for kind, each in EVERY if kind in {"counted", "comparisons"}]


def whole(task: Task, kind: str, file_format: str, **of: Any) -> bytes:
    asked = requested_export(task=task, kind=kind, file_format=file_format, **of)
    return b"".join(export_bytes(asked))


def lent() -> Task:
    """Return a task with HITs that were lent."""
    filling = Filling(blocks=30, segments=12, judges=4, is_checked=True)
    return filled_task(make_campaign("lent"), filling)


def scores(blocks: Blocks) -> list[dict[str, Any]]:
    return [asdict(row) for row in rank(blocks).systems]


def test_the_commands_on_files_rank_each_format_as_the_database_bit_for_bit(
    news: TestSetWriter,
    tmp_path: Path,
) -> None:
    there = judged_blocks(task=news.task, watermark=14).without_judges(["out"])
    expected = scores(there)
    for kind, file_format in RANKED:
        path = tmp_path / f"{kind}.{file_format}"
        path.write_bytes(whole(news.task, kind, file_format))
        read = read_judgments([str(path)])
        assert set(read.blocks.systems) == {*SYSTEMS, "_ref"}
        assert str(read.input_format) == file_format
        assert scores(read.blocks) == expected, (kind, file_format)
        assert read.judges == 3


@pytest.mark.thorough
def test_documents_are_in_each_format_that_does_not_say_it_has_no_room_for_them(
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    task = filled_task(
        campaign,
        Filling(blocks=300, segments=24, judges=4, is_checked=True),
    )
    watermark = task.judgment_sequence.last_number
    there = scores(judged_blocks(task=task, watermark=watermark))
    for kind, file_format in RANKED:
        path = tmp_path / f"{kind}.{file_format}"
        path.write_bytes(whole(task, kind, file_format))
        read = read_judgments([str(path)])
        losses = " ".join(map(str, KINDS[kind].formats[ExportFormat(file_format)]))
        assert (read.blocks.document is None) == ("documents" in losses), (
            kind,
            file_format,
        )
        assert (read.duration_ms >= 0).any() == ("elapsed time" not in losses)
        if read.blocks.document is not None:
            assert scores(read.blocks) == there, (kind, file_format)


@pytest.mark.thorough
def test_parts_of_one_watermark_are_together_the_whole(news: TestSetWriter) -> None:
    with_hits = lent()
    for kind, file_format in EVERY:
        if KINDS[kind].is_whole:
            with pytest.raises(ExportRefusedError, match="only be exported as a whole"):
                whole(news.task, kind, file_format, until=1)
            continue
        task = with_hits if kind == "assignments" else news.task
        asked = requested_export(task=task, kind=kind, file_format=file_format)
        middle, mark = max(1, asked.until - 1), asked.watermark
        first = whole(task, kind, file_format, until=middle, watermark=mark)
        then = whole(task, kind, file_format, after=middle, watermark=mark)
        complete = whole(task, kind, file_format)
        if file_format == ExportFormat.PARQUET:
            rows = [
                parquet.read_table(BytesIO(part)).to_pylist()
                for part in (first, then, complete)
            ]
            assert rows[0] + rows[1] == rows[2], (kind, file_format)
        else:
            assert first + then == complete, (kind, file_format)


def test_judgments_that_come_later_change_nothing_below_the_watermark(
    news: TestSetWriter,
) -> None:
    before = {each: whole(news.task, *each, watermark=14) for each in RANKED}
    block = news.block(7, list(SYSTEMS[:2]))
    first = news.judgment("j1", block, [1, 2])
    news.judgment("j1", block, [2, 1], supersedes=first)
    assert {each: whole(news.task, *each, watermark=14) for each in RANKED} == before
    lines = whole(news.task, "counted", "jsonl").decode().splitlines()
    assert json.loads(lines[-1])["labels"] == [2, 1]
    assert len(lines) == 13


def test_no_format_of_any_kind_names_a_judge_but_the_one_that_says_so(
    news: TestSetWriter,
) -> None:
    for kind, file_format in EVERY:
        content = whole(news.task, kind, file_format)
        if file_format == ExportFormat.PARQUET:
            content = repr(parquet.read_table(BytesIO(content)).to_pylist()).encode()
        is_named = b"Jana Judgeova" in content, b"jana@example.org" in content
        assert is_named == (kind == "named-judges",) * 2, (kind, file_format)


def test_no_cell_of_a_csv_is_a_formula(news: TestSetWriter) -> None:
    for kind, file_format in [(kind, each) for kind, each in EVERY if "csv" in each]:
        content = whole(news.task, kind, file_format).decode()
        for row in csv.reader(io.StringIO(content)):
            assert not [
                cell for cell in row if cell.startswith(("=", "+", "@", "\t", "\r"))
            ], kind
            # -1 is a rank left blank, and a number.
            assert {cell for cell in row if cell.startswith("-")} <= {"-1"}, kind


#: What JSON escapes, CSV puts in quotes, and a spreadsheet would compute.
ODD = (
    *(
        "",
        "'=x",
        "=SUM(A1)",
        "-",
        "two\nlines",
        "a\r\nb",
        "\rc",
        "tab\there",
        'say "no"',
        "a,b",
    ),
    *(
        "back\\slash",
        "\x01\x1f\x7f",
        "\\.",
        "\\N",
        "čeština 𝒳",
        "\u2028",
        "NULL",
        "{1}",
        " ",
    ),
)


def odd_texts_write(writer: TestSetWriter) -> None:
    """Give a task comments, sources and outputs that are hard to write."""
    systems = list(writer.task.test_set.systems.order_by("pk"))
    for number, text in enumerate(ODD, 101):
        block = writer.block(number, list(SYSTEMS[:2]))
        writer.judgment("j1", block, [1, 2], comment=text, active_ms=number)
        writer.skip("-j2", block, comment=text)
        segment = Segment.objects.create(
            test_set=writer.task.test_set,
            document=writer.document,
            number=1000 + number,
            position=1000 + number,
            source_text=text or None,
        )
        Output.objects.bulk_create(
            Output(segment=segment, system=system, text=text or "empty")
            for system in systems
        )
        Reference.objects.create(segment=segment, number=1, text=text or "empty")


@pytest.mark.thorough
def test_rows_hold_odd_texts_and_come_in_parts_of_any_size(
    news: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd_texts_write(news)
    for kind, column in (
        ("judgments", "comment"),
        ("skips", "comment"),
        ("texts", "source"),
    ):
        jsonl, csv_file = (
            whole(news.task, kind, each).decode() for each in ("jsonl", "csv")
        )
        # At no other line end than its own: texts hold some.
        told = [json.loads(line)[column] for line in jsonl.split("\n")[:-1]]
        assert {*ODD} <= {text or "" for text in told}, kind
        read = list(csv.DictReader(io.StringIO(csv_file, newline="")))
        assert [row[column] for row in read] == [
            neutral(text or "") for text in told
        ], kind
        for rows in (1, 7):
            monkeypatch.setattr("ranking.export.rows._AT_ONCE", rows)
            assert whole(news.task, kind, "jsonl").decode() == jsonl
            assert whole(news.task, kind, "csv").decode() == csv_file


def test_judgments_texts_and_judges_are_told_as_they_were_stored(
    news: TestSetWriter,
) -> None:
    odd_texts_write(news)
    lines = whole(news.task, "judgments", "jsonl").decode().split("\n")[:-1]
    stored = Judgment.objects.order_by("pk").select_related("judge", "supersedes")
    superseded = {each.supersedes_id for each in stored}
    scalars: tuple[str, ...] = (
        "number",
        "id",
        "judge",
        "labels",
        "duration_ms",
        "active_ms",
        "comment",
    )
    scalars += ("submitted_at", "supersedes", "current")
    told = [{name: row[name] for name in scalars} for row in map(json.loads, lines)]
    assert told == [
        {
            "number": number,
            "id": str(each.client_id),
            "judge": each.judge.pseudonym,
            "labels": each.labels,
            "duration_ms": each.duration_ms,
            "active_ms": each.active_ms,
            "comment": each.comment,
            "submitted_at": told_at(each.submitted_at),
            "supersedes": each.supersedes and str(each.supersedes.client_id),
            "current": each.pk not in superseded,
        }
        for number, each in enumerate(stored, 1)
    ]
    lines = whole(news.task, "texts", "jsonl").decode().split("\n")[-1 - len(ODD) : -1]
    assert [(row["outputs"], row["references"]) for row in map(json.loads, lines)] == [
        (dict.fromkeys(SYSTEMS, text or "empty"), [text or "empty"]) for text in ODD
    ]
    lines = whole(news.task, "judges", "jsonl").decode().splitlines()
    judges = Judge.objects.order_by("pk")
    assert [(row["judge"], row["origin"]) for row in map(json.loads, lines)] == [
        (each.pseudonym, each.origin) for each in judges
    ]


def test_skips_and_loans_are_told_as_they_were_stored(news: TestSetWriter) -> None:
    block = Skip.objects.get().block
    skip = Skip.objects.create(
        task=news.task,
        client_id=uuid4(),
        judge=news.judge("+j3"),
        block=block,
        reason="other",
        comment="",
        created_at=datetime(2026, 3, 1, 12, 30, 0, 4, tzinfo=UTC),
        duration_ms=70_000,
        active_ms=20_000,
    )
    first, second = map(
        json.loads,
        whole(news.task, "skips", "jsonl").decode().splitlines(),
    )
    assert (first["comment"], first["judge"], first["active_ms"]) == (
        "=cmd",
        "j1",
        None,
    )
    assert second == {
        "number": skip.pk,
        "id": str(skip.client_id),
        "judge": "+j3",
        "segment": 5,
        "document": "d",
        "control": "",
        "reason": "other",
        "comment": "",
        "duration_ms": 70_000,
        "active_ms": 20_000,
        "created_at": told_at(skip.created_at),
        "judged_later": False,
    }
    task = lent()
    stored = Assignment.objects.filter(hit__task=task).order_by("pk")
    lines = whole(task, "assignments", "jsonl").decode().splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "number": each.pk,
            "id": str(each.public_id),
            "hit": each.hit.number,
            "judge": each.judge.pseudonym,
            "ordinal": each.ordinal,
            "lent_at": told_at(each.lease.lower),
            "lease_ends_at": told_at(each.lease.upper),
            "completed_at": told_at(each.completed_at),
            "released_at": told_at(each.released_at),
        }
        for each in stored.select_related("hit", "judge")
    ]


def told_at(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat().replace("+00:00", "Z")


@pytest.mark.thorough
def test_rows_are_the_same_in_their_three_formats(news: TestSetWriter) -> None:
    machine_judges(news.campaign, news.task)
    with_hits = lent()
    for kind in ROWS:
        task = with_hits if kind == "assignments" else news.task
        lines = [
            json.loads(line)
            for line in whole(task, kind, "jsonl").decode().splitlines()
        ]
        assert lines, kind
        rows = [row for line in lines for row in ROWS[kind].in_table(task, line)]
        columns = list(ROWS[kind].columns(task, 5))
        table = parquet.read_table(BytesIO(whole(task, kind, "parquet"))).to_pylist()
        cells = list(csv.DictReader(io.StringIO(whole(task, kind, "csv").decode())))
        for row, of_parquet, of_csv in zip(rows, table, cells, strict=True):
            expected = {name: joined(row.get(name)) for name in columns}
            assert {
                name: joined(value) for name, value in of_parquet.items()
            } == expected, kind
            of_spreadsheet = {
                neutral(name): neutral(text) for name, text in expected.items()
            }
            assert of_csv == of_spreadsheet, kind


def test_a_campaign_of_pearmut_is_read_again_with_the_same_texts(
    campaign: Campaign,
) -> None:
    task = make_task(campaign, documents=(3, 1, 2))
    read = list(
        read_test_set(
            source=InputFile(
                "campaign.json",
                BytesIO(whole(task, "texts", "pearmut-campaign")),
            ),
        ),
    )
    lines = [
        json.loads(line) for line in whole(task, "texts", "jsonl").decode().splitlines()
    ]
    assert [
        (
            each.document,
            each.number,
            each.source,
            list(each.references),
            dict(each.outputs),
        )
        for each in read
    ] == [
        (
            row["document"],
            row["segment"],
            row["source"],
            row["references"][:1],
            row["outputs"],
        )
        for row in lines
    ]
    assert "_badref" not in str(read)


def test_a_task_without_judgments_gives_a_file(campaign: Campaign) -> None:
    task = TestSetWriter(campaign, "empty", ["a", "b"]).task
    for kind, file_format in EVERY:
        if kind != "evalset":
            whole(task, kind, file_format)
    with pytest.raises(ExportRefusedError):
        whole(task, "evalset", "evalset")


@pytest.mark.thorough
def test_the_number_of_queries_does_not_grow_with_judgments() -> None:
    counts = []
    for blocks in (100, 1000):
        filling = Filling(blocks=blocks, segments=24, judges=4, is_checked=True)
        task = filled_task(make_campaign(f"of-{blocks}"), filling)
        with CaptureQueriesContext(connection) as queries:
            whole(task, "counted", "jsonl")
        counts.append(len(queries))
    assert counts[0] == counts[1]
