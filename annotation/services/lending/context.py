"""Lock a judge's row and read everything lending needs to know about them, in one round trip."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import JSONArray, JSONObject, Now

from annotation.models import HIT, Assignment, JudgeAccount, QualityAction, TrainingBlock
from annotation.selectors.designs import designs_in_force
from annotation.selectors.judge_status import JudgeStatus, status_from_actions
from annotation.selectors.pool import chosen_or_all, test_sets_open_to_judge
from annotation.selectors.progress import JudgeWork, work_annotations
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import ConflictOfInterest, Instructions, Judge, TestSet


@dataclass(frozen=True, slots=True)
class OpenTestSet:
    """A test set whose HITs the judge may be lent, and how many of its HITs they were lent."""

    id: int
    hits_lent: int
    intra_lent: int
    # The judge asked for work a while ago, and the planner has not answered: it is away.
    is_planner_silent: bool
    has_training: bool
    has_reserved: bool
    # From the design in force; None and 0 before there is one.
    seed: int | None
    intra_share: float
    attention_every: int


@dataclass(frozen=True, slots=True)
class LendingContext:
    """What lending knows of a judge who asks for a HIT.

    Attributes
    ----------
    now : datetime
        By the database's clock.
    judge_status : JudgeStatus
    owes_acceptance : bool
        Whether they must accept instructions first.
    lease_minutes : int
    work : JudgeWork
    conflicts : tuple of int
        Systems they must not see.
    begun : dict of UUID to int
        Assignments they hold, or held until the lease ran out, whose HITs are incomplete: public id
        to id.
    test_sets : tuple of OpenTestSet
        If the judge chose one of them, only that one, for `begun` too: other assignments end with
        their lease, or go on when the judge comes back to their test set.
    """

    now: datetime
    judge_status: JudgeStatus
    owes_acceptance: bool
    lease_minutes: int
    work: JudgeWork
    conflicts: tuple[int, ...]
    begun: dict[UUID, int]
    test_sets: tuple[OpenTestSet, ...]


_IS_SILENT: Final = ExpressionWrapper(
    Q(requested_at__lt=Now() - timedelta(seconds=10)), output_field=BooleanField()
)


def _locked(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
    return Judge.objects.select_for_update(no_key=True).filter(pk=judge_id).values_list("pk")


def _context(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
    judge = OuterRef("pk")
    actions = QualityAction.objects.in_force().filter(judge=judge)
    begun = (
        Assignment.objects.filter(judge=judge, completed_at__isnull=True)
        .filter(Q(released_at__isnull=True) | Q(hit__completed_at__isnull=True))
        .order_by("id")
    )
    annotations = {
        "now": Now(),
        "actions": ArraySubquery(actions.values("action")),
        "owes_acceptance": Exists(Instructions.objects.demanded_of(judge)),
        "conflict_ids": ArraySubquery(
            ConflictOfInterest.objects.filter(judge=judge).values("system")
        ),
        "begun": ArraySubquery(begun.values(row=JSONArray("public_id", "id", "hit__test_set"))),
        "open": ArraySubquery(_open_test_sets(judge)),
        **work_annotations(),
    }
    return (
        Judge.objects.filter(pk=judge_id)
        .annotate(**annotations)
        .values_list("campaign__lease_minutes", "chosen_test_set", *annotations)
    )


def _open_test_sets(judge: OuterRef) -> QuerySet[TestSet, Any]:
    """Return the test sets open to the judge, each as the arguments of `_open_test_set`."""
    inner, test_set = OuterRef(judge), OuterRef("pk")
    account = JudgeAccount.objects.filter(judge=inner, test_set=test_set)
    design = designs_in_force(test_set_id=test_set)
    reserved = HIT.objects.filter(reserved_for=inner, test_set=test_set).incomplete()
    arguments = JSONObject(
        id="pk",
        has_training=Exists(TrainingBlock.objects.filter(test_set=test_set)),
        has_reserved=Exists(reserved),
        lent=Subquery(account.values(row=JSONArray("hits_lent", "intra_lent", _IS_SILENT))),
        design=Subquery(design.values(row=JSONArray("seed", "intra_share", "attention_every"))),
    )
    return test_sets_open_to_judge(judge).values(row=arguments)


_CONTEXT = PreparedQuery(
    "lending_context",
    _context,
    {"judge_id": BigIntegerField()},
    first=PreparedQuery("judge_lock", _locked, {"judge_id": BigIntegerField()}),
)


def lending_context_lock(judge: Judge) -> LendingContext:
    """Lock the judge's row until the commit and return what lending needs to know about them.

    One round trip, however many test sets there are.
    """
    [(lease_minutes, chosen, *row)] = _CONTEXT.rows(judge_id=judge.pk)
    now, actions, owes_acceptance, conflicts, begun, open_sets, *work = row
    mine = chosen_or_all([_open_test_set(**each) for each in open_sets], chosen)
    if [test_set.id for test_set in mine] == [chosen]:
        begun = [each for each in begun if each[2] == chosen]
    return LendingContext(
        now=now,
        judge_status=status_from_actions(actions),
        owes_acceptance=owes_acceptance,
        lease_minutes=lease_minutes,
        work=JudgeWork.counted(*work),
        conflicts=tuple(conflicts),
        begun={UUID(public_id): assignment_id for public_id, assignment_id, _test_set in begun},
        test_sets=tuple(mine),
    )


def _open_test_set(
    *,
    lent: tuple[int, int, bool | None] | None,
    design: tuple[int, float, int] | None,
    **row: Any,
) -> OpenTestSet:
    hits_lent, intra_lent, is_silent = lent or (0, 0, False)
    seed, intra_share, attention_every = design or (None, 0.0, 0)
    return OpenTestSet(
        hits_lent=hits_lent,
        intra_lent=intra_lent,
        is_planner_silent=bool(is_silent),
        seed=seed,
        intra_share=intra_share,
        attention_every=attention_every,
        **row,
    )
