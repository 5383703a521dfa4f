"""Plan HITs for one judge: new ones if none is available, HITs from their samples of a sort, and their repeats."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Assignment,
    Design,
    Exposure,
    HITPurpose,
    JudgeAccount,
)
from annotation.models.hit import POOLED, HITQuerySet
from annotation.sampling.parameters import Checks
from annotation.sampling.plans import Purpose, intra_original, repeated
from annotation.sampling.rates import attention_due, intra_due
from annotation.selectors.comparisons import sentences_of_a_judge, sentences_taken
from annotation.selectors.designs import design_in_force
from annotation.selectors.hits import judge_history, plans_read
from annotation.selectors.pool import (
    HITRequest,
    conflicts_of,
    has_available_hit,
    hit_request,
    hits_reserved,
)
from annotation.services.planning.batch import (
    OneJudge,
    PlanningTransaction,
    SampleOfAJudge,
)
from campaign.models import Judge, Output, Segment, System, SystemKind, Task

# The current HIT and the one that the page fetches ahead.
_HITS_FOR_A_JUDGE: Final = 2
# Number of consecutive empty draws after which a judge is told that there is no work.
_EMPTY_DRAWS_ALLOWED: Final = 50
# A HIT drawn for a judge who does not return becomes available to others; a HIT of a sample is
# withdrawn, and its comparisons are planned for others.
_RESERVED_FOR: Final = timedelta(minutes=30)
# A repeat of a judge's own HIT is of no use to others, so it is reserved longer, then withdrawn.
_REPEAT_KEPT_FOR: Final = timedelta(days=1)
# Repeats are planned this many HITs before they come due.
_HITS_AHEAD: Final = 3


@transaction.atomic
def judge_plan(*, task_id: int, judge_id: int) -> int:
    """Plan HITs of segments this judge has not seen, unless one is available; return their number.

    If the design sets how often a judge gets an attention check, one HIT with a check and HITs
    without are planned, unless available. In a sort with samples per judge, HITs come from this
    judge's samples, within the limit of sentences per comparison, including those held or judged.
    Always answers the judge's request: sets `JudgeAccount.none_left_at` if no HIT was left,
    although HITs with a check may be.

    Locks the judge's row, so that nothing is lent to them meanwhile, then the task's HIT sequence.
    """
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge_id)
    task = Task.objects.get(pk=task_id)
    account = JudgeAccount.objects.filter(task=task_id, judge=judge_id)
    request = hit_request(judge, task=task)
    most = sentences_of_a_judge(task)
    missing = _missing(design_in_force(task_id=task_id), request, reserved=bool(most))
    if not missing:
        account.update(requested_at=None, none_left_at=None)
        return 0
    sample = None
    if most:
        sentences = sentences_taken(judge_id=judge_id, task_id=task_id)
        sample = SampleOfAJudge(judge=judge.pseudonym, sentences=sentences, most=most)
    hidden = System.objects.filter(pk__in=conflicts_of(judge))
    planned_for = OneJudge(
        judge_id=judge_id,
        avoid=segments_seen(judge, task_id, request.apart),
        hide=list(hidden.values_list("name", flat=True)),
        sample=sample,
    )
    planning = PlanningTransaction.locked(task_id, judge=planned_for)
    is_none_left = False
    for kind in missing:
        firsts = _firsts_add(planning, judge_id, kind, is_sample=bool(most))
        is_none_left = is_none_left or (kind is not Checks.SOME and not firsts)
        if planning.has_withdrawn:
            break
    planning.store()
    account.update(requested_at=None, none_left_at=Now() if is_none_left else None)
    return len(planning.planned)


def _missing(
    design: Design | None,
    request: HITRequest,
    *,
    reserved: bool = False,
) -> list[Checks]:
    """Return the kinds of HITs not available for a judge, or not `reserved` for them; most needed first."""

    def is_available(holds_check: bool | None = None) -> bool:
        if not reserved:
            return has_available_hit(request, holds_check=holds_check)
        return hits_reserved(request).available().holding_check(holds_check).exists()

    if design is None or not design.attention_every:
        if is_available():
            return []
        return [Checks.CHANCE]
    if is_available(holds_check=False):
        missing = []
    else:
        missing = [Checks.NONE]
    if not is_available(holds_check=True) and may_be_checked(request):
        missing.append(Checks.SOME)
    return missing


def may_be_checked(request: HITRequest) -> bool:
    """Return whether a segment that the judge has not seen has a damaged reference."""
    exposures = Exposure.objects.filter(judge=request.judge_id, apart=request.apart)
    damaged = Output.objects.drawable().filter(
        system__kind=SystemKind.BAD_REFERENCE,
        segment__test_set__tasks=request.task_id,
    )
    unseen = damaged.exclude(segment__in=exposures.values("segment"))
    return unseen.exclude(system__in=request.conflicts).exists()


def _firsts_add(
    planning: PlanningTransaction,
    judge_id: int,
    kind: Checks,
    *,
    is_sample: bool,
) -> int:
    """Plan first HITs for one judge, with the design's copies unless from a sample; return their number."""
    empty_draws = firsts = 0
    if kind is Checks.SOME:
        target = 1
    else:
        target = _HITS_FOR_A_JUDGE
    # Another draw from a sample would be the same.
    allowed = 1 if is_sample else _EMPTY_DRAWS_ALLOWED
    while firsts < target and empty_draws < allowed:
        spare = None
        if planning.is_all_planned:
            # An available HIT that may not be lent to this judge is dropped in favour of one that
            # may.
            spare = None if is_sample else _spare(planning)
            if spare is None:
                break
        plan = planning.draw(kind)
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
        if not is_sample:
            planning.copies_add()
        if spare is not None:
            # Only in the last step of a batch, since later draws must follow from the recorded
            # state.
            planning.withdraw([spare])
            break
    return firsts


