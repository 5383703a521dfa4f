"""Lend HITs to judges, each to one judge for a limited time.

Requests only look up HITs; the worker plans them. All times come from the database's clock, since
web servers' clocks may differ.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, Exposure, HITPurpose, JudgeAccount
from annotation.selectors.pool import (
    assignments_untouched,
    has_available_hit,
    is_touched,
)
from annotation.selectors.progress import judge_work
from annotation.services.lending.choose import (
    LendingContext,
    OpenTask,
    hit_choose,
    is_pool_open,
    lending_context_lock,
)
from annotation.services.lending.work_requests import work_prefetch_request
from campaign.models import CampaignState, Judge
from campaign.models.questions import QuestionStage
from campaign.selectors.questions import answers_owed
from campaign.texts.languages import reads_languages


@transaction.atomic
def assignments_release(*, judge: Judge) -> None:
    """End the judge's leases now; their HITs become available, and their judgments stay.

    Expired leases need no action: their HITs are already available, or lent to another judge. The
    caller must hold the lock of the judge's row.
    """
    leases = Assignment.objects.filter(
        judge=judge,
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__endswith__gt=Now(),
    )
    for assignment in leases.select_for_update().annotate(now=Now()):
        # The same time for both: a HIT may be lent from the end of the lease on, but not earlier.
        _end(assignment, assignment.now)
        incomplete = HIT.objects.filter(pk=assignment.hit_id, completed_at__isnull=True)
        incomplete.update(available_at=assignment.now)


#: Maximum number of blocks lent ahead, so that a page can continue without a network.
BLOCKS_AHEAD: Final = 20
#: Lease of HITs lent ahead. A page in use renews it with each HIT; HITs of an abandoned page soon
#: become available to others.
MINUTES_AHEAD: Final = 20
# If so many HITs are available, no judge needs those that another one holds.
_PLENTY: Final = 100
# HITs of other judges that are tried if some are being answered at this moment.
_TRIED: Final = 5


class LendingRefusedError(Exception):
    """The judge is lent nothing, not even the HIT they hold; the argument is the reason.

    `paused` and `excluded`: by the organisers or a quality rule. `declined`: they declined to take part. `instructions`: they
    have not accepted the instructions in force. `questions`: they have not answered the required questions
    asked before the first sentence.
    """


class LentAssignment(NamedTuple):
    """A judge's assignment, and what is known about them, all read at the same moment."""

    assignment: Assignment
    context: LendingContext


@transaction.atomic
def assignment_lend(
    *,
    judge: Judge,
    after: UUID | None = None,
    in_hand: Sequence[UUID] = (),
) -> LentAssignment | None:
    """Return the assignment this judge holds, or lend a new one; None if no HIT is available.

    The assignment with public id `after` is not returned again, because a page fetches the next HIT
    while the judge still works on this one. Nor are the assignments `in_hand` on a page, in the
    order of work; their leases are extended, and another HIT is lent only within `BLOCKS_AHEAD` and
    while enough HITs are left for the other judges at work. If nothing is available, an untouched
    HIT that was lent ahead to another judge is lent to this one. Locks the judge's row, so that a judge's tabs are served
    one after the other. No judge waits for another: HITs locked for others are skipped.

    If there is none, `annotation.services.lending.work_requests.work_request` returns the reason.
    Raises `LendingRefusedError`.
    """
    context = lending_context_lock(judge)
    judge = context.judge
    if not context.standing.status.may_judge:
        raise LendingRefusedError(context.standing.status.value)
    if judge.declined_at is not None:
        raise LendingRefusedError("declined")
    if judge.campaign.state != CampaignState.OPEN or context.is_past_closing:
        # Not even the HIT they hold: judges stop after the sentence they are reading.
        return None
    if context.owes_acceptance:
        raise LendingRefusedError("instructions")
    # Optional questions are asked when the page is opened, and interrupt nobody at work.
    owed = answers_owed(judge=judge, stage=QuestionStage.START)
    if any(question.required for question in owed):
        raise LendingRefusedError("questions")
    on_page = {after, *in_hand}
    begun = [
        assignment
        for assignment in context.begun
        if assignment.public_id not in on_page
    ]
    _leases_extend(in_hand, context)
    assignment = _held_or_renewed_assignment(begun, context)
    if assignment is None:
        # Some of the begun assignments may just have been released, so count again.
        if context.work.is_quota_reached and (
            not begun or judge_work(judge).is_quota_reached
        ):
            return None
        assignment = _lend_new(context, is_ahead=bool(in_hand))
    if assignment is None:
        return None
    return LentAssignment(assignment, context)


