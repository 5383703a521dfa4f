"""Plan HITs for one judge: if none is available to them, and repeats of their own HITs."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, Design, Exposure, HITPurpose, JudgeAccount
from annotation.sampling.repeats import (
    Purpose,
    intra_due,
    intra_offset,
    intra_original,
    repeated,
)
from annotation.selectors import conflicts_of, has_available_hit
from annotation.selectors.planned import judge_history, plans_read
from annotation.services.planning.batch import PlanningTransaction
from campaign.models import Judge, Segment, System

# The HIT in hand and the one the page fetches ahead.
_HITS_FOR_A_JUDGE: Final = 2
# Consecutive draws without anything to rank, after which a judge is told that no work is left.
_EMPTY_DRAWS_ALLOWED: Final = 50
# A HIT drawn for a judge who does not come for it becomes available to others.
_RESERVED_FOR: Final = timedelta(minutes=30)
# A repeat of their own HIT is of no use to others: it is reserved longer, then withdrawn.
_REPEAT_KEPT_FOR: Final = timedelta(days=1)
# Repeats are planned this many HITs before they come due.
_HITS_AHEAD: Final = 3


@transaction.atomic
def judge_plan(*, test_set_id: int, judge_id: int) -> int:
    """Plan HITs of segments this judge has not seen, unless one is available; return their number.

    Answers the judge's request in any case: sets `JudgeAccount.none_left_at` if none was left.
    """
    judge = Judge.objects.get(pk=judge_id)
    conflicts = conflicts_of(judge)
    account = JudgeAccount.objects.filter(test_set=test_set_id, judge=judge_id)
    if has_available_hit(judge_id=judge_id, test_set_id=test_set_id, conflicts=conflicts):
        account.update(requested_at=None, none_left_at=None)
        return 0
    planning = PlanningTransaction.locked(
        test_set_id,
        judge_id=judge_id,
        avoid=_seen(judge, test_set_id),
        hide=System.objects.filter(pk__in=conflicts).values_list("name", flat=True),
    )
    firsts = _firsts_add(planning, judge_id)
    planning.store()
    account.update(requested_at=None, none_left_at=None if firsts else Now())
    return len(planning.planned)


def _firsts_add(planning: PlanningTransaction, judge_id: int) -> int:
    """Plan first HITs for one judge with the copies the design asks for; return their number."""
    empty_draws = firsts = 0
    while firsts < _HITS_FOR_A_JUDGE and empty_draws < _EMPTY_DRAWS_ALLOWED:
        # An available HIT that this judge may not be lent is given up for one that they may be.
        spare = _spare(planning) if planning.is_all_planned else None
        if planning.is_all_planned and spare is None:
            break
        plan = planning.draw()
        if plan is None:
            break
        if not plan.blocks:
            empty_draws += 1
            continue
        firsts += 1
        planning.add(
            plan,
            Purpose.FIRST,
            reserved_for=judge_id,
            reserved_until=planning.now + _RESERVED_FOR,
        )
        planning.copies_add()
        if spare is not None:
            # Only as the last step of a batch: later draws would not follow from what is recorded.
            planning.withdraw(spare)
            break
    return firsts


def _spare(planning: PlanningTransaction) -> HIT | None:
    """Lock and return the latest available HIT that was never lent and that no HIT repeats.

    Those on standby come first: nobody waits for them.
    """
    hits = HIT.objects.filter(
        test_set=planning.test_set, purpose=HITPurpose.FIRST, reserved_for__isnull=True
    )
    for each in (hits.standby(), hits.pooled()):
        spare: HIT | None = (
            each.available()
            .filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))))
            .filter(~Exists(HIT.objects.filter(repeats=OuterRef("pk"))))
            .order_by("-number")
            .select_for_update(skip_locked=True)
            .first()
        )
        if spare is not None:
            return spare
    return None


def _seen(judge: Judge, test_set_id: int) -> set[int]:
    """Return the numbers of the segments the judge has seen, or that are in HITs reserved for them."""
    seen = set(
        Exposure.objects.filter(judge=judge, segment__test_set=test_set_id).values_list(
            "segment__number", flat=True
        )
    )
    hits = HIT.objects.filter(test_set=test_set_id, reserved_for=judge).incomplete()
    reserved = {segment for ids in hits.values_list("segment_ids", flat=True) for segment in ids}
    seen.update(Segment.objects.filter(pk__in=reserved).values_list("number", flat=True))
    return seen


def judges_to_repeat(*, test_set_id: int, design: Design) -> list[int]:
    """Return the ids of active judges for whom a repeat comes due soon and none is planned."""
    planned = HIT.objects.filter(
        test_set=test_set_id, purpose=HITPurpose.INTRA, reserved_for__isnull=False
    ).incomplete()
    accounts = (
        JudgeAccount.objects.filter(
            test_set=test_set_id, last_lent_at__gte=Now() - _REPEAT_KEPT_FOR
        )
        .exclude(judge__in=planned.values("reserved_for"))
        .order_by("last_lent_at")
        .select_related("judge")
    )
    return [
        account.judge_id
        for account in accounts
        if intra_due(
            judge_hits=account.hits_lent + _HITS_AHEAD,
            intra_hits=account.intra_lent,
            share=design.intra_share,
            offset=intra_offset(seed=design.seed, judge=account.judge.pseudonym),
        )
    ]


@transaction.atomic
def intra_plan(*, test_set_id: int, judge_id: int) -> int:
    """Plan the next repeat of one of this judge's HITs; return 1, or 0 if none is far enough back."""
    history, hit_ids = judge_history(judge_id=judge_id, test_set_id=test_set_id)
    planning = PlanningTransaction.locked(test_set_id, judge_id=judge_id)
    number = intra_original(
        history, repeat_gap=planning.parameters.repeat_gap, seed=planning.parameters.seed
    )
    planned = HIT.objects.filter(
        test_set=test_set_id, reserved_for=judge_id, purpose=HITPurpose.INTRA
    )
    # Checked under the lock: another worker may have planned one, or an organiser changed the
    # design. A design without repeats must have none: what judges may look at depends on it.
    if not planning.parameters.intra_share or planned.incomplete().exists():
        return 0
    if number is None or planning.is_all_planned:
        return 0
    original = plans_read([hit_ids[number]])[hit_ids[number]]
    if not planning.quota.allows(original):
        return 0
    plan = repeated(
        original,
        seed=planning.parameters.seed,
        number=planning.number_next(),
        purpose=Purpose.INTRA,
    )
    root = HIT.objects.select_related("repeats").get(pk=hit_ids[number])
    first = root.repeats or root
    planning.stored_ids[first.number] = first.pk
    planning.add(
        plan,
        Purpose.INTRA,
        repeats=first.number,
        reserved_for=judge_id,
        reserved_until=planning.now + _REPEAT_KEPT_FOR,
    )
    planning.store()
    return 1


@transaction.atomic
def reservations_withdraw(*, test_set_id: int) -> int:
    """Withdraw repeats their judge has not come for, and return their number.

    Their blocks may then be planned for others.
    """
    stale = (
        HIT.objects.filter(
            test_set=test_set_id, purpose=HITPurpose.INTRA, reserved_until__lte=Now()
        )
        .available()
        .filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))))
    )
    if not stale.exists():
        return 0
    planning = PlanningTransaction.locked(test_set_id)
    # Filtered again under the lock of each row: the judge may just have come.
    hits = list(stale.select_for_update(skip_locked=True))
    for hit in hits:
        planning.withdraw(hit)
    planning.store()
    return len(hits)
