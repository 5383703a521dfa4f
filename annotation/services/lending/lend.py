"""Lend HITs to judges, each to one judge for a limited time.

A request only looks up HITs; the worker plans them. All times are by the
database's clock, since the web servers' clocks may differ.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from uuid import UUID

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, HITPurpose
from annotation.models.pool import HITQuerySet
from annotation.sampling.repeats import intra_due, intra_offset
from annotation.selectors import (
    JudgeProgress,
    JudgeStatus,
    attention_due,
    damaged_systems,
    has_available_hit,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    quota_reached,
)
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.claim import (
    ClaimedHIT,
    hit_claim_from_pool,
    hit_claim_reserved,
)
from annotation.services.lending.context import LendingContext, OpenTestSet, lending_context_lock
from annotation.services.lending.work_requests import work_prefetch_request
from campaign.database.prepared import Statement
from campaign.models import Judge


class JudgePausedError(Exception):
    """The judge is paused or excluded and is lent nothing, not even the HIT they hold."""


class InstructionsPendingError(Exception):
    """The judge has not accepted the instructions in force and is lent nothing until then."""


@dataclass(frozen=True, slots=True)
class LentAssignment:
    """A judge's assignment with their progress and status, all read at the same moment."""

    assignment: Assignment
    progress: JudgeProgress
    judge_status: JudgeStatus


@transaction.atomic
def assignment_lend(*, judge: Judge, after: UUID | None = None) -> LentAssignment | None:
    """Return the assignment this judge holds, or lend a new one; None if no HIT is available.

    `after`, an assignment's public id, leaves that one out: a page fetches the next HIT while the
    judge is still at work on the last. Takes the lock of the judge's row, so that a judge's tabs are
    served one after the other. No judge waits for another: HITs locked for others are skipped.

    `annotation.services.lending.work_requests.work_request` says why there is none. Raises
    `JudgePausedError` if the judge is paused or excluded, and `InstructionsPendingError` if they
    have not accepted the instructions.
    """
    context = lending_context_lock(judge)
    if not context.judge_status.may_judge:
        raise JudgePausedError
    if context.owes_acceptance:
        raise InstructionsPendingError
    begun = [pk for public_id, pk in context.begun.items() if public_id != after]
    assignment = _held(begun, judge, context) if begun else None
    if assignment is None:
        # Some of the begun assignments may just have been released: count again.
        if quota_reached(judge) if begun else context.is_quota_reached:
            return None
        assignment = _lend_new(judge, context)
    if assignment is None:
        return None
    return LentAssignment(assignment, context.progress, context.judge_status)


def _held(begun: Collection[int], judge: Judge, context: LendingContext) -> Assignment | None:
    """Return the assignment the judge holds, or an expired one whose HIT went to no other judge."""
    for assignment in Assignment.objects.filter(pk__in=begun).select_related("hit").order_by("id"):
        if set(context.conflicts).intersection(assignment.hit.system_ids):
            # The conflict was declared after the HIT was lent.
            _release(assignment)
        elif _is_held(assignment, context.now) or _held_again(assignment, judge, context):
            return assignment
    return None


def _held_again(assignment: Assignment, judge: Judge, context: LendingContext) -> bool:
    # A released assignment does not count as held: lending it again must not exceed the quota.
    if assignment.released_at is not None and quota_reached(judge):
        return False
    return _lease_renew(assignment, context)


def _lend_new(judge: Judge, context: LendingContext) -> Assignment | None:
    for test_set in context.test_sets:
        claimed = _hit_claim(test_set, judge, context.conflicts)
        if claimed is not None:
            assignment = _lend(claimed.hit, judge, context)
            if claimed.is_last or (
                claimed.is_last is None
                and not _has_available_hit(test_set, judge, context.conflicts)
            ):
                work_prefetch_request(judge=judge, test_set_id=test_set.id)
            return assignment
    return None


def _has_available_hit(test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]) -> bool:
    return has_available_hit(judge=judge, test_set_id=test_set.id, conflicts=conflicts)


def _is_held(assignment: Assignment, now: datetime) -> bool:
    return assignment.released_at is None and assignment.expires_at > now


def _hit_claim(
    test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]
) -> ClaimedHIT | None:
    """Lock and return an available HIT: one that is due, a reserved one, or one of the pool."""
    if test_set.has_training:
        round_ = training_round_due(
            judge=judge, test_set_id=test_set.id, hits_lent=test_set.hits_lent
        )
        if round_ is not None:
            # Nothing else before training is done; if it is not planned yet, the judge asks again.
            return _claim_first(
                hits_training(judge=judge, test_set_id=test_set.id).excluding_systems(conflicts)
            )
    claimed = _claim_due(test_set, judge, conflicts)
    if claimed is None and test_set.has_reserved:
        claimed = hit_claim_reserved(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    return claimed or hit_claim_from_pool(judge=judge, test_set_id=test_set.id, conflicts=conflicts)


def _claim_first(hits: HITQuerySet) -> ClaimedHIT | None:
    hit = hits.available().select_for_update(skip_locked=True, no_key=True).first()
    return hit and ClaimedHIT(hit)


def _claim_due(
    test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]
) -> ClaimedHIT | None:
    """Lock and return the HIT the design's schedule asks for now; None if it asks for none."""
    scheduled = _on_schedule(test_set, judge, conflicts)
    if _is_intra_due(test_set, judge):
        first = next(scheduled, None)
        is_last: bool | None = None
        # Asked in any case, so that the answer takes as long as for other HITs: otherwise its time
        # would give a repeat away.
        if first is None:
            is_last = not _has_available_hit(test_set, judge, conflicts)
        else:
            first.available().exists()
        repeat = _claim_first(hits_intra(judge=judge, test_set_id=test_set.id, conflicts=conflicts))
        if repeat is not None:
            return replace(repeat, is_last=is_last)
        scheduled = chain([] if first is None else [first], scheduled)
    return next(filter(None, map(_claim_first, scheduled)), None)


