"""What was judged and skipped before an upgrade is numbered and counted after it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from psycopg2.extras import DateTimeTZRange

from annotation.models import (
    Assignment,
    Block,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    PageChanges,
    ProblemReport,
    Skip,
    UncountedSkip,
)
from annotation.selectors.counted import counters_counted, counters_stored
from annotation.services import counters_check, judgments_number
from cells.databases import asked_by_default
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter
from tests.second_database import second_database

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = "0013_small_tables_not_analyzed"
# What the writer of rows makes beside judgments is of now.
CAMPAIGN = ("campaign", "0020_rehearsals")
# Of a migration after AFTER.
LATER_COLUMNS = "ALTER TABLE annotation_design ADD COLUMN judge_group_id bigint"
AFTER = "0016_refused_while_moving"
NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
# What the statement of then wrote beside the numbers, migration 0008 counts from them.
NUMBER = f"""
    DELETE FROM annotation_unnumberedjudgment;
    INSERT INTO annotation_judgmentnumber (judgment_id, test_set_id, number)
    SELECT id, test_set_id, row_number() OVER (PARTITION BY test_set_id ORDER BY id)
    FROM annotation_judgment;
    INSERT INTO annotation_judgmentsequence (test_set_id, last_number)
    SELECT test_set_id, max(number) FROM annotation_judgmentnumber GROUP BY 1;
    {import_module("annotation.migrations.0008_counters_of_judgments").COUNT}
"""


@pytest.fixture
def skips_before(transactional_db: None) -> Iterator[Any]:
    """Ask everything of a database with the tables of before; give its model of skips."""
    with second_database("before", is_copy=False) as other, asked_by_default(other):
        before = migrate(BEFORE)
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(LATER_COLUMNS)
        yield before.get_model("annotation", "Skip")


def migrate(to: str) -> Any:
    """Migrate to this migration of `annotation`; return the models of then."""
    return (
        MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        .migrate([("annotation", to), CAMPAIGN])
        .apps
    )


class Writer(TestSetWriter):
    """Writes what judges lent a HIT do, with the tables of before."""

    def __init__(self, name: str, skips: Any) -> None:
        super().__init__(make_campaign(name), name, ["A", "B", "C"])
        self._skips = skips

    def _done(self, judge: str, block: Block, at: datetime) -> dict[str, Any]:
        lent = {"hit": block.hit, "judge": self.judge(judge)}
        # Each at a time of its own: nobody is lent a HIT that another has.
        begin = NOON + Assignment.objects.count() * timedelta(hours=1)
        lease = DateTimeTZRange(begin, begin + timedelta(hours=1))
        row, _created = Assignment.objects.get_or_create(**lent, defaults={"lease": lease})
        return {
            "client_id": uuid4(),
            "judge_id": row.judge_id,
            "block_id": block.pk,
            "assignment_id": row.pk,
            "duration_ms": 9_000,
            "active_ms": 5_000,
            "submitted_at": at,
        }

    def judged(self, judge: str, block: Block, at: datetime, **more: Any) -> Judgment:
        labels = list(range(1, len(block.outputs) + 1))
        done = self._done(judge, block, at)
        return Judgment.objects.create(test_set=self.test_set, labels=labels, **done, **more)

    def skipped(self, judge: str, block: Block, at: datetime) -> None:
        done = self._done(judge, block, at)
        self._skips.objects.create(reason="other", created_at=done.pop("submitted_at"), **done)


def test_what_was_judged_and_skipped_is_counted_after_an_upgrade(skips_before: Any) -> None:
    minute, hour = timedelta(minutes=1), timedelta(hours=1)
    one, other = (Writer(name, skips_before) for name in ("one", "other"))
    two, three, checked, last = (
        one.block(number, names) for number, names in enumerate(["AB", "ABC", "AB", "AB"], start=1)
    )
    Block.objects.filter(pk=checked.pk).update(control="attention", expected=[1, 2])
    first = one.judged("ann", two, NOON)
    one.judged("ann", two, NOON + hour, supersedes=first)
    one.skipped("ann", three, NOON + minute)
    one.judged("ann", three, NOON + hour)  # the skip is taken back
    one.judged("ben", three, NOON)
    one.skipped("ben", three, NOON + minute)  # of another tab, too late
    one.judged("ann", checked, NOON)
    one.skipped("ben", checked, NOON)
    one.skipped("ann", last, NOON + hour)
    one.skipped("cid", two, NOON)  # who judged nothing
    of_another = other.block(1, "AB")
    other.skipped("eve", of_another, NOON)  # where nothing is judged
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(NUMBER)
    one.judged("ann", last, NOON + 2 * hour)  # has no number yet
    reported = {"test_set_id": one.test_set.pk, "judge_id": first.judge_id, "block_id": two.pk}
    ProblemReport.objects.create(client_id=uuid4(), kind="source", **reported)
    numbers = list(JudgmentNumber.objects.order_by("pk").values_list("judgment", "number"))
    assert len(numbers) == 5

    migrate(AFTER)

    assert list(JudgmentNumber.objects.order_by("pk").values_list("judgment", "number")) == numbers
    for skip in Skip.objects.select_related("block__hit"):
        assert skip.test_set_id == skip.block.hit.test_set_id
    assert not UncountedSkip.objects.exists()
    for written, skips in ((one, 2), (other, 1)):
        stored = counters_stored(test_set_id=written.test_set.pk)
        assert stored == counters_counted(test_set_id=written.test_set.pk)
        assert stored.skipped == skips
    sentences = {
        judge: sum(
            worked.sentences
            for (of, _start), worked in counters_stored(test_set_id=one.test_set.pk).worked.items()
            if of == one.judge(judge).pk
        )
        for judge in ("ann", "ben", "cid")
    }
    assert sentences == {"ann": 4, "ben": 2, "cid": 1}
    assert list(PageChanges.objects.values_list("test_set", "changes", "problem_reports")) == [
        (one.test_set.pk, 1, 1)
    ]

    # And it goes on from there.
    assert judgments_number(test_set_id=one.test_set.pk) == 6
    assert counters_check(test_set_id=one.test_set.pk) == []
    assert JudgmentSequence.objects.get(pk=one.test_set.pk).skipped == 1
    one.skip("dan", last)
    assert counters_check(test_set_id=one.test_set.pk) == []
    assert JudgmentSequence.objects.get(pk=one.test_set.pk).skipped == 2
    with pytest.raises(DatabaseError, match="not of test set"), transaction.atomic():
        one.judgment("dan", of_another, [1, 2], is_numbered=False)
