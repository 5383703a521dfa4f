"""Lends HITs to judges, one to one, for a limited time.

The request only looks up: drawing HITs is the worker's part. Every decision
about time is by the database's clock, whatever the web servers' say.
"""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, Exposure, JudgeAccount
from annotation.models.pool import HITQuerySet
from annotation.sampling.repeats import intra_due, intra_offset
from annotation.selectors import (
    actions_that_stop,
    attention_due,
    conflicts_of,
    damaged_systems,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    quota_reached,
    test_sets_open_to_judge,
)
from annotation.selectors.designs import design_in_force
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.wanting import work_want_ahead
from campaign.models import Campaign, Judge, TestSet


class JudgePausedError(Exception):
    """The judge is paused or excluded and is lent nothing, not even what they hold."""


@transaction.atomic
def assignment_lend(*, judge: Judge, after: Assignment | None = None) -> Assignment | None:
    """The HIT this judge holds, or a new one; None where none lies ready for them.

    With `after`, the held assignment other than that one: so a page fetches
    the next HIT while the judge is still on the last. The lock on the judge's
    row lets their tabs ask one after the other. Nobody waits for another
    judge: a HIT that somebody else is being lent is passed over.

    Why there is none, `annotation.services.wanting.work_want` says. Raises `JudgePausedError` for
    a judge who is paused or excluded.
    """
    locked = (
        Judge.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .annotate(now=Now(), is_stopped=Exists(actions_that_stop(OuterRef("pk"))))
        .get(pk=judge.pk)
    )
    if locked.is_stopped:
        raise JudgePausedError
    conflicts = conflicts_of(locked)
    held = _held(locked, conflicts, after, locked.now)
    if held is not None:
        return held
    if quota_reached(locked):
        return None
    for test_set in test_sets_open_to_judge(locked):
        account, _created = JudgeAccount.objects.get_or_create(judge=locked, test_set=test_set)
        hit = _hit_take(test_set, locked, account, conflicts)
        if hit is not None:
            lent = _lend(hit, locked, account, locked.now)
            work_want_ahead(judge=locked, account=account, conflicts=conflicts)
            return lent
    return None


def _held(
    judge: Judge, conflicts: Collection[int], after: Assignment | None, now: datetime
) -> Assignment | None:
    """What the judge holds, or held until the lease ran out and nobody else took it."""
    begun = (
        Assignment.objects.filter(judge=judge, completed_at__isnull=True)
        .filter(Q(released_at__isnull=True) | Q(hit__completed_at__isnull=True))
        .select_related("hit")
        .order_by("id")
    )
    for assignment in begun:
        if after is not None and assignment.pk == after.pk:
            continue
        if set(conflicts).intersection(assignment.hit.system_ids):
            # Declared since it was lent.
            _release(assignment)
        elif _is_held(assignment, now) or _lease_renew(assignment, judge.campaign, now):
            return assignment
    return None


def _is_held(assignment: Assignment, now: datetime) -> bool:
    return assignment.released_at is None and assignment.expires_at > now


def _hit_take(
    test_set: TestSet, judge: Judge, account: JudgeAccount, conflicts: Collection[int]
) -> HIT | None:
    """A HIT that lies ready for the judge, locked: a due repeat, one kept for them, the pool's."""
    for hits in _sources(test_set, judge, account, conflicts):
        ready = hits.waiting().select_for_update(skip_locked=True, no_key=True)
        hit: HIT | None = ready.first()
        if hit is not None:
            return hit
    return None


def _sources(
    test_set: TestSet, judge: Judge, account: JudgeAccount, conflicts: Collection[int]
) -> Iterator[HITQuerySet]:
    trained = training_round_due(judge=judge, test_set_id=test_set.pk, hits_lent=account.hits_lent)
    if trained is not None:
        # Nothing else before it is done; where it is not planned yet, the judge asks again.
        yield hits_training(judge=judge, test_set_id=test_set.pk).without(conflicts)
        return
    design = design_in_force(test_set_id=test_set.pk)
    if design is not None and design.intra_share:
        due = intra_due(
            judge_hits=account.hits_lent,
            intra_hits=account.intra_lent,
            share=design.intra_share,
            offset=intra_offset(seed=design.seed, judge=judge.pseudonym),
        )
        if due:
            yield hits_intra(judge=judge, test_set_id=test_set.pk, conflicts=conflicts)
    pool = hits_for_judge(judge=judge, test_set_id=test_set.pk, conflicts=conflicts)
    reserved = hits_reserved(judge=judge, test_set_id=test_set.pk, conflicts=conflicts)
    if design is not None and design.attention_every:
        yield from _on_schedule(test_set, judge, design.attention_every, reserved, pool)
    yield reserved
    yield pool


def _on_schedule(
    test_set: TestSet, judge: Judge, every: int, reserved: HITQuerySet, pool: HITQuerySet
) -> Iterator[HITQuerySet]:
    """An attention check if one is due, otherwise the others; where there is none, any will do."""
    damaged = damaged_systems(test_set.pk)
    if attention_due(judge=judge, test_set_id=test_set.pk, every=every, damaged=damaged):
        yield reserved.showing(damaged)
        yield pool.showing(damaged)
    else:
        yield reserved.without(damaged)
        yield pool.without(damaged)


def _lend(hit: HIT, judge: Judge, account: JudgeAccount, now: datetime) -> Assignment:
    # Further rounds of training show the same segments again.
    is_repeat = hit.purpose == HIT.Purpose.INTRA or hit.why.get("round", 1) > 1
    account.hits_lent += 1
    account.intra_lent += hit.purpose == HIT.Purpose.INTRA
    account.last_lent_at = now
    account.wanted_at = account.nothing_at = None
    account.save()
    assignment = Assignment.objects.create(
        hit=hit,
        judge=judge,
        lease=_lease_until(hit, judge.campaign, now),
        ordinal=account.hits_lent,
    )
    Exposure.objects.bulk_create(
        Exposure(judge=judge, segment_id=segment, assignment=assignment, is_repeat=is_repeat)
        for segment in hit.segment_ids
    )
    return assignment


def _lease_renew(assignment: Assignment, campaign: Campaign, now: datetime) -> bool:
    """Lend an expired assignment's HIT to the same judge again, unless it has gone elsewhere."""
    hit = (
        HIT.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(pk=assignment.hit_id, completed_at__isnull=True, available_at__lte=now)
        .first()
    )
    if hit is None:
        if assignment.released_at is None:
            _release(assignment)
        return False
    assignment.lease = _lease_until(hit, campaign, now)
    assignment.released_at = None
    assignment.save(update_fields=["lease", "released_at"])
    return True


def _release(assignment: Assignment) -> None:
    """Mark the assignment as over; the HIT is somebody else's, or waits from now on."""
    Assignment.objects.filter(pk=assignment.pk, released_at__isnull=True).update(released_at=Now())


def _lease_until(hit: HIT, campaign: Campaign, now: datetime) -> DateTimeTZRange:
    """Take the locked HIT out of the pool for one lease from `now` on."""
    until = now + timedelta(minutes=campaign.lease_minutes)
    hit.available_at = until
    hit.save(update_fields=["available_at"])
    return DateTimeTZRange(now, until)


def leases_release() -> int:
    """Mark the assignments whose lease ran out; how many. The HITs wait again by themselves."""
    return Assignment.objects.filter(
        completed_at__isnull=True, released_at__isnull=True, lease__endswith__lte=Now()
    ).update(released_at=Now())
