"""The five-way CSV that goes out is the one that comes in."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from annotation.models import Judgment, Skip
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.formats import read_five_way_csv
from campaign.models import Campaign, Task
from ranking.models import RankingRun
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend
from tests.exporting import exported, exported_rows
from tests.factories import make_judge, make_task

pytestmark = pytest.mark.django_db

Say = Callable[..., str]
FiveWay = Callable[..., Path]

ROWS = (
    "3 ada b=1 a,c=2 _ref=-",
    "3 ada b=1 a,c=2 _ref=-",
    "1 bob c,a=5 b=5",
    "3 bob b=2 a,c=1 _ref=1",
    "2 ada a=3 b=1 c=2",
    "2 eve a=- b=-",
)


def imported(done: Say, path: Path, name: str, campaign: str = "museum") -> Task:
    done(
        "import_answers",
        str(path),
        campaign=campaign,
        test_set=name,
        create_test_set=True,
    )
    tasks = Task.objects.select_related("test_set")
    return tasks.get(test_set__campaign__slug=campaign, test_set__name=name)


def ranked(task: Task) -> RankingRun:
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    return run


def test_export_holds_what_was_imported(
    campaign: Campaign,
    five_way: FiveWay,
    done: Say,
) -> None:
    path = five_way(*ROWS)
    task = imported(done, path, "one")
    with path.open("rb") as stream:
        read = list(read_five_way_csv(stream, path.name))
    exported = exported_rows(task)
    assert [(row.segment, row.document, row.segment_id) for row in exported] == [
        (row.segment, row.document, row.segment_id) for row in read
    ]
    assert [(row.judge, row.candidates, row.labels) for row in exported] == [
        (row.judge, row.candidates, row.labels) for row in read
    ]
    assert {
        row.system_numbers for row in exported if row.candidates == (("c", "a"), ("b",))
    } == {((3, 2), (1,))}


def test_export_imported_elsewhere_ranks_and_exports_the_same(
    campaign: Campaign,
    five_way: FiveWay,
    done: Say,
    tmp_path: Path,
) -> None:
    one = imported(done, five_way(*ROWS), "one")
    content = exported(one)
    path = tmp_path / "export.csv"
    path.write_text(content)
    Campaign.objects.create(slug="fresh", name="Fresh")
    two = imported(done, path, "another name", campaign="fresh")
    assert exported(two) == content
    assert ranked(two).result == ranked(one).result
    # And into the test set it came from it brings nothing new.
    said = done("import_answers", str(path), campaign="museum", test_set="one")
    assert "0 judgments imported, 6 already there." in said


@pytest.mark.thorough
def test_judged_campaign_exports_what_counts(
    campaign: Campaign,
    done: Say,
    tmp_path: Path,
) -> None:
    """Revisions replace what they supersede; a skip judged after all is no skip."""
    campaign.allow_partial_ranking = True
    campaign.save()
    task = make_task(campaign)
    hits_plan(task_id=task.pk, count=6)
    for name in ("ada", "bob"):
        judge = make_judge(campaign, name)
        for _ in range(2):
            assignment = assignment_lend(judge=judge)
            assert assignment is not None
            first, *others = assigned_blocks(assignment)
            skip_submit(assigned=first, client_id=uuid4(), reason="other")
            for block in (first, *others[:-1]):
                labels = [1 + place % 3 for place in range(len(block.candidates))]
                judgment_submit(
                    assigned=block,
                    client_id=uuid4(),
                    sent=SentJudgment(labels=labels),
                )
            revised = [None, *[2] * (len(first.candidates) - 1)]
            judgment_submit(
                assigned=first,
                client_id=uuid4(),
                sent=SentJudgment(labels=revised),
            )
            skip_submit(assigned=others[-1], client_id=uuid4(), reason="bad_source")
    rows = exported_rows(task)
    judged = [row for row in rows if any(row.labels)]
    numbers = list(
        Judgment.objects.current()
        .order_by("pk")
        .values_list("judge__pseudonym", flat=True),
    )
    assert [row.judge for row in judged] == numbers
    assert len(judged) == Judgment.objects.filter(supersedes__isnull=True).count()
    assert sum(row.labels[0] is None for row in judged) == 4
    assert len(rows) - len(judged) == 4 == Skip.objects.count() - 4
    assert any(len(systems) > 1 for row in rows for systems in row.candidates)

    path = tmp_path / "export.csv"
    path.write_text(exported(task))
    Campaign.objects.create(slug="fresh", name="Fresh")
    copy = imported(done, path, "copy", campaign="fresh")
    assert ranked(copy).result == ranked(task).result
