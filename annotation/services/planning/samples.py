"""Plan HITs of a sort whose judges each are given a sample of sentences of each comparison."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, Design, HITPurpose, JudgeAccount
from annotation.models.pool import HITQuerySet
from annotation.sampling.parameters import Checks
from annotation.sampling.repeats import Purpose
from annotation.selectors import conflicts_of, systems_not_lent
from annotation.selectors.comparisons import sentences_of_a_judge, sentences_taken
from annotation.selectors.pool import JudgeAsks, hits_reserved
from annotation.services.planning.batch import PlanningTransaction, SampleOfAJudge
from annotation.services.planning.for_judge import may_be_checked, segments_seen
from campaign.models import Judge, System, Task

# The HIT in hand and the one the page fetches ahead.
_HITS_FOR_A_JUDGE: Final = 2
# A HIT whose judge does not come for it is given up: what it asks is asked of others.
_KEPT_FOR: Final = timedelta(minutes=30)


@transaction.atomic
def sample_plan(*, task_id: int, judge_id: int) -> int:
    """Answer a judge who asked for work: plan HITs of their samples, unless one is available. Return their number.

    No comparison gets more sentences than the judge is to be given, those that they hold or have judged included.
    Sets `JudgeAccount.none_left_at` if nothing is left for them now.

    Locks the judge's row, then the task's HIT sequence.
    """
    # Nothing is lent to them meanwhile.
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge_id)
    task = Task.objects.get(pk=task_id)
    account = JudgeAccount.objects.filter(task=task_id, judge=judge_id)
    asks: JudgeAsks = {
        "judge_id": judge_id,
        "task_id": task_id,
        "conflicts": systems_not_lent(judge),
        "apart": task.exposed_apart,
    }
    planning = PlanningTransaction.locked(
        task_id,
        judge_id=judge_id,
        avoid=segments_seen(judge, task_id, task.exposed_apart),
        hide=System.objects.filter(pk__in=conflicts_of(judge)).values_list("name", flat=True),
        sample=SampleOfAJudge(
            judge=judge.pseudonym,
            taken=sentences_taken(judge_id=judge_id, task_id=task_id),
            most=sentences_of_a_judge(task),
        ),
    )
    is_none_left = False
    for kind in _missing(planning.design, asks):
        planned = _add(planning, judge_id, kind)
        is_none_left = is_none_left or (kind is not Checks.SOME and not planned)
    planning.store()
    account.update(requested_at=None, none_left_at=Now() if is_none_left else None)
    return len(planning.planned)


def _missing(design: Design, asks: JudgeAsks) -> list[Checks]:
    """Return the kinds of HITs that are not available for the judge: what they need most comes first."""
    available = hits_reserved(**asks).available()
    if not design.attention_every:
        return [] if available.exists() else [Checks.CHANCE]
    missing = [] if available.holding_check(holds_check=False).exists() else [Checks.NONE]
    if not available.holding_check(holds_check=True).exists() and may_be_checked(**asks):
        missing.append(Checks.SOME)
    return missing


def _add(planning: PlanningTransaction, judge_id: int, kind: Checks) -> int:
    """Plan HITs for the judge, and return their number."""
    planned = 0
    while planned < (1 if kind is Checks.SOME else _HITS_FOR_A_JUDGE):
        plan = None if planning.is_all_planned else planning.draw(kind)
        if plan is None or not plan.blocks:
            break
        planning.add(
            plan, Purpose.FIRST, reserved_for=judge_id, reserved_until=planning.now + _KEPT_FOR
        )
        planned += 1
    return planned


@transaction.atomic
def samples_give_up(*, task_id: int) -> int:
    """Withdraw HITs that no judge will take, and return their number; the comparisons in them are planned again.

    Those reserved for a judge who was not lent them in time, those whose lease ran out, and those for anybody, of before
    there were samples. One that was lent is done: what was judged of it stays.
    """
    if not _nobodys(task_id).exists():
        return 0
    planning = PlanningTransaction.locked(task_id)
    # Filtered again under the lock of each row: the judge may just have come.
    hits = list(_nobodys(task_id).select_for_update(skip_locked=True, of=("self",)))
    lent = set(
        Assignment.objects.filter(hit__in=[hit.pk for hit in hits]).values_list("hit", flat=True)
    )
    planning.withdraw([hit for hit in hits if hit.pk not in lent])
    HIT.objects.filter(pk__in=lent).update(completed_at=planning.now)
    planning.store()
    return len(hits)


def _nobodys(task_id: int) -> HITQuerySet:
    lent = Assignment.objects.filter(hit=OuterRef("pk"))
    hits: HITQuerySet = HIT.objects.filter(task=task_id, purpose__in=_POOLED)
    return hits.available().filter(
        Q(reserved_for__isnull=True) | Q(reserved_until__lte=Now()) | Exists(lent)
    )


_POOLED: Final = [HITPurpose.FIRST, HITPurpose.REDUNDANCY, HITPurpose.INTER]