def _held_or_renewed_assignment(
    begun: Sequence[Assignment],
    context: LendingContext,
) -> Assignment | None:
    """Return the assignment that the judge holds, or an expired one whose HIT was lent to no other judge."""
    judge = context.judge
    for assignment in begun:
        if set(context.conflicts).intersection(assignment.hit.system_ids):
            # The conflict was declared after the HIT was lent.
            _release(assignment)
        elif assignment.released_at is None and assignment.expires_at > context.now:
            return assignment
        elif set(context.withdrawn).intersection(assignment.hit.system_ids):
            # A system was withdrawn while they were away. Judges at work finish their HITs.
            _release(assignment)
        elif not _is_read_by(judge, assignment):
            # Their languages changed while they were away, as for participants who came by another panel.
            _release(assignment)
        # A released assignment does not count as held: lending it again must not exceed the quota.
        elif assignment.released_at is not None and judge_work(judge).is_quota_reached:
            continue
        elif _lease_renew(assignment, context):
            return assignment
    return None


def _is_read_by(judge: Judge, assignment: Assignment) -> bool:
    test_set = assignment.hit.task.test_set
    return reads_languages(
        judge.languages,
        (test_set.source_language, test_set.target_language),
    )


def _leases_extend(in_hand: Sequence[UUID], context: LendingContext) -> None:
    """Extend the leases of the HITs on a judge's page; the first, which they are judging, gets a longer one.

    An expired lease is extended, too, unless the HIT was lent to another judge meanwhile.
    """
    begun = {assignment.public_id: assignment.pk for assignment in context.begun}
    assignments = []
    for public_id in in_hand:
        if public_id in begun:
            assignments.append(begun[public_id])
    # Locked first, as in submissions.
    leases = Assignment.objects.filter(
        pk__in=assignments,
        completed_at=None,
        released_at=None,
    )
    for assignment in leases.order_by("pk").select_for_update():
        until = _lease_end(context, is_ahead=assignment.pk != assignments[0])
        if assignment.expires_at >= until:
            continue
        hit = HIT.objects.incomplete().filter(pk=assignment.hit_id)
        # Changed if the HIT was lent to another judge.
        if hit.filter(available_at=assignment.expires_at).update(available_at=until):
            assignment.lease = DateTimeTZRange(assignment.lease.lower, until)
            assignment.save(update_fields=["lease"])


def _lease_end(context: LendingContext, *, is_ahead: bool = False) -> datetime:
    minutes = context.judge.campaign.lease_minutes
    if is_ahead:
        minutes = min(minutes, MINUTES_AHEAD)
    return context.now + timedelta(minutes=minutes)


def _lend_new(context: LendingContext, *, is_ahead: bool = False) -> Assignment | None:
    if is_ahead and context.blocks_begun >= BLOCKS_AHEAD:
        return None
    judge = context.judge
    for task in context.tasks:
        request = context.request(task.task)
        hit = hit_choose(task=task, judge=judge, request=request)
        if hit is not None:
            if is_ahead and not _may_be_lent_ahead(hit, context):
                return None
            assignment = _lend(hit, task, context, is_ahead=is_ahead)
            # A check that is left is lent when one is due. All of a second pass is planned at once.
            holds_check = None
            if task.attention_every:
                holds_check = False
            is_last = not has_available_hit(request, holds_check=holds_check)
            if is_last and not (
                task.rules.has_passes and hit.purpose == HITPurpose.INTRA
            ):
                work_prefetch_request(judge=judge, task_id=task.task.pk)
            return assignment
    if is_ahead:
        return None
    return _lend_taken_back(context)


def _may_be_lent_ahead(hit: HIT, context: LendingContext) -> bool:
    """Return whether the judge may hold this HIT, too.

    Each judge at work must find as many HITs as this judge holds, so what is lent ahead shrinks
    with what is left.
    """
    if context.blocks_begun + len(hit.segment_ids) > BLOCKS_AHEAD:
        return False
    if hit.reserved_for_id == context.judge.pk:
        return True
    recently = context.now - timedelta(minutes=MINUTES_AHEAD)
    accounts = JudgeAccount.objects.filter(task=hit.task_id, last_lent_at__gte=recently)
    at_work = accounts.values("pk")[:_PLENTY].count()
    hits_needed = min(len(context.begun) * max(1, at_work), _PLENTY)
    others = (
        HIT.objects.filter(task=hit.task_id).pooled().available().exclude(pk=hit.pk)
    )
    return others.values("pk")[:hits_needed].count() == hits_needed


def _lend_taken_back(context: LendingContext) -> Assignment | None:
    """Lend an untouched HIT that was lent ahead to another judge, if nothing else will come; None if there is none.

    The other judge no longer holds it, which their page is told with its next HIT. If they judged
    it offline meanwhile, both judges' answers are stored and count.
    """
    for task in context.tasks:
        if not task.is_all_there_is or not is_pool_open(task=task, judge=context.judge):
            continue
        for assignment in assignments_untouched(context.request(task.task))[:_TRIED]:
            hit = _take_back(assignment)
            if hit is not None:
                return _lend(hit, task, context, is_ahead=False)
    return None