def _spare(planning: PlanningTransaction) -> HIT | None:
    """Lock and return the latest available HIT that was never lent and that no HIT repeats.

    HITs on standby come first, because no judge is waiting for them.
    """
    hits = HIT.objects.filter(
        task=planning.task,
        purpose=HITPurpose.FIRST,
        reserved_for__isnull=True,
    ).holding_check(False if planning.parameters.attention_every else None)
    for source in (hits.standby(), hits.pooled()):
        spare: HIT | None = (
            source.available()
            .filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))))
            .filter(~Exists(HIT.objects.filter(repeats=OuterRef("pk"))))
            .order_by("-number")
            .select_for_update(skip_locked=True)
            .first()
        )
        if spare is not None:
            return spare
    return None


def segments_seen(judge: Judge, task_id: int, apart: str) -> set[int]:
    """Return the numbers of the segments that the judge has seen, or that are in HITs reserved for them."""
    numbers = set(
        Exposure.objects.filter(
            judge=judge,
            segment__test_set__tasks=task_id,
            apart=apart,
        ).values_list("segment__number", flat=True),
    )
    hits = HIT.objects.filter(task=task_id, reserved_for=judge).incomplete()
    reserved = set()
    for ids in hits.values_list("segment_ids", flat=True):
        reserved.update(ids)
    numbers.update(
        Segment.objects.filter(pk__in=reserved).values_list("number", flat=True),
    )
    return numbers


def judges_to_check(*, task_id: int, design: Design) -> list[int]:
    """Return the ids of active judges for whom an attention check comes due soon and none is available."""
    task = Task.objects.get(pk=task_id)
    judges = []
    for account in _active_accounts(task_id):
        is_due = attention_due(
            seed=design.seed,
            judge=account.judge.pseudonym,
            every=design.attention_every,
            checks=account.checks_lent,
            hits_since=account.hits_since_check + _HITS_AHEAD,
        )
        if not is_due:
            continue
        request = hit_request(account.judge, task=task)
        if Checks.SOME in _missing(design, request):
            judges.append(account.judge_id)
    return judges


def _active_accounts(task_id: int) -> QuerySet[JudgeAccount]:
    """Return the accounts of judges who were lent a HIT recently, least recently first."""
    return (
        JudgeAccount.objects.filter(
            task=task_id,
            last_lent_at__gte=Now() - _REPEAT_KEPT_FOR,
        )
        .order_by("last_lent_at")
        .select_related("judge")
    )


