"""Two judges on two connections, one of them in the middle of being lent a HIT."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.db import connection, transaction

from annotation.models import Assignment
from annotation.services.lending.choose import lending_context_lock
from annotation.services.lending.lend import _lend_new, assignments_release
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")


def meanwhile(work: Callable[[], T]) -> T:
    """Return what `work` returns on another connection, where it may not wait for a lock."""

    def run() -> T:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def test_a_scheduled_hit_that_is_being_lent_is_skipped() -> None:
    """Otherwise the second judge waits for the first, to be refused the same HIT in the end."""
    task = make_task(make_campaign(), documents=(30,), planned=0)
    design_change(task=task, bad_reference_rate=0.1, attention_every=4)
    pool_fill(task_id=task.pk, size=8)
    one, other = (
        make_judge(task.test_set.campaign, "one"),
        make_judge(task.test_set.campaign, "other"),
    )
    with transaction.atomic():
        held = lend(one)
        assert meanwhile(lambda: lend(other)).hit_id != held.hit_id
    assert Assignment.objects.count() == 2


def test_a_lease_begins_after_the_last_one_of_its_hit() -> None:
    """The HIT was given back after the second judge's request had read the time."""
    task = make_task(make_campaign(), planned=1)
    leaver, judge = (
        make_judge(task.test_set.campaign, "leaver"),
        make_judge(task.test_set.campaign),
    )
    held = lend(leaver)
    with transaction.atomic():
        context = lending_context_lock(judge)
        meanwhile(lambda: assignments_release(judge=leaver))
        lent = _lend_new(context)
    assert lent is not None
    assert lent.hit_id == held.hit_id
    held.refresh_from_db()
    lent.refresh_from_db()
    assert held.expires_at == lent.lease.lower
    assert held.expires_at > context.now
