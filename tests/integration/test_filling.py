"""What the benchmarks are filled with could have been judged: every constraint holds."""

import pytest
from django.db import connection
from django.db.models import F

from annotation.models import Block, Exposure, Judgment, JudgmentSequence, Skip
from campaign.models import TestSet
from ranking.selectors.judged_blocks import attention_blocks, judged_blocks
from tests.factories import make_campaign
from tests.filling import Filling, filled_test_set
from tests.integration.ranking.read_by_rows import assert_same_blocks, blocks_by_rows

pytestmark = pytest.mark.usefixtures("as_owner", "db")
BLOCKS = 300


def filled(*, is_checked: bool) -> TestSet:
    campaign = make_campaign("checked" if is_checked else "quick")
    filling = Filling(blocks=BLOCKS, systems=7, segments=36, judges=5, is_checked=is_checked)
    return filled_test_set(campaign, filling)


def stored(test_set: TestSet) -> list[object]:
    """Return what is stored of judgments, with the numbers of things instead of their ids."""
    judgments = Judgment.objects.of(test_set.pk).order_by("numbered__number")
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
    for test_set in (checked, quick):
        watermark = JudgmentSequence.objects.get(test_set=test_set).last_number
        everything = Judgment.objects.of(test_set.pk)
        found = judged_blocks(test_set_id=test_set.pk, watermark=watermark)
        assert_same_blocks(found, blocks_by_rows(test_set, everything.counted(), watermark))


def test_filling_has_each_kind_of_judgment_in_its_share() -> None:
    test_set = filled(is_checked=False)
    sequence = JudgmentSequence.objects.get(test_set=test_set)
    judgments = Judgment.objects.of(test_set.pk)
    blocks = Block.objects.filter(hit__test_set=test_set)
    skips = Skip.objects.filter(block__in=blocks).count()
    assert (blocks.count(), skips) == (BLOCKS, 9)
    assert judgments.filter(supersedes__isnull=False).count() == 5
    assert sequence.last_number == judgments.count() == BLOCKS - 9 + 5
    assert blocks.filter(stands_for__isnull=False).count() == 15
    assert judgments.filter(labels__contains=[None]).count() == 0
    assert judgments.filter(labels__2__isnull=True).count() == 3
    checks = attention_blocks(test_set_id=test_set.pk, watermark=sequence.last_number)
    assert len(checks) == 3
    assert Exposure.objects.filter(segment__test_set=test_set).count() == BLOCKS
    assert judgments.filter(duration_ms__lt=F("active_ms")).count() == 0