def _is_intra_due(test_set: OpenTestSet, judge: Judge) -> bool:
    if not test_set.intra_share or test_set.seed is None or not test_set.has_reserved:
        return False
    return intra_due(
        judge_hits=test_set.hits_lent,
        intra_hits=test_set.intra_lent,
        share=test_set.intra_share,
        offset=intra_offset(seed=test_set.seed, judge=judge.pseudonym),
    )


def _on_schedule(
    test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]
) -> Iterator[HITQuerySet]:
    """Yield HITs with an attention check if one is due, otherwise those without; none if unscheduled."""
    if not test_set.attention_every:
        return
    pool = hits_for_judge(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    reserved = hits_reserved(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    damaged = damaged_systems(test_set.id)
    every = test_set.attention_every
    if attention_due(judge=judge, test_set_id=test_set.id, every=every, damaged=damaged):
        yield reserved.with_systems(damaged)
        yield pool.with_systems(damaged)
    else:
        yield reserved.excluding_systems(damaged)
        yield pool.excluding_systems(damaged)


# Takes the HIT out of the pool and writes the judge's account, the assignment and the exposures.
_LEND = Statement(
    "hit_lend",
    "bigint, bigint, bigint, timestamptz, timestamptz, uuid, bigint[], boolean, int",
    """
    WITH hit AS (
        UPDATE annotation_hit SET available_at = $5 WHERE id = $1
    ), account AS (
        INSERT INTO annotation_judgeaccount
            (judge_id, test_set_id, hits_lent, intra_lent, last_lent_at)
        VALUES ($2, $3, 1, $9, $4)
        ON CONFLICT (judge_id, test_set_id) DO UPDATE
        SET hits_lent = annotation_judgeaccount.hits_lent + 1,
            intra_lent = annotation_judgeaccount.intra_lent + $9,
            last_lent_at = $4, requested_at = NULL, none_left_at = NULL
        RETURNING hits_lent
    ), assignment AS (
        INSERT INTO annotation_assignment (hit_id, judge_id, public_id, lease, ordinal)
        SELECT $1, $2, $6, tstzrange($4, $5), account.hits_lent FROM account
        RETURNING id, ordinal
    ), exposures AS (
        INSERT INTO annotation_exposure (judge_id, segment_id, assignment_id, is_repeat)
        SELECT $2, segment, assignment.id, $8 FROM assignment, unnest($7) segment
    )
    SELECT id, ordinal FROM assignment
    """,
)


def _lend(hit: HIT, judge: Judge, context: LendingContext) -> Assignment:
    # Further rounds of training show the same segments again.
    is_repeat = hit.purpose == HITPurpose.INTRA or hit.why.get("round", 1) > 1
    hit.available_at = context.now + timedelta(minutes=context.lease_minutes)
    assignment = Assignment(
        hit=hit, judge=judge, lease=DateTimeTZRange(context.now, hit.available_at)
    )
    [(assignment.pk, assignment.ordinal)] = _LEND.rows(
        *(hit.pk, judge.pk, hit.test_set_id, context.now, hit.available_at),
        *(str(assignment.public_id), hit.segment_ids, is_repeat),
        int(hit.purpose == HITPurpose.INTRA),
    )
    assignment._state.adding = False  # noqa: SLF001  as Django's own save does
    return assignment


def _lease_renew(assignment: Assignment, context: LendingContext) -> bool:
    """Lend an expired assignment's HIT to the same judge again; False if somebody else has it."""
    hit = (
        HIT.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(pk=assignment.hit_id, completed_at__isnull=True, available_at__lte=context.now)
        .first()
    )
    if hit is None:
        if assignment.released_at is None:
            _release(assignment)
        return False
    # Unavailable to others for one more lease.
    hit.available_at = context.now + timedelta(minutes=context.lease_minutes)
    hit.save(update_fields=["available_at"])
    assignment.lease = DateTimeTZRange(context.now, hit.available_at)
    assignment.released_at = None
    assignment.save(update_fields=["lease", "released_at"])
    return True


def _release(assignment: Assignment) -> None:
    """Mark the assignment as released; its HIT is available again or lent to somebody else."""
    Assignment.objects.filter(pk=assignment.pk, released_at__isnull=True).update(released_at=Now())


def leases_release() -> int:
    """Mark assignments whose lease ran out as released and return their number.

    Their HITs are available again without this: that goes by `HIT.available_at`.
    """
    return Assignment.objects.filter(
        completed_at__isnull=True, released_at__isnull=True, lease__endswith__lte=Now()
    ).update(released_at=Now())
