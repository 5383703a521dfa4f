"""Lends HITs to judges, one to one, for a limited time.

The request only looks up: drawing HITs is the worker's part. Every decision
about time is by the database's clock, whatever the web servers' say.
"""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now

from annotation.models import HIT, Assignment
from annotation.models.pool import HITQuerySet
from annotation.sampling.repeats import intra_due, intra_offset
from annotation.selectors import (
    Footing,
    OpenTestSet,
    attention_due,
    blocks_taken,
    damaged_systems,
    has_work_waiting,
    hit_from_pool,
    hit_reserved,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    judge_footing,
)
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.wanting import work_want_ahead
from campaign.models import Judge
from campaign.statements import Statement


class JudgePausedError(Exception):
    """The judge is paused or excluded and is lent nothing, not even what they hold."""


class InstructionsPendingError(Exception):
    """The judge has not accepted the instructions in force and is lent nothing until then."""


@transaction.atomic
def assignment_lend(*, judge: Judge, after: Assignment | None = None) -> Assignment | None:
    """The HIT this judge holds, or a new one; None where none lies ready for them.

    With `after`, the held assignment other than that one: so a page fetches
    the next HIT while the judge is still on the last. The lock on the judge's
    row lets their tabs ask one after the other. Nobody waits for another
    judge: a HIT that somebody else is being lent is passed over.

    Why there is none, `annotation.services.wanting.work_want` says. Raises `JudgePausedError` for
    a judge who is paused or excluded, and `InstructionsPendingError` for one who has not accepted
    the instructions.
    """
    footing = judge_footing(judge)
    if footing.is_stopped:
        raise JudgePausedError
    if footing.owes_acceptance:
        raise InstructionsPendingError
    held = _held(judge, footing, after)
    if held is not None:
        return held
    if _is_quota_reached(judge, footing):
        return None
    for test_set in footing.test_sets:
        hit = _hit_take(test_set, judge, footing.conflicts)
        if hit is not None:
            lent = _lend(hit, judge, footing)
            work_want_ahead(judge=judge, test_set_id=test_set.id, conflicts=footing.conflicts)
            return lent
    return None


def _held(judge: Judge, footing: Footing, after: Assignment | None) -> Assignment | None:
    """What the judge holds, or held until the lease ran out and nobody else took it."""
    begun = set(footing.begun) - {after and after.pk}
    if not begun:
        return None
    for assignment in Assignment.objects.filter(pk__in=begun).select_related("hit").order_by("id"):
        if set(footing.conflicts).intersection(assignment.hit.system_ids):
            # Declared since it was lent.
            _release(assignment)
        elif _is_held(assignment, footing.now) or _held_again(assignment, judge, footing):
            return assignment
    return None


def _held_again(assignment: Assignment, judge: Judge, footing: Footing) -> bool:
    # What was released no longer counts as taken: it must not be more than is asked of them.
    if assignment.released_at is not None and _is_quota_reached(judge, footing):
        return False
    return _lease_renew(assignment, footing)


def _is_quota_reached(judge: Judge, footing: Footing) -> bool:
    return footing.blocks_wanted is not None and blocks_taken(judge) >= footing.blocks_wanted


def _is_held(assignment: Assignment, now: datetime) -> bool:
    return assignment.released_at is None and assignment.expires_at > now


def _hit_take(test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]) -> HIT | None:
    """A HIT that lies ready for the judge, locked: a due repeat, one kept for them, the pool's."""
    if test_set.has_training:
        round_ = training_round_due(
            judge=judge, test_set_id=test_set.id, hits_lent=test_set.hits_lent
        )
        if round_ is not None:
            # Nothing else before it is done; where it is not planned yet, the judge asks again.
            return _first(hits_training(judge=judge, test_set_id=test_set.id).without(conflicts))
    for hits in _due(test_set, judge, conflicts):
        hit = _first(hits)
        if hit is not None:
            return hit
    hit = None
    if test_set.has_reserved:
        hit = hit_reserved(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
    return hit or hit_from_pool(judge=judge, test_set_id=test_set.id, conflicts=conflicts)


def _first(hits: HITQuerySet) -> HIT | None:
    hit: HIT | None = hits.waiting().select_for_update(skip_locked=True, no_key=True).first()
    return hit


def _due(test_set: OpenTestSet, judge: Judge, conflicts: Collection[int]) -> Iterator[HITQuerySet]:
    """What the design asks for now; after it comes whatever there is."""
    scheduled = _on_schedule(test_set, judge, conflicts)
    if test_set.intra_share and test_set.seed is not None and test_set.has_reserved:
        due = intra_due(
            judge_hits=test_set.hits_lent,
            intra_hits=test_set.intra_lent,
            share=test_set.intra_share,
            offset=intra_offset(seed=test_set.seed, judge=judge.pseudonym),
        )
        if due:
            first = next(scheduled, None)
            # Asked only so that the answer takes as long as for other HITs: or it would tell a repeat.
            if first is None:
                has_work_waiting(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
            else:
                first.waiting().exists()
            yield hits_intra(judge=judge, test_set_id=test_set.id, conflicts=conflicts)
            if first is not None:
                yield first
    yield from scheduled


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
