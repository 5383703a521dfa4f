"""Rows of files are stored on the segment they name, or refused."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Judgment
from campaign.models import Campaign, Document, Protocol, Segment, Task
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from tests.factories import make_campaign, make_task
from tests.unchanged import nothing_changes

pytestmark = pytest.mark.django_db

CASES = Path("tests/data/cases/files")
ANSWERS = CASES / "85-appraise-answers-of-another-document"
HEADER = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\n"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("museum-protocols")


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Error spans of two documents, of four segments and three."""
    ranked = make_task(campaign, systems=("birch", "grove"), identical=())
    for name, position in (("01-the-lift", 1), ("02-the-hall", 2)):
        Document.objects.filter(test_set=ranked.test_set, position=position).update(
            name=name,
        )
    return Task.objects.create(test_set=ranked.test_set, protocol=Protocol.SPANS)


def run(command: str, *paths: Path, **options: Any) -> str:
    said = StringIO()
    given = {"campaign": "museum-protocols", "test_set": "museum en-de", **options}
    call_command(command, *map(str, paths), stdout=said, stderr=StringIO(), **given)
    return said.getvalue()


def refused(command: str, *paths: Path, **options: Any) -> str:
    with nothing_changes(), pytest.raises(CommandError) as error:
        run(command, *paths, **options)
    return str(error.value)


def exported(task: Task, path: Path) -> None:
    export = requested_export(task=task, kind="texts", file_format="pearmut-campaign")
    path.write_bytes(b"".join(export_bytes(export)))


@pytest.fixture
def five_way(tmp_path: Path) -> Callable[..., Path]:
    """Write a row for each (number, document)."""

    def write(*rows: tuple[int, str]) -> Path:
        path = tmp_path / "five-way.csv"
        lines = [
            f"en,de,{number},{name},{number},ada,birch,1,grove,2\n"
            for number, name in rows
        ]
        path.write_text("".join([HEADER, *lines]), encoding="utf-8")
        return path

    return write


OTHER_DOCUMENTS = [
    (
        "s.csv",
        ('s.csv, line 1: the test set "museum en-de" has no document', "01-the-lift"),
    ),
    (
        "s2.csv",
        (
            's2.csv, line 1: the test set "museum en-de" has no document "02-nowhere"',
            "02-the-hall",
        ),
    ),
    ("s3.csv", ("the languages are cs → ar",)),
    ("s4.csv", ('has no segment 99 of the document "01-the-lift"',)),
    ("s5.jsonl", ('has no document "no-such"',)),
]


def test_answers_of_another_document_are_refused(
    task: Task,
    subtests: pytest.Subtests,
) -> None:
    for name, words in OTHER_DOCUMENTS:
        with subtests.test(name=name, words=words):
            said = refused("import_answers", ANSWERS / name, protocol="spans")
            assert all(each in said for each in words), said


def _esa(path: Path, rows: list[tuple[str, str, int]]) -> Path:
    """Write scores of documents that are named after their systems."""
    path.write_text(
        "".join(
            f"y1,{system},{number},TGT,en,de,70,{name}#{system},False,[],1795440000.5,1795440061\n"
            for system, name, number in rows
        ),
        encoding="utf-8",
    )
    return path


def test_systems_in_names_of_documents_are_dropped_and_reported(
    task: Task,
    tmp_path: Path,
) -> None:
    segments = (("01-the-lift", 2), ("02-the-hall", 6))
    rows = [(system, *segment) for system in ("birch", "grove") for segment in segments]
    report = run("import_answers", _esa(tmp_path / "esa.csv", rows), protocol="spans")
    assert "4 judgments imported" in report
    assert "names of systems at the end of names of documents (name#system)" in report
    numbers = Judgment.objects.of(task.pk).values_list(
        "block__segment__number",
        flat=True,
    )
    assert sorted(numbers) == [2, 2, 6, 6]


def test_numbers_within_a_batch_are_stored_at_places_in_documents(
    task: Task,
    tmp_path: Path,
) -> None:
    """Store two whole documents of each system, and leave out a part of one."""
    birch = [("birch", "02-the-hall", number) for number in (1, 2, 3)]
    grove = [("grove", "01-the-lift", number) for number in (4, 5, 6, 7)]
    other = [("grove", "02-the-hall", number) for number in (11, 12, 13)]
    part = [("birch", "01-the-lift", number) for number in (99, 100)]
    file = _esa(tmp_path / "esa.csv", [*birch, *grove, *other, *part])
    report = run("import_answers", file, protocol="spans")
    assert "10 judgments imported" in report
    assert (
        "outputs of documents that were split between two batches (left out)" in report
    )
    numbers = Judgment.objects.of(task.pk).values_list(
        "block__segment__number",
        flat=True,
    )
    assert sorted(numbers) == [1, 2, 3, 4, 5, 5, 6, 6, 7, 7]


def test_numbers_within_a_batch_of_a_document_of_another_length_are_refused(
    task: Task,
    tmp_path: Path,
) -> None:
    """Refuse places of three segments in a document of four: any of them may be the one that lacks."""
    rows = [("birch", "01-the-lift", number) for number in (1, 2, 3)]
    rows += [("grove", "01-the-lift", number) for number in (7, 8, 9)]
    error = refused(
        "import_answers",
        _esa(tmp_path / "esa.csv", rows),
        protocol="spans",
    )
    assert '"01-the-lift" has 3 segments in the file, and 4 in the test set' in error


