"""HITs for one judge: where the pool holds nothing for them, and repeats of their own."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, Design, Exposure, JudgeAccount
from annotation.sampling.repeats import (
    Purpose,
    intra_due,
    intra_offset,
    intra_original,
    repeated,
)
from annotation.selectors import conflicts_of, has_available_hit
from annotation.selectors.planned import judge_history, plans_read
from annotation.services.planning.batch import Planner
from campaign.models import Judge, Segment, System

# The HIT in hand and the one the page fetches ahead.
_HITS_FOR_A_JUDGE: Final = 2
# Draws in a row without anything to rank, before a judge is told that there is nothing.
_EMPTY_DRAWS_ALLOWED: Final = 50
# A judge who does not come for what was drawn for them leaves it to others.
_RESERVED_FOR: Final = timedelta(minutes=30)
# A repeat of their own suits nobody else: it is kept longer, then given up.
_REPEAT_KEPT_FOR: Final = timedelta(days=1)
# Repeats are drawn this many HITs before they come due.
_HITS_AHEAD: Final = 3


@transaction.atomic
def judge_plan(*, test_set_id: int, judge_id: int) -> int:
    """Plan HITs of segments this judge has not seen, unless some lie ready; how many came.

    Answers the request of the judge in any case: `JudgeAccount.none_left_at` says that none was left.
    """
    judge = Judge.objects.get(pk=judge_id)
    conflicts = conflicts_of(judge)
    account = JudgeAccount.objects.filter(test_set=test_set_id, judge=judge_id)
    if has_available_hit(judge=judge, test_set_id=test_set_id, conflicts=conflicts):
        account.update(requested_at=None, none_left_at=None)
        return 0
    planner = Planner.locked(
        test_set_id,
        judge_id=judge_id,
        avoid=_seen(judge, test_set_id),
        hide=System.objects.filter(pk__in=conflicts).values_list("name", flat=True),
    )
    firsts = _firsts_add(planner, judge_id)
    planner.store()
    account.update(requested_at=None, none_left_at=None if firsts else Now())
    return len(planner.planned)


def _firsts_add(planner: Planner, judge_id: int) -> int:
    """First HITs for one judge, and what the design wants of each; how many."""
    empty_draws = firsts = 0
    while firsts < _HITS_FOR_A_JUDGE and empty_draws < _EMPTY_DRAWS_ALLOWED:
        # What waits and does not suit this judge may wait in vain: this judge is here.
        spare = _spare(planner) if planner.is_all_planned else None
        if planner.is_all_planned and spare is None:
            break
        plan = planner.draw()
        if plan is None:
            break
        if not plan.blocks:
            empty_draws += 1
            continue
        firsts += 1
        planner.add(
            plan,
            Purpose.FIRST,
            reserved_for=judge_id,
            reserved_until=planner.now + _RESERVED_FOR,
        )
        _copies_add(planner)
        if spare is not None:
            # The last of its batch, or what is drawn after it would not follow from the record.
            planner.give_back(spare)
            break
    return firsts


def _spare(planner: Planner) -> HIT | None:
    """The latest HIT that waits for anybody, was never lent and is repeated by none; locked."""
    return (
        HIT.objects.filter(
            test_set=planner.test_set, purpose=HIT.Purpose.FIRST, reserved_for__isnull=True
        )
        .pooled()
        .waiting()
        .filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))))
        .filter(~Exists(HIT.objects.filter(repeats=OuterRef("pk"))))
        .order_by("-number")
        .select_for_update(skip_locked=True)
        .first()
    )


def _copies_add(planner: Planner) -> None:
    """The copies for other judges that the design asks for of every first HIT."""
    first = planner.planned[-1].plan
    for _copy in range(planner.parameters.redundancy - 1):
        copy = repeated(
            first,
            seed=planner.parameters.seed,
            number=planner.number_next(),
            purpose=Purpose.REDUNDANCY,
        )
        planner.add(copy, Purpose.REDUNDANCY, repeats=first.number)


def _seen(judge: Judge, test_set_id: int) -> set[int]:
    """Numbers of the segments that the judge was sent, and of those that wait for them."""
    seen = set(
        Exposure.objects.filter(judge=judge, segment__test_set=test_set_id).values_list(
            "segment__number", flat=True
        )
    )
    kept = HIT.objects.filter(test_set=test_set_id, reserved_for=judge).open()
    waiting = {segment for ids in kept.values_list("segment_ids", flat=True) for segment in ids}
    seen.update(Segment.objects.filter(pk__in=waiting).values_list("number", flat=True))
    return seen


def judges_to_repeat(*, test_set_id: int, design: Design) -> list[int]:
    """Judges at work for whom a repeat of their own comes due soon and none is planned."""
    waiting = HIT.objects.filter(
        test_set=test_set_id, purpose=HIT.Purpose.INTRA, reserved_for__isnull=False
    ).open()
    accounts = (
        JudgeAccount.objects.filter(
            test_set=test_set_id, last_lent_at__gte=Now() - _REPEAT_KEPT_FOR
        )
        .exclude(judge__in=waiting.values("reserved_for"))
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
    """Plan the next repeat of a HIT of this judge's own, if one is far enough back; 1 or 0."""
    history, hit_ids = judge_history(judge_id=judge_id, test_set_id=test_set_id)
    planner = Planner.locked(test_set_id, judge_id=judge_id)
    number = intra_original(
        history, repeat_gap=planner.parameters.repeat_gap, seed=planner.parameters.seed
    )
    waiting = HIT.objects.filter(
        test_set=test_set_id, reserved_for=judge_id, purpose=HIT.Purpose.INTRA
    )
    # Looked at under the lock: another worker may have been here, or an organiser. What a judge may
    # look at goes by the design of the HITs they hold, so that one without repeats has none.
    if not planner.parameters.intra_share or waiting.open().exists():
        return 0
    if number is None or planner.is_all_planned:
        return 0
    original = plans_read([hit_ids[number]])[hit_ids[number]]
    if not planner.quota.allows(original):
        return 0
    plan = repeated(
        original,
        seed=planner.parameters.seed,
        number=planner.number_next(),
        purpose=Purpose.INTRA,
    )
    root = HIT.objects.select_related("repeats").get(pk=hit_ids[number])
    first = root.repeats or root
    planner.stored_ids[first.number] = first.pk
    planner.add(
        plan,
        Purpose.INTRA,
        repeats=first.number,
        reserved_for=judge_id,
        reserved_until=planner.now + _REPEAT_KEPT_FOR,
    )
    planner.store()
    return 1


@transaction.atomic
def reservations_withdraw(*, test_set_id: int) -> int:
    """Give up repeats for which their judge has not come, so that their blocks go to others."""
    stale = (
        HIT.objects.filter(
            test_set=test_set_id, purpose=HIT.Purpose.INTRA, reserved_until__lte=Now()
        )
        .waiting()
        .filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))))
    )
    if not stale.exists():
        return 0
    planner = Planner.locked(test_set_id)
    # Looked at again under the lock of each: the judge may just have come.
    hits = list(stale.select_for_update(skip_locked=True))
    for hit in hits:
        planner.give_back(hit)
    planner.store()
    return len(hits)