def _take_back(assignment: Assignment) -> HIT | None:
    """End a judge's lease now, and return its HIT, both locked; None if they began it meanwhile, or are answering."""
    locked = (
        Assignment.objects.select_for_update(skip_locked=True)
        .filter(
            pk=assignment.pk,
            completed_at=None,
            released_at=None,
            lease__startswith__lt=Now(),
        )
        .annotate(now=Now())
        .first()
    )
    # A separate statement, which sees what was stored before the lock was free.
    if locked is None or is_touched(locked):
        return None
    hits = HIT.objects.incomplete().select_for_update(skip_locked=True, no_key=True)
    hit = hits.filter(pk=locked.hit_id).first()
    if hit is not None:
        _end(locked, locked.now)
        hit.available_at = locked.now
    return hit


def _end(assignment: Assignment, now: datetime) -> None:
    assignment.released_at = now
    assignment.lease = DateTimeTZRange(assignment.lease.lower, now)
    assignment.save(update_fields=["released_at", "lease"])


def _lend(
    hit: HIT,
    task: OpenTask,
    context: LendingContext,
    *,
    is_ahead: bool,
) -> Assignment:
    """Lend a HIT: make it unavailable until the lease ends, and record that the judge has seen its segments."""
    judge = context.judge
    apart = task.task.exposed_apart
    # Another judge may have returned the HIT after `now` was read.
    begin = max(context.now, hit.available_at)
    hit.available_at = max(begin, _lease_end(context, is_ahead=is_ahead))
    hit.save(update_fields=["available_at"])
    assignment = Assignment.objects.create(
        hit=hit,
        judge=judge,
        lease=DateTimeTZRange(begin, hit.available_at),
        ordinal=_account_count(hit, task.account, begin),
    )
    if hit.purpose == HITPurpose.INTRA:
        again = set(hit.segment_ids)
    else:
        again = set()
    if hit.purpose == HITPurpose.TRAINING:
        # Training may repeat segments of other tasks, and its second round shows the same segments
        # again.
        earlier_exposures = judge.exposures.filter(
            segment__in=hit.segment_ids,
            apart=apart,
            is_repeat=False,
        )
        again.update(earlier_exposures.values_list("segment", flat=True))
    exposures = []
    for segment in hit.segment_ids:
        exposures.append(
            Exposure(
                judge=judge,
                segment_id=segment,
                assignment=assignment,
                is_repeat=segment in again,
                apart=apart,
            ),
        )
    Exposure.objects.bulk_create(exposures)
    return assignment


def _account_count(hit: HIT, account: JudgeAccount, lent_at: datetime) -> int:
    """Count a lent HIT in the judge's account, and return how many HITs of its task they were lent.

    HITs since the last check exclude training and repeats; HITs since the last repeat exclude
    training.
    """
    is_own = hit.purpose == HITPurpose.INTRA
    is_check = hit.holds_check and not is_own
    is_counted = hit.purpose != HITPurpose.TRAINING
    account.hits_lent += 1
    account.intra_lent += is_own
    account.checks_lent += is_check
    account.hits_since_check += is_counted and not is_own
    account.hits_since_repeat += is_counted
    if is_check:
        account.hits_since_check = 0
    if is_own:
        account.hits_since_repeat = 0
    account.last_lent_at = lent_at
    account.requested_at = None
    account.none_left_at = None
    # Submissions may update `blocks_closed` concurrently. The same query stores a new account.
    JudgeAccount.objects.bulk_create(
        [account],
        update_conflicts=True,
        unique_fields=["judge", "task"],
        update_fields=[
            "hits_lent",
            "intra_lent",
            "checks_lent",
            "hits_since_check",
            "hits_since_repeat",
            "last_lent_at",
            "requested_at",
            "none_left_at",
        ],
    )
    return account.hits_lent


def _lease_renew(assignment: Assignment, context: LendingContext) -> bool:
    """Lend an expired assignment's HIT to the same judge again; return False if another judge has it."""
    hit = (
        HIT.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(
            pk=assignment.hit_id,
            completed_at__isnull=True,
            available_at__lte=context.now,
        )
        .first()
    )
    if hit is None:
        if assignment.released_at is None:
            _release(assignment)
        return False
    # The HIT is unavailable to others for another lease.
    hit.available_at = _lease_end(context)
    hit.save(update_fields=["available_at"])
    assignment.lease = DateTimeTZRange(context.now, hit.available_at)
    assignment.released_at = None
    assignment.save(update_fields=["lease", "released_at"])
    return True


def _release(assignment: Assignment) -> None:
    """Mark an unfinished assignment as released: the judge no longer holds it.

    Its HIT becomes available again after the lease, or is already lent to another judge.
    """
    Assignment.objects.filter(
        pk=assignment.pk,
        released_at__isnull=True,
        completed_at__isnull=True,
    ).update(released_at=Now())


def leases_release() -> int:
    """Mark assignments whose lease ran out as released and return their number.

    Their HITs become available even without this, through `HIT.available_at`.
    """
    return Assignment.objects.filter(
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__endswith__lte=Now(),
    ).update(released_at=Now())
