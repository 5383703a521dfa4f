import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import HIT, Assignment
from annotation.models.pool import HITQuerySet
from campaign.database.prepared import Statement, columns_of, instance_from
from campaign.models import Judge, Segment, System, TestSet


def test_sets_to_plan() -> QuerySet[TestSet]:
    """Test sets that have texts to judge, in a fixed order."""
    with_text = Segment.objects.filter(test_set=OuterRef("pk"), number=1, source_text__isnull=False)
    return TestSet.objects.filter(Exists(with_text)).order_by("id")


def test_sets_open_to_judge(judge: Judge) -> QuerySet[TestSet]:
    """Those of the judge's campaign whose two languages they read and whose subject they know."""
    test_sets = test_sets_to_plan().filter(
        campaign=judge.campaign_id, expertise__contained_by=judge.expertise
    )
    if judge.languages:
        test_sets = test_sets.filter(
            source_language__in=judge.languages, target_language__in=judge.languages
        )
    return test_sets


def test_sets_to_work_on(judge: Judge) -> list[TestSet]:
    """The test set the judge chose, or all that are open to them. One query."""
    mine = list(test_sets_open_to_judge(judge))
    return [row for row in mine if row.pk == judge.chosen_test_set_id] or mine


def hits_for_judge(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """What of the pool this judge may be lent, waiting or not, by number.

    One walk over the index `hit_pool`: as long as the pool, however many HITs there are.
    """
    return (
        HIT.objects.filter(test_set=test_set_id)
        .pooled()
        .for_anybody()
        .unseen_by(judge.pk)
        .without(conflicts)
        .order_by("number")
    )


def hits_reserved(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """What is kept for this judge and still suits them, repeats of their own aside."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge)
        .open()
        .exclude(purpose__in=[HIT.Purpose.INTRA, HIT.Purpose.TRAINING])
        .unseen_by(judge.pk)
        .without(conflicts)
        .order_by("number")
    )


def hits_intra(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """The judge's own HITs that wait to be judged by them again."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge, purpose=HIT.Purpose.INTRA)
        .open()
        .without(conflicts)
        .order_by("number")
    )


def damaged_systems(test_set_id: int) -> list[int]:
    """The systems of a test set that are damaged references."""
    return list(
        System.objects.filter(test_set=test_set_id, kind=System.Kind.BAD_REFERENCE).values_list(
            "id", flat=True
        )
    )


def attention_due(*, judge: Judge, test_set_id: int, every: int, damaged: Collection[int]) -> bool:
    """Whether none of the judge's last `every` − 1 HITs of the test set held an attention check.

    Training aside. A judge who was lent fewer waits for the first until their `every`-th HIT.
    """
    latest = (
        Assignment.objects.filter(judge=judge, hit__test_set=test_set_id)
        .exclude(hit__purpose=HIT.Purpose.TRAINING)
        .order_by("-ordinal")
        .values_list("hit__system_ids", flat=True)[: every - 1]
    )
    shown = list(latest)
    return len(shown) == every - 1 and not any(set(damaged).intersection(ids) for ids in shown)


def conflicts_of(judge: Judge) -> list[int]:
    """Systems of which this judge must see nothing."""
    return list(judge.conflicts.values_list("system_id", flat=True))


# What of the pool lies ready for judge `$2` of test set `$1`, showing nothing by the systems `$3`:
# the same as `hits_for_judge(…).waiting()`.
_POOL = """
    h.test_set_id = $1 AND h.completed_at IS NULL
    AND h.purpose IN ('first', 'redundancy', 'inter')
    AND (h.reserved_for_id IS NULL OR h.reserved_until <= statement_timestamp())
    AND h.available_at <= statement_timestamp()
    AND NOT h.system_ids && $3
    AND NOT EXISTS (
        SELECT FROM annotation_exposure e
        WHERE e.judge_id = $2 AND e.segment_id = ANY (h.segment_ids) AND NOT e.is_repeat
    )
"""
# The same of what is kept for the judge: `hits_reserved(…).waiting()`.
_RESERVED = """
    h.reserved_for_id = $2 AND h.test_set_id = $1 AND h.completed_at IS NULL
    AND h.purpose NOT IN ('intra', 'training')
    AND h.available_at <= statement_timestamp()
    AND NOT h.system_ids && $3
    AND NOT EXISTS (
        SELECT FROM annotation_exposure e
        WHERE e.judge_id = $2 AND e.segment_id = ANY (h.segment_ids) AND NOT e.is_repeat
    )
"""
_SUITS = "bigint, bigint, bigint[]"
_IS_WAITING = Statement(
    "work_is_waiting",
    _SUITS,
    f"""
    SELECT EXISTS (SELECT FROM annotation_hit h WHERE {_POOL})
        OR EXISTS (SELECT FROM annotation_hit h WHERE {_RESERVED})
    """,  # noqa: S608  constants alone
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A HIT for a judge, locked until the commit.

    `is_last` says that no other will lie ready for them after it; None where nobody looked.
    """

    hit: HIT
    is_last: bool | None = None


@cache
def _take(name: str, condition: str, rest: str) -> Statement:
    """`rest`: whether there is a further HIT `h` for the judge once they have `taken`."""
    return Statement(
        name,
        _SUITS,
        f"""
        WITH taken AS (
            SELECT h.* FROM annotation_hit h WHERE {condition}
            ORDER BY h.number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        )
        SELECT NOT ({rest}), {columns_of(HIT, "taken")} FROM taken
        """,  # noqa: S608  constants alone
    )


# The judge will have seen the segments of the one taken.
_ANOTHER = "NOT h.segment_ids && taken.segment_ids"
# Those before it are not for this judge, or are just being lent to others.
_FURTHER = f"h.number > taken.number AND {_ANOTHER}"


def hit_from_pool(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> Taken | None:
    """The first of the pool that lies ready for this judge, of whom nothing is kept."""
    rest = f"EXISTS (SELECT FROM annotation_hit h WHERE {_POOL} AND {_FURTHER})"
    return _taken(_take("hit_from_pool", _POOL, rest), judge, test_set_id, conflicts)


def hit_reserved(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> Taken | None:
    """The first that is kept for this judge and ready."""
    rest = (
        f"EXISTS (SELECT FROM annotation_hit h WHERE {_RESERVED} AND {_FURTHER}) "  # noqa: S608
        f"OR EXISTS (SELECT FROM annotation_hit h WHERE {_POOL} AND {_ANOTHER})"
    )
    return _taken(_take("hit_reserved", _RESERVED, rest), judge, test_set_id, conflicts)


def _taken(
    statement: Statement, judge: Judge, test_set_id: int, conflicts: Collection[int]
) -> Taken | None:
    found = statement.row(test_set_id, judge.pk, list(conflicts))
    if found is None:
        return None
    is_last, *row = found
    hit = instance_from(HIT, row)
    hit.why = json.loads(hit.why)
    hit.plan = None if hit.plan is None else json.loads(hit.plan)
    return Taken(hit, is_last)


def has_work_waiting(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> bool:
    """Whether a HIT lies ready for this judge."""
    waiting: bool = _IS_WAITING.rows(test_set_id, judge.pk, list(conflicts))[0][0]
    return waiting