def judges_to_repeat(*, task_id: int, design: Design) -> list[int]:
    """Return the ids of active judges for whom a repeat comes due soon and none is planned."""
    planned = HIT.objects.filter(
        task=task_id,
        purpose=HITPurpose.INTRA,
        reserved_for__isnull=False,
    ).incomplete()
    accounts = _active_accounts(task_id).exclude(
        judge__in=planned.values("reserved_for"),
    )
    due = []
    for account in accounts:
        is_due = intra_due(
            seed=design.seed,
            judge=account.judge.pseudonym,
            share=design.intra_share,
            repeat_gap=design.repeat_gap,
            repeats=account.intra_lent,
            hits_since=account.hits_since_repeat + _HITS_AHEAD,
        )
        if is_due:
            due.append(account.judge_id)
    return due


@transaction.atomic
def intra_plan(*, task_id: int, judge_id: int) -> int:
    """Plan the next repeat of one of this judge's HITs; return 1, or 0 if none is old enough."""
    history, hit_ids = judge_history(judge_id=judge_id, task_id=task_id)
    planning = PlanningTransaction.locked(task_id, judge=OneJudge(judge_id=judge_id))
    number = intra_original(
        history,
        repeat_gap=planning.parameters.repeat_gap,
        seed=planning.parameters.seed,
    )
    planned = HIT.objects.filter(
        task=task_id,
        reserved_for=judge_id,
        purpose=HITPurpose.INTRA,
    )
    # Checked under the lock, because another worker may have planned one, or an organiser may have
    # changed the design. A design without repeats must have none, because it determines which
    # blocks judges may review.
    if not planning.parameters.intra_share or planned.incomplete().exists():
        return 0
    if number is None or planning.is_all_planned:
        return 0
    original = plans_read([hit_ids[number]])[hit_ids[number]]
    if not planning.quota.allows(original) or planning.shows_withdrawn(original):
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
def reservations_withdraw(*, task_id: int) -> int:
    """Withdraw repeats that their judge has not fetched in time, and return their number.

    Their blocks may then be planned for others.
    """
    stale = (
        HIT.objects.filter(
            task=task_id,
            purpose=HITPurpose.INTRA,
            reserved_until__lte=Now(),
        )
        .available()
        .filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))))
    )
    if not stale.exists():
        return 0
    planning = PlanningTransaction.locked(task_id)
    # Filtered again under the lock of each row: the judge may just have come.
    hits = list(stale.select_for_update(skip_locked=True))
    planning.withdraw(hits)
    planning.store()
    return len(hits)


def reservations_lift(*, task: Task) -> int:
    """Release HITs reserved for a judge who has seen one of their segments to all judges; return their number.

    A judge may be lent a segment from the pool that is also in a HIT reserved for them. The HIT
    would then stay reserved for half an hour, although it may not be lent to this judge.
    """
    reserved = (
        HIT.objects.filter(task=task, reserved_until__gt=Now()).pooled().available()
    )
    return reserved.seen_by(OuterRef("reserved_for"), task.exposed_apart).update(
        reserved_until=Now(),
    )


@transaction.atomic
def samples_give_up(*, task_id: int) -> int:
    """Withdraw HITs that no judge will take, and return their number; their comparisons are planned again.

    These are HITs reserved for a judge who did not fetch them in time, HITs whose lease ran out,
    and HITs for all judges from before samples were introduced. A HIT that was lent is marked done,
    and its judgments stay.
    """
    if not _nobodys(task_id).exists():
        return 0
    planning = PlanningTransaction.locked(task_id)
    # Filtered again under the lock of each row: the judge may just have come.
    hits = list(_nobodys(task_id).select_for_update(skip_locked=True, of=("self",)))
    planning.give_up(hits)
    return len(hits)


def _nobodys(task_id: int) -> HITQuerySet:
    lent = Assignment.objects.filter(hit=OuterRef("pk"))
    hits: HITQuerySet = HIT.objects.filter(task=task_id, purpose__in=POOLED)
    return hits.available().filter(
        Q(reserved_for__isnull=True) | Q(reserved_until__lte=Now()) | Exists(lent),
    )
