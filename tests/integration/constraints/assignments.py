"""What is lent to judges, and what they have seen by it."""

from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import Assignment, Exposure, JudgeAccount
from tests.factories import make_judge
from tests.integration.constraints.breakages import (
    Attempt,
    Create,
    breaks,
    breaks_by_fields,
)
from tests.integration.constraints.worlds import make_shown, small_task

NOW = timezone.now()
LATER = NOW + timedelta(hours=1)
LATEST = NOW + timedelta(hours=2)
ONE_ID = UUID(int=1)


def assignment() -> Create:
    """HIT 1 is lent to a first judge; returns what lends HIT 2 to a second."""
    first = make_shown(number=1)
    second = make_shown(first.task, number=2)
    campaign = first.task.test_set.campaign
    judges = [make_judge(campaign, name) for name in ("judge01", "judge02")]
    lease = DateTimeTZRange(NOW, LATER)
    Assignment.objects.create(
        hit=first.hit,
        judge=judges[0],
        lease=lease,
        public_id=ONE_ID,
    )
    return partial(
        Assignment.objects.create,
        hit=second.hit,
        judge=judges[1],
        lease=lease,
    )


def exposure() -> Create:
    """A judge has seen segment 1 in a HIT they were lent; returns what shows them segment 2."""
    shown = make_shown(small_task())
    one, two = shown.task.test_set.segments.all()[:2]
    judge = make_judge(shown.task.test_set.campaign)
    lent = Assignment.objects.create(
        hit=shown.hit,
        judge=judge,
        lease=DateTimeTZRange(NOW, LATER),
        public_id=ONE_ID,
    )
    create = partial(Exposure.objects.create, judge=judge, assignment=lent)
    create(segment=one)
    return partial(create, segment=two)


def account() -> Create:
    there = small_task()
    return partial(
        JudgeAccount.objects.create,
        judge=make_judge(there.test_set.campaign),
        task=there,
    )


breaks_by_fields(
    "account_repeats_within_hits",
    account,
    {"hits_lent": 1, "intra_lent": 2},
    accepted={"hits_lent": 2, "intra_lent": 2},
)
breaks_by_fields(
    "assignment_lease_is_limited",
    assignment,
    {"lease": DateTimeTZRange(NOW, NOW)},
    {"lease": DateTimeTZRange(None, LATER)},
    {"lease": DateTimeTZRange(NOW, None)},
)


@breaks("assignment_leases_of_a_hit_never_overlap")
def a_hit_is_lent_to_two_judges(attempt: Attempt) -> None:
    create = assignment()
    lent = Assignment.objects.get()
    with attempt.refuses():
        create(
            hit=lent.hit,
            lease=DateTimeTZRange(LATER - timedelta(minutes=1), LATEST),
        )
    with attempt.accepts():
        create(hit=lent.hit, lease=DateTimeTZRange(LATER, LATEST))


@breaks("exposure_once_except_as_a_repeat")
def a_judge_sees_a_segment_again(attempt: Attempt) -> None:
    create = exposure()
    seen = Exposure.objects.get()
    with attempt.refuses():
        create(segment=seen.segment)
    with attempt.accepts():
        create(segment=seen.segment, is_repeat=True)
    with attempt.accepts():
        create()
    with attempt.accepts():
        create(segment=seen.segment, apart="two_outputs")
