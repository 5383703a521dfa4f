"""Reads of the pool: which HITs a judge may be lent, and which test sets are open to them."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import HIT, Assignment, HITPurpose
from annotation.models.pool import HITQuerySet
from campaign.database.prepared import Statement
from campaign.models import Judge, Segment, System, SystemKind, TestSet


def test_sets_to_plan() -> QuerySet[TestSet]:
    """Return the test sets that have texts to judge, by id."""
    with_text = Segment.objects.filter(test_set=OuterRef("pk"), number=1, source_text__isnull=False)
    return TestSet.objects.filter(Exists(with_text)).order_by("id")


def test_sets_open_to_judge(judge: Judge) -> QuerySet[TestSet]:
    """Return the test sets of the judge's campaign whose languages and subject they know."""
    test_sets = test_sets_to_plan().filter(
        campaign=judge.campaign_id, expertise__contained_by=judge.expertise
    )
    if judge.languages:
        test_sets = test_sets.filter(
            source_language__in=judge.languages, target_language__in=judge.languages
        )
    return test_sets


def test_sets_to_work_on(judge: Judge) -> list[TestSet]:
    """Return the test set the judge chose, or all that are open to them. One query."""
    mine = list(test_sets_open_to_judge(judge))
    return [row for row in mine if row.pk == judge.chosen_test_set_id] or mine


def hits_for_judge(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """Return the HITs of the pool this judge may be lent, available or lent, by number.

    One scan of the index `hit_pool`: its length is that of the pool, not of the history.
    """
    return (
        HIT.objects.filter(test_set=test_set_id)
        .pooled()
        .unreserved()
        .unseen_by(judge.pk)
        .excluding_systems(conflicts)
        .order_by("number")
    )


def hits_reserved(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """Return the HITs reserved for this judge that they may be lent, except their own repeats."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge)
        .incomplete()
        .exclude(purpose__in=[HITPurpose.INTRA, HITPurpose.TRAINING])
        .unseen_by(judge.pk)
        .excluding_systems(conflicts)
        .order_by("number")
    )


def hits_intra(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> HITQuerySet:
    """Return the planned repeats of this judge's own HITs, by number."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge, purpose=HITPurpose.INTRA)
        .incomplete()
        .excluding_systems(conflicts)
        .order_by("number")
    )


def damaged_systems(test_set_id: int) -> list[int]:
    """Return the ids of the systems of a test set that are damaged references."""
    return list(
        System.objects.filter(test_set=test_set_id, kind=SystemKind.BAD_REFERENCE).values_list(
            "id", flat=True
        )
    )


def attention_due(*, judge: Judge, test_set_id: int, every: int, damaged: Collection[int]) -> bool:
    """Return whether none of the judge's last `every` − 1 HITs of the test set held an attention check.

    Training does not count. A judge with fewer HITs gets the first check with their `every`-th.
    """
    latest = (
        Assignment.objects.filter(judge=judge, hit__test_set=test_set_id)
        .exclude(hit__purpose=HITPurpose.TRAINING)
        .order_by("-ordinal")
        .values_list("hit__system_ids", flat=True)[: every - 1]
    )
    shown = list(latest)
    return len(shown) == every - 1 and not any(set(damaged).intersection(ids) for ids in shown)


def conflicts_of(judge: Judge) -> list[int]:
    """Return the ids of the systems this judge has a conflict of interest with."""
    return list(judge.conflicts.values_list("system_id", flat=True))


# Available HITs of the pool for judge `$2` of test set `$1`, without the systems `$3`: the same as
# `hits_for_judge(…).available()`. Held equal by tests/integration/annotation/test_statements.py.
POOL_CONDITION = """
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
# Available HITs reserved for the judge: the same as `hits_reserved(…).available()`.
RESERVED_CONDITION = """
    h.reserved_for_id = $2 AND h.test_set_id = $1 AND h.completed_at IS NULL
    AND h.purpose NOT IN ('intra', 'training')
    AND h.available_at <= statement_timestamp()
    AND NOT h.system_ids && $3
    AND NOT EXISTS (
        SELECT FROM annotation_exposure e
        WHERE e.judge_id = $2 AND e.segment_id = ANY (h.segment_ids) AND NOT e.is_repeat
    )
"""
# The types of `$1`, `$2` and `$3`.
CONDITION_TYPES = "bigint, bigint, bigint[]"
_IS_AVAILABLE = Statement(
    "hit_is_available",
    CONDITION_TYPES,
    f"""
    SELECT EXISTS (SELECT FROM annotation_hit h WHERE {POOL_CONDITION})
        OR EXISTS (SELECT FROM annotation_hit h WHERE {RESERVED_CONDITION})
    """,  # noqa: S608  constants alone
)


def has_available_hit(*, judge: Judge, test_set_id: int, conflicts: Collection[int]) -> bool:
    """Return whether a HIT is available for this judge: reserved for them, or in the pool."""
    found: bool = _IS_AVAILABLE.rows(test_set_id, judge.pk, list(conflicts))[0][0]
    return found
