"""Reads of the pool: which HITs a judge may be lent, and which test sets are open to them."""

from collections.abc import Collection
from typing import Any, Final, Protocol, TypeAlias, TypedDict, TypeVar, Unpack

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, Exists, F, Field, OuterRef, Q, QuerySet, Subquery

from annotation.models import HIT, Assignment, HITPurpose
from annotation.models.pool import HITQuerySet
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Judge, Segment, System, SystemKind, TestSet


class JudgeAsks(TypedDict):
    """Who asks for a HIT of which test set, and the systems that they must not see."""

    judge_id: int
    test_set_id: int
    conflicts: list[int]


class HasId(Protocol):
    @property
    def id(self) -> int: ...


T = TypeVar("T", bound=HasId)
# HITs of the pool that are looked at for a judge while the planner is there.
_NEAR: Final = 1000
# Values, or what stands for them in a `PreparedQuery`.
Id: TypeAlias = int | Parameter
Ids: TypeAlias = list[int] | Parameter


def test_sets_to_plan() -> QuerySet[TestSet]:
    """Return the test sets that have texts to judge, by id."""
    with_text = Segment.objects.filter(test_set=OuterRef("pk"), number=1, source_text__isnull=False)
    return TestSet.objects.filter(Exists(with_text)).order_by("id")


def test_sets_open_to_judge(judge: Judge | OuterRef) -> QuerySet[TestSet]:
    """Return the test sets of the judge's campaign whose languages and subject they know.

    `judge` may be the judge of an outer query.
    """
    return test_sets_to_plan().filter(
        Q(campaign__judges__languages=[])
        | Q(campaign__judges__languages__contains=[F("source_language"), F("target_language")]),
        campaign__judges=judge,
        campaign__judges__expertise__contains=F("expertise"),
    )


def test_sets_to_work_on(judge: Judge) -> list[TestSet]:
    """Return the test set the judge chose, or all that are open to them. One query."""
    return chosen_or_all(list(test_sets_open_to_judge(judge)), judge.chosen_test_set_id)


def chosen_or_all(open_to_judge: list[T], chosen_id: int | None) -> list[T]:
    """Return the test set the judge chose if it is open to them, otherwise all that are."""
    return [test_set for test_set in open_to_judge if test_set.id == chosen_id] or open_to_judge


def hits_for_judge(*, judge_id: Id, test_set_id: Id, conflicts: Ids) -> HITQuerySet:
    """Return the HITs of the pool this judge may be lent, available or lent, by number.

    One scan of the index `hit_pool`: its length is that of the pool, not of the history.
    """
    return (
        HIT.objects.filter(test_set=test_set_id)
        .pooled()
        .unreserved()
        .unseen_by(judge_id)
        .excluding_systems(conflicts)
        .order_by("number")
    )


def hits_near(hits: HITQuerySet, among: HITQuerySet) -> HITQuerySet:
    """Return those of the HITs that are among the first thousand or so, by number, of `among`.

    A judge who has seen nearly all segments passes over nearly all HITs, at 0.05 ms each; the planner
    draws what suits them. `among` is the pool of one test set, or its standby.
    """
    first = among.order_by("number").values("number")[:1]
    return hits.filter(number__lt=Subquery(first) + _NEAR)


def hits_standby(*, judge_id: Id, test_set_id: Id, conflicts: Ids) -> HITQuerySet:
    """Return the HITs on standby this judge may be lent, by number."""
    return (
        HIT.objects.filter(test_set=test_set_id)
        .standby()
        .unseen_by(judge_id)
        .excluding_systems(conflicts)
        .order_by("number")
    )


def hits_reserved(*, judge_id: Id, test_set_id: Id, conflicts: Ids) -> HITQuerySet:
    """Return the HITs reserved for this judge that they may be lent, except their own repeats."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge_id)
        .incomplete()
        .exclude(purpose__in=[HITPurpose.INTRA, HITPurpose.TRAINING])
        .unseen_by(judge_id)
        .excluding_systems(conflicts)
        .order_by("number")
    )


def hits_intra(*, judge_id: int, test_set_id: int, conflicts: list[int]) -> HITQuerySet:
    """Return the planned repeats of this judge's own HITs, by number."""
    return (
        HIT.objects.filter(test_set=test_set_id, reserved_for=judge_id, purpose=HITPurpose.INTRA)
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


def _available_hits(**asked: Any) -> QuerySet[HIT, tuple[int]]:
    hits = HIT.objects.filter(test_set=asked["test_set_id"])
    near = hits_near(hits_for_judge(**asked), hits.pooled())
    pool = near.available().order_by().values_list("pk")
    reserved = hits_reserved(**asked).available().order_by().values_list("pk")
    return pool.union(reserved, all=True)[:1]


# Of the values of `JudgeAsks`, for a `PreparedQuery`.
ASKED_FIELDS: "Final[dict[str, Field[Any, Any]]]" = {
    "judge_id": BigIntegerField(),
    "test_set_id": BigIntegerField(),
    "conflicts": ArrayField(BigIntegerField()),
}
_IS_AVAILABLE = PreparedQuery("hit_is_available", _available_hits, ASKED_FIELDS)


def has_available_hit(**asks: Unpack[JudgeAsks]) -> bool:
    """Return whether a HIT is available for this judge: reserved for them, or near in the pool."""
    return _IS_AVAILABLE.row(**asks) is not None
