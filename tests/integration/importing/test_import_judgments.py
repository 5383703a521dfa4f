"""`import_answers`: onto texts and without them, all or nothing, and nothing twice."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, Any

import pytest

from annotation.importing import answers as importing
from annotation.models import (
    HIT,
    Block,
    Design,
    HITSequence,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    Skip,
    SkipReason,
)
from annotation.services.notification import broker
from annotation.services.numbers import ranking_request_clear
from annotation.services.planning.pool import hits_plan
from campaign.models import Campaign, Document, Judge, Output, Segment, System, Task
from tests.factories import make_judge, make_task
from tests.outputs_shown import names_shown

pytestmark = pytest.mark.django_db

Say = Callable[..., str]
FiveWay = Callable[..., Path]

ONTO: dict[str, Any] = {"campaign": "museum", "test_set": "museum en-de"}
NEW: dict[str, Any] = {"campaign": "museum", "test_set": "new", "create_test_set": True}
ROWS = (
    "3 ada amber=1 cobalt=2 _ref=1",
    "3 bob birch,amber=4 dune=- cobalt=5",
    "5 ada dune=- cobalt=-",
    "1 ada ember=2 dune=2",
)


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign, planned=0)


@pytest.fixture
def onto(five_way: FiveWay) -> Callable[..., Path]:
    return lambda *rows, **more: five_way(
        *rows,
        languages="English,de",
        document="",
        **more,
    )


def shown(judgment: Judgment) -> list[tuple[list[str], int | None]]:
    """The systems of every candidate in shown order, with the label."""
    return list(zip(names_shown(judgment.block), judgment.labels, strict=True))


def test_rows_become_blocks_judgments_and_skips(
    task: Task,
    onto: FiveWay,
    done: Say,
) -> None:
    assert done("import_answers", str(onto(*ROWS)), **ONTO) == (
        "museum en-de · Five-way ranking: 3 judgments imported, 0 already there.\n1 skip imported."
    )
    judgments = list(Judgment.objects.order_by("numbered__number"))
    assert [judgment.numbered.number for judgment in judgments] == [1, 2, 3]
    assert [judgment.judge.pseudonym for judgment in judgments] == ["ada", "bob", "ada"]
    assert [judgment.block.segment.number for judgment in judgments] == [3, 3, 1]
    assert [shown(judgment) for judgment in judgments] == [
        [(["amber"], 1), (["cobalt"], 2), (["_ref"], 1)],
        [(["birch", "amber"], 4), (["dune"], None), (["cobalt"], 5)],
        [(["ember"], 2), (["dune"], 2)],
    ]
    assert {judgment.assignment for judgment in judgments} == {None}
    skip = Skip.objects.get()
    assert (skip.judge.pseudonym, skip.block.segment.number) == ("ada", 5)
    assert skip.reason == SkipReason.NOT_STATED
    assert set(Judge.objects.values_list("origin", flat=True)) == {"imported"}
    assert JudgmentSequence.objects.get(task=task).last_number == 3


def test_imported_hits_are_done_and_their_design_says_so(
    task: Task,
    onto: FiveWay,
    done: Say,
) -> None:
    hits_plan(task_id=task.pk, count=2)
    planned = HITSequence.objects.get(task=task).last_number
    done("import_answers", str(onto(*ROWS)), **ONTO)
    design = Design.objects.get(kind=Design.Kind.IMPORTED)
    imported = HIT.objects.filter(design=design).order_by("number")
    # One of each judge, with their blocks in the order of the file.
    assert list(imported.values_list("number", flat=True)) == [planned + 1, planned + 2]
    blocks = Block.objects.filter(hit__in=imported).order_by("hit__number", "position")
    assert list(blocks.values_list("hit__number", "position", "segment__number")) == [
        (planned + 1, 1, 3),
        (planned + 1, 2, 5),
        (planned + 1, 3, 1),
        (planned + 2, 1, 3),
    ]
    assert not imported.filter(completed_at__isnull=True).exists()
    # The next HIT that is drawn gets a number of its own.
    assert hits_plan(task_id=task.pk, count=1) == 1
    assert (
        HIT.objects.exclude(design=design).order_by("-number")[0].number == planned + 3
    )


def test_same_file_again_doubles_nothing(task: Task, onto: FiveWay, done: Say) -> None:
    path = str(onto(*ROWS, ROWS[0], ROWS[2]))
    assert "4 judgments imported, 0 already" in done("import_answers", path, **ONTO)
    before = list(Judgment.objects.order_by("id").values())
    assert "0 judgments imported, 6 already" in done("import_answers", path, **ONTO)
    assert list(Judgment.objects.order_by("id").values()) == before
    assert (HIT.objects.count(), Block.objects.count()) == (2, 6)


def test_longer_file_adds_only_what_is_new(
    task: Task,
    onto: FiveWay,
    done: Say,
) -> None:
    done("import_answers", str(onto(*ROWS)), **ONTO)
    # Another order, one row more, and one row a second time.
    longer = onto(*reversed(ROWS), "7 eve amber=1 dune=2", ROWS[0], name="longer.csv")
    said = done("import_answers", str(longer), **ONTO)
    assert "2 judgments imported, 4 already there." in said
    assert "1 row is an exact repeat" in said
    assert list(JudgmentNumber.objects.order_by("number").values_list("number", flat=True)) == [
        1, 2, 3, 4, 5,
    ]  # fmt: skip


def test_without_texts_the_task_is_made_of_the_judgments(
    campaign: Campaign,
    five_way: FiveWay,
    done: Say,
) -> None:
    path = five_way(*ROWS, languages="Czech,eng")
    said = done("import_answers", str(path), **NEW)
    task = Task.objects.get()
    assert said.startswith("new · Five-way ranking: 3 judgments imported")
    assert (task.test_set.source_language, task.test_set.target_language) == (
        "cs",
        "en",
    )
    assert list(Segment.objects.values_list("number", "position", "source_text")) == [
        (1, 1, None),
        (3, 3, None),
        (5, 5, None),
    ]
    assert list(Document.objects.values_list("name", flat=True)) == ["doc"]
    assert dict(System.objects.values_list("name", "kind")) == {
        "amber": "system",
        "birch": "system",
        "cobalt": "system",
        "dune": "system",
        "ember": "system",
        "_ref": "reference",
    }
    assert set(Output.objects.values_list("text", flat=True)) == {None}
    # Those that were shown: three, three more of which one again, two, two.
    assert Output.objects.count() == 3 + 2 + 2 + 2


@pytest.mark.thorough
def test_several_language_pairs_want_a_choice(
    campaign: Campaign,
    five_way: FiveWay,
    done: Say,
    refused: Say,
) -> None:
    czech = str(five_way(*ROWS, name="cs.csv", languages="Czech,English"))
    spanish = str(five_way("1 ada x=1 y=2", name="es.csv", languages="Spanish,English"))
    assert refused("import_answers", czech, spanish, **NEW) == (
        "the input contains several language pairs: Czech → English (4), Spanish → English (1). "
        "What to do: choose a source and target language; each pair becomes its own test set."
    )
    said = done("import_answers", czech, spanish, source="spa", target="en", **NEW)
    assert "1 judgments imported" in said
    assert set(System.objects.values_list("name", flat=True)) == {"x", "y"}
    assert "no judgments of de → en" in refused(
        "import_answers",
        czech,
        source="de",
        target="en",
        **NEW | {"test_set": "newer"},
    )


def test_rows_of_other_languages_are_refused_or_left_out(
    task: Task,
    onto: FiveWay,
    five_way: FiveWay,
    done: Say,
    refused: Say,
) -> None:
    czech = five_way(
        "3 ada amber=1 cobalt=2",
        name="cs.csv",
        languages="Czech,de",
        document="",
    )
    said = refused("import_answers", str(onto(*ROWS)), str(czech), **ONTO)
    assert said.startswith(
        f'{czech}, line 2: the languages are Czech → de, those of the test set "museum en-de" en → de.',
    )
    foreign = five_way(
        "3 ada unknown=1 cobalt=2",
        name="cs.csv",
        languages="Czech,de",
        document="",
    )
    said = done(
        "import_answers",
        str(onto(*ROWS)),
        str(foreign),
        source="English",
        target="ger",
        **ONTO,
    )
    assert "3 judgments imported" in said


INVALID_ROWS = [
    (
        "3 eve amber=1 zinc=2",
        (
            "line 6: the system zinc is unknown. What to do: "
            "correct the name, or add the system first; "
            "the test set has _ref, amber, birch, cobalt, dune, ember, fjord."
        ),
    ),
    (
        "8 eve amber=1 dune=2",
        ('line 6: the test set "museum en-de" has no segment 8; its last is 7.'),
    ),
    ("3 eve amber=1 dune=6", "the rank '6' is not 1, 2, 3, 4, 5 or -1"),
    ("3 eve amber=1 amber=2", "the system amber appears twice in the block"),
    (
        "x eve amber=1 dune=2",
        "the segment number 'x' is not a whole number of 1 or more",
    ),
    (f"3 {'e' * 101} amber=1 dune=2", "is longer than 100 characters"),
]


def test_invalid_file_is_named_and_nothing_is_stored(
    task: Task,
    onto: FiveWay,
    refused: Say,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    monkeypatch.setattr(importing, "_BATCH", 2)  # the error comes with the third
    for row, said in INVALID_ROWS:
        with subtests.test(row=row, said=said):
            path = onto(*ROWS, row)
            message = refused("import_answers", str(path), **ONTO)
            assert message.startswith(f"{path}, line 6")
            assert said in message


@pytest.mark.thorough
def test_files_are_closed_before_the_error_is_seen(
    task: Task,
    onto: FiveWay,
    refused: Say,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = onto(*ROWS, "3 ada amber=1 dune=2", "99 eve amber=1 dune=2")
    opened: list[IO[bytes]] = []
    whole_open = Path.open

    # Named like the method, by which the reading process finds it.
    @wraps(whole_open)
    def watched(self: Path, mode: str = "r", **options: Any) -> IO[Any]:
        stream = whole_open(self, mode, **options)
        opened.append(getattr(stream, "raw", stream))
        return stream

    monkeypatch.setattr(Path, "open", watched)
    monkeypatch.setattr(importing, "_BATCH", 1)
    refused("import_answers", str(path), **ONTO)
    refused("import_answers", str(path), **ONTO | {"test_set": "old"})
    refused("import_answers", str(path), create_test_set=True, **ONTO)
    assert opened
    assert all(stream.closed for stream in opened)


def test_judges_of_the_campaign_are_not_taken_for_those_of_a_file(
    task: Task,
    onto: FiveWay,
    refused: Say,
) -> None:
    """Their exported judgments, imported again, would otherwise count twice."""
    make_judge(task.test_set.campaign, "bob")
    said = refused("import_answers", str(onto(*ROWS)), **ONTO)
    assert (
        '.csv, line 3: the judge "bob" was not imported but takes part in this campaign'
        in said
    )


@pytest.mark.django_db(transaction=True)
def test_ranking_is_requested_on_commit(
    task: Task,
    onto: FiveWay,
    done: Say,
    refused: Say,
) -> None:
    def told() -> int:
        return int(broker().llen("ranking"))

    before = told()
    refused("import_answers", str(onto(*ROWS, "99 x amber=1 dune=2")), **ONTO)
    assert told() == before
    done("import_answers", str(onto(*ROWS)), **ONTO)
    assert told() == before + 1
    ranking_request_clear(task_id=task.pk)
    done("import_answers", str(onto(*ROWS)), **ONTO)
    assert told() == before + 1
