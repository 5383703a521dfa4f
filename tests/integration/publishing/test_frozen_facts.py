"""What a published result says went in is what all its judgments say, however cheaply it is read."""

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Block, Judgment, JudgmentNumber
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, User
from ranking.models import RankingRun
from ranking.selectors.published_results import judged_facts
from ranking.selectors.runs import latest_run
from ranking.services.published_results.publish import published_draft, result_publish
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.conftest import ranked_task
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db

BEGIN = datetime(2031, 3, 1, 9, tzinfo=UTC)
Days = tuple[date | None, date | None]


def days_of_all(writer: TestSetWriter, watermark: int, without: Sequence[str]) -> Days:
    """Return the first and last day of the judgments that count, looking at each."""
    numbered = JudgmentNumber.objects.filter(task=writer.task, number__lte=watermark)
    judgments = list(
        Judgment.objects.filter(numbered__in=numbered).select_related("block", "judge"),
    )
    replaced = {judgment.supersedes_id for judgment in judgments}
    days = [
        judgment.submitted_at.date()
        for judgment in judgments
        if judgment.pk not in replaced
        and judgment.block.control == ""
        and judgment.judge.pseudonym not in without
    ]
    return min(days, default=None), max(days, default=None)


def said(writer: TestSetWriter, watermark: int, without: Sequence[str] = ()) -> Days:
    run = RankingRun(
        task=writer.task,
        watermark=watermark,
        parameters={"excluded_judges": sorted(without)},
        result={"input": {"segments": 0}},
    )
    facts = judged_facts(run)
    first = facts["first_day"]
    last = facts["last_day"]
    if first is None or last is None:
        return None, None
    return date.fromisoformat(first), date.fromisoformat(last)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_days_are_those_of_the_judgments_that_count_at_any_watermark(
    campaign: Campaign,
    seed: int,
) -> None:
    """Some were revised, some are of checks, judges skip, come and go, and judge two test sets."""
    chance = random.Random(seed)
    writers = [TestSetWriter(campaign, name, ["A", "B"]) for name in ("one", "two")]
    now, held = BEGIN, list[tuple[TestSetWriter, str, Block, Judgment]]()
    for segment in range(1, 36):
        now += timedelta(hours=chance.choice([0, 1, 5, 20]))
        writer, judge = chance.choice(writers), chance.choice("jkl")
        if held and chance.random() < 0.35:
            place = chance.randrange(len(held))
            writer, judge, block, before = held[place]
            later = writer.judgment(judge, block, [2, 1], supersedes=before, at=now)
            held[place] = (writer, judge, block, later)
            continue
        block = writer.block(segment, ["A", "B"])
        if chance.random() < 0.2:
            writer.skip(judge, block, at=now)
            continue
        if chance.random() < 0.2:
            Block.objects.filter(pk=block.pk).update(
                control="attention",
                expected=[1, 2],
            )
        held.append(
            (writer, judge, block, writer.judgment(judge, block, [1, 2], at=now)),
        )
    for writer in writers:
        last = JudgmentNumber.objects.filter(task=writer.task).count()
        for watermark in range(last + 1):
            for without in ("", "j", "jk", "jkl"):
                expected = days_of_all(writer, watermark, without)
                assert said(writer, watermark, without) == expected, (
                    watermark,
                    without,
                )


def test_the_first_judge_may_have_revised_their_first_judgment(
    writer: TestSetWriter,
) -> None:
    block = writer.block(1, ["A", "B"])
    first = writer.judgment("j", block, [1, 2], at=BEGIN)
    writer.judgment("k", block, [1, 2], at=BEGIN + timedelta(days=2))
    writer.judgment("j", block, [2, 1], supersedes=first, at=BEGIN + timedelta(days=3))
    # The judge seen last has skipped, which is no judgment.
    writer.skip("k", writer.block(2, ["A", "B"]), at=BEGIN + timedelta(days=9))
    march = BEGIN.date().replace
    assert said(writer, 1) == (march(day=1), march(day=1))
    assert said(writer, 2) == (march(day=1), march(day=3))
    assert said(writer, 3) == (march(day=3), march(day=4))
    assert said(writer, 3, ["j"]) == (march(day=3), march(day=3))
    assert said(writer, 0) == (None, None)


@pytest.fixture
def writer(campaign: Campaign) -> TestSetWriter:
    return TestSetWriter(campaign, "one", ["A", "B"])


@pytest.mark.thorough
@pytest.mark.parametrize("size", [3, 100])
def test_segments_and_documents_are_those_the_ranking_counted(
    campaign: Campaign,
    organiser: User,
    size: int,
) -> None:
    """In several documents, or in one; also of judgments in which one system alone is ranked."""
    writer = ranked_task(campaign)
    writer.judgment("j4", writer.block(9, ["amber", "birch"]), [1, 2])
    # A reference is not ranked: nothing is compared there, and it was judged.
    writer.judgment("j1", writer.block(10, ["amber", "_ref"]), [1, 2])
    # Of another document, by a judge who is left out.
    writer.judgment("j5", writer.block(13, ["amber", "birch"]), [1, 2])
    documents_of(writer, size)
    quality_action_take(
        judge=writer.judge("j5"),
        task=writer.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None
    writer.judgment("j1", writer.block(16, ["amber", "birch"]), [1, 2])
    facts = judged_facts(run)
    assert (facts["segments"], facts["documents"]) == (10, 4 if size == 3 else 1)


def test_previewed_result_is_frozen(judged: TestSetWriter) -> None:
    draft = published_draft(task=judged.task)
    result = result_publish(task=judged.task, by=None, fingerprint=draft.fingerprint)
    assert result.content["input"] == draft.content["input"]


def test_no_judgments_are_counted(judged: TestSetWriter) -> None:
    run = latest_run(task_id=judged.task.pk)
    assert run is not None
    with CaptureQueriesContext(connection) as queries:
        judged_facts(run)
    [query] = queries
    assert "COUNT(" not in query["sql"]
