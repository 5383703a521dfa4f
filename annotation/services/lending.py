"""Lends HITs to judges, one to one, for a limited time."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now

from annotation.models import HIT, Assignment
from annotation.selectors import test_sets_open_to_judge
from annotation.services.planning import hits_plan
from campaign.models import Campaign, Judge, TestSet

# A judge works on one HIT while the page has fetched the next.
HELD_AT_MOST = 2
# Planned on the spot when a judge finds the pool empty though work remains.
PLAN_FOR_ONE_JUDGE = 3


def assignment_lend(*, judge: Judge, after: Assignment | None = None) -> Assignment | None:
    """The HIT this judge holds, or a new one; None when there is no work for them now.

    With `after`, the held assignment other than that one: so a page fetches
    the next HIT while the judge is still on the last. The lock on the judge's
    row lets their tabs ask one after the other. Nobody waits for another
    judge: a HIT that somebody else is being lent is passed over.
    """
    lent = _held_or_new(judge, after)
    if lent is None and any(
        hits_plan(test_set_id=test_set.pk, count=PLAN_FOR_ONE_JUDGE)
        for test_set in test_sets_open_to_judge(judge)
    ):
        lent = _held_or_new(judge, after)
    return lent


@transaction.atomic
def _held_or_new(judge: Judge, after: Assignment | None) -> Assignment | None:
    # The database's clock decides about leases, whatever the web servers' say.
    locked = (
        Judge.objects.select_for_update(of=("self",))
        .select_related("campaign")
        .annotate(now=Now())
        .get(pk=judge.pk)
    )
    now = locked.now
    held = list(
        Assignment.objects.filter(
            judge=locked, completed_at__isnull=True, released_at__isnull=True
        ).order_by("id")
    )
    for assignment in held:
        if after is not None and assignment.pk == after.pk:
            continue
        if assignment.expires_at > now or _lease_renew(assignment, locked.campaign, now):
            return assignment
    if sum(assignment.released_at is None for assignment in held) >= HELD_AT_MOST:
        return None
    return _lend_new(locked, locked.campaign, now)


def _lend_new(judge: Judge, campaign: Campaign, now: datetime) -> Assignment | None:
    for test_set in test_sets_open_to_judge(judge):
        hit = _hit_take(test_set, judge, now)
        if hit is not None:
            lease = _lease_until(hit, campaign, now)
            assignment, _created = Assignment.objects.update_or_create(
                hit=hit, judge=judge, defaults={"lease": lease, "released_at": None}
            )
            return assignment
    return None


def _hit_take(test_set: TestSet, judge: Judge, now: datetime) -> HIT | None:
    """The first waiting HIT of the pool, locked."""
    return (
        HIT.objects.select_for_update(skip_locked=True, of=("self",))
        .filter(test_set=test_set, completed_at__isnull=True, available_at__lte=now)
        # Done by this judge, yet open again, can only be after an operator reopened it.
        .exclude(assignments__judge=judge, assignments__completed_at__isnull=False)
        .order_by("number")
        .first()
    )


def _lease_renew(assignment: Assignment, campaign: Campaign, now: datetime) -> bool:
    """Lend an expired assignment's HIT to the same judge again, unless it has gone elsewhere."""
    hit = (
        HIT.objects.select_for_update(skip_locked=True)
        .filter(pk=assignment.hit_id, completed_at__isnull=True, available_at__lte=now)
        .first()
    )
    if hit is None:
        assignment.released_at = now
        assignment.save(update_fields=["released_at"])
        return False
    assignment.lease = _lease_until(hit, campaign, now)
    assignment.save(update_fields=["lease"])
    return True


def _lease_until(hit: HIT, campaign: Campaign, now: datetime) -> DateTimeTZRange:
    """Take the locked HIT out of the pool for one lease from `now` on."""
    until = now + timedelta(minutes=campaign.lease_minutes)
    hit.available_at = until
    hit.save(update_fields=["available_at"])
    return DateTimeTZRange(now, until)
