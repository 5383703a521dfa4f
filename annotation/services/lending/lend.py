"""Lends HITs to judges, one to one, for a limited time.

The request only looks up: drawing HITs is the worker's part. Every decision
about time is by the database's clock, whatever the web servers' say.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from uuid import UUID

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now

from annotation.models import HIT, Assignment
from annotation.models.pool import HITQuerySet
from annotation.sampling.repeats import intra_due, intra_offset
from annotation.selectors import (
    Footing,
    OpenTestSet,
    Progress,
    Standing,
    Taken,
    attention_due,
    damaged_systems,
    has_work_waiting,
    hit_from_pool,
    hit_reserved,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    judge_footing,
    quota_reached,
)
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.work_requests import work_want_ahead
from campaign.database.prepared import Statement
from campaign.models import Judge


class JudgePausedError(Exception):
    """The judge is paused or excluded and is lent nothing, not even what they hold."""


class InstructionsPendingError(Exception):
    """The judge has not accepted the instructions in force and is lent nothing until then."""


@dataclass(frozen=True, slots=True)
class Loan:
    """What a judge is lent, how far they are and where they stand, all as of the same moment."""

    assignment: Assignment
    progress: Progress
    standing: Standing


@transaction.atomic
def assignment_lend(*, judge: Judge, after: UUID | None = None) -> Loan | None:
    """The HIT this judge holds, or a new one; None where none lies ready for them.

    With `after`, an assignment's public id, the held one other than that: so a page fetches
    the next HIT while the judge is still on the last. The lock on the judge's
    row lets their tabs ask one after the other. Nobody waits for another
    judge: a HIT that somebody else is being lent is passed over.

    Why there is none, `annotation.services.lending.work_requests.work_want` says. Raises `JudgePausedError` for
    a judge who is paused or excluded, and `InstructionsPendingError` for one who has not accepted
    the instructions.
    """
    footing = judge_footing(judge)
    if not footing.standing.may_judge:
        raise JudgePausedError
    if footing.owes_acceptance:
        raise InstructionsPendingError
    begun = [pk for public_id, pk in footing.begun.items() if public_id != after]
    assignment = _held(begun, judge, footing) if begun else None
    if assignment is None:
        # Of what they had begun, some may just have been released.
        if quota_reached(judge) if begun else footing.is_quota_reached:
            return None
        assignment = _lend_new(judge, footing)
    if assignment is None:
        return None
    return Loan(assignment, footing.progress, footing.standing)


def _held(begun: Collection[int], judge: Judge, footing: Footing) -> Assignment | None:
    """What the judge holds, or held until the lease ran out and nobody else took it."""
    for assignment in Assignment.objects.filter(pk__in=begun).select_related("hit").order_by("id"):
        if set(footing.conflicts).intersection(assignment.hit.system_ids):
            # Declared since it was lent.
            _release(assignment)
        elif _is_held(assignment, footing.now) or _held_again(assignment, judge, footing):
            return assignment
    return None


def _held_again(assignment: Assignment, judge: Judge, footing: Footing) -> bool:
    # What was released no longer counts as taken: it must not be more than is asked of them.
    if assignment.released_at is not None and quota_reached(judge):
        return False
    return _lease_renew(assignment, footing)


def _lend_new(judge: Judge, footing: Footing) -> Assignment | None:
    for test_set in footing.test_sets:
        taken = _hit_take(test_set, judge, footing.conflicts)
        if taken is not None:
            assignment = _lend(taken.hit, judge, footing)
            if taken.is_last or (
                taken.is_last is None and not _has_work_waiting(test_set, judge, footing.conflicts)
            ):
                work_want_ahead(judge=judge, test_set_id=test_set.id)
            return assignment
    return None


def _has_work_waiting(test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]) -> bool:
    return has_work_waiting(judge=judge, test_set_id=test_set.id, conflicts=conflicts)


def _is_held(assignment: Assignment, now: datetime) -> bool:
    return assignment.released_at is None and assignment.expires_at > now


def _hit_take(test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]) -> Taken | None:
    """A HIT that lies ready for the judge, locked: a due repeat, one kept for them, the pool's."""
    if test_set.has_training:
        round_ = training_round_due(
            judge=judge, test_set_id=test_set.id, hits_lent=test_set.hits_lent
        )
        if round_ is not None:
            # Nothing else before it is done; where it is not planned yet, the judge asks again.
            return _first(hits_training(judge=judge, test_set_id=test_set.id).without(conflicts))
    taken = _take_due(test_set, judge, conflicts)
    if taken is None and test_set.has_reserved:
        taken = hit_reserved(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    return taken or hit_from_pool(judge=judge, test_set_id=test_set.id, conflicts=conflicts)


def _first(hits: HITQuerySet) -> Taken | None:
    hit = hits.waiting().select_for_update(skip_locked=True, no_key=True).first()
    return hit and Taken(hit)


def _take_due(test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]) -> Taken | None:
    """What the design asks for now; after it comes whatever there is."""
    scheduled = _on_schedule(test_set, judge, conflicts)
    if _is_intra_due(test_set, judge):
        first = next(scheduled, None)
        is_last: bool | None = None
        # Asked in any case so that the answer takes as long as for other HITs: or it would tell a
        # repeat.
        if first is None:
            is_last = not _has_work_waiting(test_set, judge, conflicts)
        else:
            first.waiting().exists()
        repeat = _first(hits_intra(judge=judge, test_set_id=test_set.id, conflicts=conflicts))
        if repeat is not None:
            return replace(repeat, is_last=is_last)
        scheduled = chain([] if first is None else [first], scheduled)
    return next(filter(None, map(_first, scheduled)), None)


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
    """An attention check if one is due, otherwise the others; nothing where there is no schedule."""
    if not test_set.attention_every:
        return
    pool = hits_for_judge(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    reserved = hits_reserved(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    damaged = damaged_systems(test_set.id)
    every = test_set.attention_every
    if attention_due(judge=judge, test_set_id=test_set.id, every=every, damaged=damaged):
        yield reserved.showing(damaged)
        yield pool.showing(damaged)
    else:
        yield reserved.without(damaged)
        yield pool.without(damaged)


# The HIT out of the pool, the judge's account, the assignment and what the judge will have seen.
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
            last_lent_at = $4, wanted_at = NULL, nothing_at = NULL
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


def _lend(hit: HIT, judge: Judge, footing: Footing) -> Assignment:
    # Further rounds of training show the same segments again.
    is_repeat = hit.purpose == HIT.Purpose.INTRA or hit.why.get("round", 1) > 1
    hit.available_at = footing.now + timedelta(minutes=footing.lease_minutes)
    assignment = Assignment(
        hit=hit, judge=judge, lease=DateTimeTZRange(footing.now, hit.available_at)
    )
    [(assignment.pk, assignment.ordinal)] = _LEND.rows(
        *(hit.pk, judge.pk, hit.test_set_id, footing.now, hit.available_at),
        *(str(assignment.public_id), hit.segment_ids, is_repeat),
        int(hit.purpose == HIT.Purpose.INTRA),
    )
    assignment._state.adding = False  # noqa: SLF001  as Django's own save does
    return assignment


def _lease_renew(assignment: Assignment, footing: Footing) -> bool:
    """Lend an expired assignment's HIT to the same judge again, unless it has gone elsewhere."""
    hit = (
        HIT.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(pk=assignment.hit_id, completed_at__isnull=True, available_at__lte=footing.now)
        .first()
    )
    if hit is None:
        if assignment.released_at is None:
            _release(assignment)
        return False
    # Out of the pool for one lease more.
    hit.available_at = footing.now + timedelta(minutes=footing.lease_minutes)
    hit.save(update_fields=["available_at"])
    assignment.lease = DateTimeTZRange(footing.now, hit.available_at)
    assignment.released_at = None
    assignment.save(update_fields=["lease", "released_at"])
    return True


def _release(assignment: Assignment) -> None:
    """Mark the assignment as over; the HIT is somebody else's, or waits from now on."""
    Assignment.objects.filter(pk=assignment.pk, released_at__isnull=True).update(released_at=Now())


def leases_release() -> int:
    """Mark the assignments whose lease ran out; how many. The HITs wait again by themselves."""
    return Assignment.objects.filter(
        completed_at__isnull=True, released_at__isnull=True, lease__endswith__lte=Now()
    ).update(released_at=Now())
