"""What the benchmarks are filled with could have been judged: every constraint holds."""

import pytest
from django.db import connection
from django.db.models import F

from annotation.models import Block, Exposure, Judgment, JudgmentSequence, Skip
from campaign.models import Task
from ranking.selectors.judged_blocks import attention_blocks, judged_blocks
from tests.factories import make_campaign
from tests.filling import Filling, filled_task
from tests.integration.ranking.read_by_rows import assert_same_blocks, blocks_by_rows

pytestmark = pytest.mark.usefixtures("as_owner", "db")
BLOCKS = 300


def filled(*, is_checked: bool) -> Task:
    campaign = make_campaign("checked" if is_checked else "quick")
    filling = Filling(blocks=BLOCKS, systems=7, segments=36, judges=5, is_checked=is_checked)
    return filled_task(campaign, filling)


def stored(task: Task) -> list[object]:
    """Return what is stored of judgments, with the numbers of things instead of their ids."""
    judgments = Judgment.objects.of(task.pk).order_by("numbered__number")
    rows = judgments.values_list(
        "numbered__number",
        "judge__pseudonym",
        "block__hit__number",
        "block__segment__number",
        "block__position",
        "block__control",
        "block__stands_for",
        "labels",
        "supersedes__numbered__number",
        "assignment__ordinal",
        "active_ms",
    )
    return list(rows)


def test_filling_past_triggers_stores_what_triggers_let_pass() -> None:
    with connection.cursor() as cursor:
        checked = filled(is_checked=True)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    quick = filled(is_checked=False)
    assert stored(quick) == stored(checked)
    for task in (checked, quick):
        watermark = JudgmentSequence.objects.get(task=task).last_number
        everything = Judgment.objects.of(task.pk)
        found = judged_blocks(task_id=task.pk, watermark=watermark)
        assert_same_blocks(found, blocks_by_rows(task, everything.counted(), watermark))


def test_filling_has_each_kind_of_judgment_in_its_share() -> None:
    task = filled(is_checked=False)
    sequence = JudgmentSequence.objects.get(task=task)
    judgments = Judgment.objects.of(task.pk)
    blocks = Block.objects.filter(hit__task=task)
    skips = Skip.objects.filter(block__in=blocks).count()
    assert (blocks.count(), skips) == (BLOCKS, 9)
    assert judgments.filter(supersedes__isnull=False).count() == 5
    assert sequence.last_number == judgments.count() == BLOCKS - 9 + 5
    assert blocks.filter(stands_for__isnull=False).count() == 15
    assert judgments.filter(labels__contains=[None]).count() == 0
    assert judgments.filter(labels__2__isnull=True).count() == 3
    checks = attention_blocks(task_id=task.pk, watermark=sequence.last_number)
    assert len(checks) == 3
    assert Exposure.objects.filter(segment__test_set=task.test_set_id).count() == BLOCKS
    assert judgments.filter(duration_ms__lt=F("active_ms")).count() == 0