def test_scores_that_wmt_released_are_stored_at_their_segments(
    task: Task,
    tmp_path: Path,
) -> None:
    Document.objects.filter(test_set=task.test_set, name="02-the-hall").update(
        name="news/hall",
    )
    segments = Segment.objects.filter(document__name="news/hall").order_by("position")
    lines = [
        {
            "doc_id": f"en-de_#_news_#_hall_#_{segment.position - 1}",
            "src_text": segment.source_text,
            "tgt_text": dict(segment.outputs.values_list("system__name", "text")),
            "scores": {"birch": [{"human": 70, "errors": [], "annotator": "y1"}]},
        }
        for segment in segments
    ]
    path = tmp_path / "wmt25-genmt-humeval.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert "3 judgments imported" in run("import_answers", path, protocol="spans")
    numbers = Judgment.objects.of(task.pk).values_list(
        "block__segment__number",
        flat=True,
    )
    assert sorted(numbers) == [5, 6, 7]
    lines[0]["src_text"] = "Quite another source."
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert "source text differs" in refused("import_answers", path, protocol="spans")


ROWS_OF_OTHERS = [
    (5, "02-the-hal", ('has no document "02-the-hal"', "02-the-hall")),
    (
        3,
        "02-the-hall",
        ('segment 3 is in the document "01-the-lift"', '"02-the-hall"'),
    ),
    (9, "02-the-hall", ("has no segment 9", "its last is 7")),
]


@pytest.mark.parametrize("protocol", ["ranking", "top"])
def test_five_way_row_of_another_document_is_refused(
    task: Task,
    five_way: Callable[..., Path],
    protocol: str,
    subtests: pytest.Subtests,
) -> None:
    # Numbers run through the test set: 5 is the first segment of its document, and not the fifth.
    Task.objects.create(test_set=task.test_set, protocol=Protocol.TOP)
    for number, name, words in ROWS_OF_OTHERS:
        with subtests.test(number=number, name=name):
            said = refused(
                "import_answers",
                five_way((5, "02-the-hall"), (number, name)),
                protocol=protocol,
            )
            assert "line 3" in said
            assert all(each in said for each in words), said


@pytest.mark.parametrize("protocol", ["ranking", "top"])
def test_only_name_in_a_file_that_is_no_document_names_the_test_set(
    task: Task,
    five_way: Callable[..., Path],
    protocol: str,
) -> None:
    Task.objects.create(test_set=task.test_set, protocol=Protocol.TOP)
    path = five_way((6, "-1"), (5, "en-de.test"), (2, "en-de.test"))
    said = run("import_answers", path, protocol=protocol)
    assert '"en-de.test", which is not a document of the test set' in said
    assert f"(2 times, first at {path}, line 3)" in said
    numbers = Judgment.objects.values_list("block__segment__number", flat=True)
    assert sorted(numbers) == [2, 5, 6]


def test_second_name_in_a_file_shows_that_the_first_is_a_document(
    task: Task,
    five_way: Callable[..., Path],
) -> None:
    said = refused(
        "import_answers",
        five_way((5, "en-de.test"), (2, "en-de.test"), (6, "02-the-hall")),
    )
    assert 'line 2: the test set "museum en-de" has no document "en-de.test"' in said


def test_rows_imported_before_show_that_a_name_is_a_document(
    task: Task,
    five_way: Callable[..., Path],
) -> None:
    run("import_answers", five_way((5, "02-the-hall")))
    said = refused("import_answers", five_way((5, "02-the-hall"), (6, "02-the-hal")))
    assert "line 3" in said


def test_minus_one_is_no_document(task: Task, five_way: Callable[..., Path]) -> None:
    assert "3 judgments" in run(
        "import_answers",
        five_way((5, "02-the-hall"), (6, "-1"), (7, "")),
    )


def test_campaign_for_pearmut_of_a_name_with_a_slash_has_an_id_without_one(
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    case = CASES / "77-pearmut-campaign-of-a-name-with-a-slash"
    named = {"campaign": campaign.slug, "name": "News en/de"}
    languages = {"source_language": "en", "target_language": "de"}
    call_command(
        "import_test_set",
        str(case),
        **named,
        **languages,
        stdout=StringIO(),
        stderr=StringIO(),
    )
    path = tmp_path / "campaign.json"
    exported(campaign.test_sets.get().tasks.get(), path)
    assert json.loads(path.read_text())["campaign_id"] == "News en-de"


def test_pearmut_log_of_an_exported_campaign_is_stored_where_it_was_judged(
    task: Task,
    tmp_path: Path,
) -> None:
    path = tmp_path / "campaign.json"
    exported(task, path)
    copy = make_campaign("copy")
    named = {
        "campaign": "copy",
        "name": "again",
        "source_language": "en",
        "target_language": "de",
    }
    call_command(
        "import_test_set",
        str(path),
        **named,
        stdout=StringIO(),
        stderr=StringIO(),
    )
    again = Task.objects.create(test_set=copy.test_sets.get(), protocol=Protocol.SPANS)
    # Documents in another order, and each judged at the place of its task.
    log = [
        {
            "user_id": "ada",
            "item_i": place,
            "item": items,
            "annotation": [
                {
                    model: {"score": 10 * place + at, "error_spans": []}
                    for model in item["tgt"]
                }
                for at, item in enumerate(items)
            ],
        }
        for place, items in enumerate(reversed(json.loads(path.read_text())["data"]))
    ]
    judged = tmp_path / "log.jsonl"
    judged.write_text("".join(json.dumps(entry) + "\n" for entry in log))
    run("import_answers", judged, protocol="spans")
    run("import_answers", judged, protocol="spans", campaign="copy", test_set="again")
    expected = {
        (source, 10 * place + at)
        for place, items in enumerate(reversed(json.loads(path.read_text())["data"]))
        for at, source in enumerate(item["src"] for item in items)
    }
    for each in (task, again):
        found = Judgment.objects.of(each.pk).values_list(
            "block__segment__source_text",
            "spansanswer__scores",
        )
        assert {(source, scores[0]) for source, scores in found} == expected
