"""A prepared query returns what its queryset would yield, whatever values it is given."""

from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import BigIntegerField, QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.api.urls import urlpatterns
from annotation.models import HIT, Assignment, QualityActionKind
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import quality_action_take
from annotation.services.submission import judgment_submit, skip_submit
from campaign.database.prepared import Parameter, PreparedQuery
from campaign.models import Judge, User
from campaign.services.judges import conflict_declare
from tests.at_work import judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.prepared_queries import prepared_queries

pytestmark = pytest.mark.django_db


def queries() -> list[PreparedQuery]:
    """Return the prepared queries of all modules that the judging API and sessions import."""
    assert urlpatterns
    return prepared_queries("annotation.", "campaign.")


def session_of(user: User | None) -> str:
    """Return the key of a session of this user."""
    client = Client()
    assert user is not None
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def values_of(assignment: Assignment) -> dict[str, Any]:
    """Return a value for every name that a query takes one by."""
    block = assignment.hit.blocks.order_by("position")[1]
    return {
        "assignment_id": assignment.pk,
        "judge_id": assignment.judge_id,
        "user_id": assignment.judge.user_id,
        "task_id": assignment.hit.task_id,
        "campaign_id": assignment.judge.campaign_id,
        "hit_id": assignment.hit_id,
        "public_id": str(block.public_id),
        "session_key": session_of(assignment.judge.user),
        "conflicts": list(assignment.judge.conflicts.values_list("system", flat=True)),
        "apart": "",
    }


def assignments_of_all_kinds() -> list[Assignment]:
    """Return what two judges hold, one of them in the middle of their work, the other one new."""
    campaign = make_campaign(blocks_per_judge=40)
    task = make_task(campaign, documents=(12, 9), planned=0)
    design_change(task=task, kind="binary")
    hits_plan(task_id=task.pk, count=40)
    at_work, new = (
        make_judge(campaign, "at work"),
        make_judge(campaign, "new", languages=["en", "de"]),
    )
    conflict_declare(judge=at_work, system=task.test_set.systems.get(name="dune"))
    judge_one_hit(at_work)
    held = lend(at_work)
    first, second, _third = assigned_blocks(held)
    labels: list[int | None] = [1 + place % 5 for place in range(len(second.candidates))]
    judgment_submit(
        assigned=second, client_id=uuid4(), labels=labels, active_ms=9000, comment="“ % ”"
    )
    skip_submit(assigned=first, client_id=uuid4(), reason="other")
    organiser = make_organiser(campaign)
    for judge, action in (
        (at_work, QualityActionKind.WARN),
        (make_judge(campaign, "left out"), QualityActionKind.EXCLUDE),
    ):
        quality_action_take(judge=judge, task=task, action=action, user=organiser)
    # The judge who is new may be lent any of them.
    held_too = lend(new)
    HIT.objects.filter(number__gte=30).update(reserved_for=new, reserved_until=timezone.now())
    HIT.objects.filter(number__in=[*range(18, 29), 30]).update(holds_check=True)
    HIT.objects.filter(number__range=(26, 29)).update(is_standby=True)
    # As if two of these were repeats of a HIT of theirs.
    repeated, *_others, last = HIT.objects.incomplete().order_by("number")
    for number, holds_check in ((last.number, False), (31, True)):
        repeats = HIT.objects.filter(number=number)
        repeats.update(purpose="intra", repeats=repeated, holds_check=holds_check)
    # As if it were of a protocol with passes.
    HIT.objects.filter(pk=held_too.hit_id).update(part=1)
    return [held, held_too]


def without_the_time(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(each for each in row if type(each) is not type(timezone.now())) for row in rows]


@pytest.mark.thorough
def test_all_of_them_return_what_their_queryset_yields() -> None:
    held = assignments_of_all_kinds()
    assert len(queries()) >= 9
    found = set()
    for assignment in held:
        values = values_of(assignment)
        for query in queries():
            asked = {name: values[name] for name in query.fields}
            with transaction.atomic():
                expected = without_the_time(list(query.queryset(**asked)))
                assert without_the_time(query.rows(**asked)) == expected, query.name
            found.update([query.name] if expected else [])
    assert found == {query.name for query in queries()}, "Each has found something."


def test_a_lock_that_goes_first_takes_its_values_by_name() -> None:
    def locked(judge_id: int | Parameter) -> QuerySet[Judge, Any]:
        return Judge.objects.select_for_update(no_key=True).filter(pk=judge_id).values_list("pk")

    def later(than_id: int | Parameter) -> QuerySet[Judge, Any]:
        return Judge.objects.filter(pk__gt=than_id).values_list("pk")

    campaign = make_campaign()
    one, other = make_judge(campaign, "one"), make_judge(campaign, "other")
    lock = PreparedQuery(f"lock_{uuid4().hex}", locked, {"judge_id": BigIntegerField()})
    query = PreparedQuery(f"read_{uuid4().hex}", later, {"than_id": BigIntegerField()}, first=lock)
    with transaction.atomic(), CaptureQueriesContext(connection) as sent:
        assert query.rows(than_id=one.pk, judge_id=other.pk) == [(other.pk,)]
    assert f"({other.pk}); EXECUTE {query.name} ({one.pk})" in sent[-1]["sql"]
