"""HITs lent ahead to one judge's page, and taken back when another judge has nothing else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from annotation.models import HIT, Assignment, Judgment
from annotation.protocols.submissions import AssignedBlock
from annotation.sampling.parameters import SegmentOrder
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending import lend as lending
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import (
    SentJudgment,
    assignment_lock,
    judgment_submit,
)
from campaign.models import Judge, Task
from tests.at_work import assignment_lend, judge_all_of, judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_task


def make_open_task(hits: int) -> Task:
    """Return a task of so many planned HITs, which have no segments in common."""
    task = make_task(make_campaign(), documents=(3,) * hits, planned=0)
    design_change(task=task, segment_order=SegmentOrder.SEQUENTIAL)
    assert hits_plan(task_id=task.pk, count=hits) == hits
    return task


def find_none_left(judge: Judge, task: Task) -> None:
    """Record that the planner has just found nothing to draw for a judge."""
    judge.accounts.update_or_create(task=task, defaults={"none_left_at": Now()})


def store_fill(judge: Judge, most: int = 6) -> list[Assignment]:
    """Return the HITs that a page of this judge has after it was lent as much ahead as possible."""
    held = [lend(judge)]
    while len(held) < most:
        public_ids = [assignment.public_id for assignment in held]
        lent = lending.assignment_lend(
            judge=judge,
            after=public_ids[-1],
            in_hand=public_ids,
        )
        if lent is None or lent.assignment is None:
            break
        held.append(lent.assignment)
    return held


def ranks(block: AssignedBlock) -> list[int | None]:
    """Return different ranks for the candidates of a block."""
    return list(range(1, len(block.candidates) + 1))


def answer(assignment: Assignment) -> None:
    """Submit the first block of an assignment."""
    block = assigned_blocks(assignment)[0]
    judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(block)),
    )


@pytest.mark.django_db
class TestTakingBack:
    def test_small_campaign_is_judged_by_three_judges_who_are_all_open(self) -> None:
        """Reproduce 60 blocks of which two pages held twenty each, and the third judge got three."""
        task = make_open_task(20)
        judges = [
            make_judge(task.test_set.campaign, name) for name in ("anna", "ben", "cara")
        ]
        anna, ben, cara = judges
        for judge in (anna, ben):
            for assignment in store_fill(judge)[:3]:
                judge_all_of(assignment)
            store_fill(judge)
            find_none_left(judge, task)
        find_none_left(cara, task)
        judged = 0
        while judge_one_hit(cara) is not None:
            judged += 1
            find_none_left(cara, task)
        # All that others have not judged, but for the HIT that each of them may be reading.
        assert judged == 20 - 2 * 3 - 2

    def test_latest_hit_of_a_store_is_lent_to_judge_who_has_nothing_else(self) -> None:
        task = make_open_task(6)
        holder, other = (
            make_judge(task.test_set.campaign, name) for name in ("1", "2")
        )
        held = store_fill(holder, most=3)
        while judge_one_hit(other) is not None:
            pass
        find_none_left(other, task)
        lent = lend(other)
        assert lent.hit_id == held[-1].hit_id
        held[-1].refresh_from_db()
        assert held[-1].released_at == held[-1].expires_at == lent.lease.lower

    @pytest.mark.parametrize("has_old_answer", [False, True])
    def test_nothing_is_taken_back_while_planner_may_draw_more(
        self,
        has_old_answer: bool,
    ) -> None:
        task = make_open_task(4)
        holder, other = (
            make_judge(task.test_set.campaign, name) for name in ("1", "2")
        )
        store_fill(holder, most=2)
        while judge_one_hit(other) is not None:
            pass
        if has_old_answer:
            hour_ago = Now() - timedelta(hours=1)
            other.accounts.filter(task=task).update(none_left_at=hour_ago)
        assert assignment_lend(judge=other) is None

    def test_hit_in_front_of_judge_and_begun_hits_are_not_taken_back(self) -> None:
        task = make_open_task(4)
        holder, other = (
            make_judge(task.test_set.campaign, name) for name in ("1", "2")
        )
        held = store_fill(holder, most=2)
        answer(held[1])
        while judge_one_hit(other) is not None:
            pass
        find_none_left(other, task)
        assert assignment_lend(judge=other) is None

    def test_hit_begun_since_it_was_chosen_is_not_taken_back(self) -> None:
        holder = make_judge(make_open_task(4).test_set.campaign)
        held = store_fill(holder, most=2)
        answer(held[1])
        with transaction.atomic():
            assert lending._take_back(held[1]) is None
        held[1].refresh_from_db()
        assert held[1].released_at is None

    def test_reserved_hit_is_lent_ahead_however_few_others_are_left(self) -> None:
        task = make_open_task(2)
        judge = make_judge(task.test_set.campaign)
        held = lend(judge)
        in_hand = [held.public_id]
        assert lending.assignment_lend(judge=judge, in_hand=in_hand) is None
        last = HIT.objects.exclude(pk=held.hit_id)
        last.update(reserved_for=judge, reserved_until=Now() + timedelta(days=1))
        lent = lending.assignment_lend(judge=judge, in_hand=in_hand)
        assert lent is not None
        assert lent.assignment.hit_id == last.get().pk

    def test_hit_judged_offline_and_by_another_judge_counts_for_both(self) -> None:
        task = make_open_task(4)
        holder, other = (
            make_judge(task.test_set.campaign, name) for name in ("1", "2")
        )
        held = store_fill(holder, most=2)
        while judge_one_hit(other) is not None:
            pass
        find_none_left(other, task)
        taken = lend(other)
        assert taken.hit_id == held[1].hit_id
        judge_all_of(taken)
        judge_all_of(held[1])
        of_hit = Judgment.objects.filter(block__hit=held[1].hit_id)
        assert of_hit.counted().current().count() == 2 * len(held[1].hit.segment_ids)
        assert set(of_hit.values_list("judge", flat=True)) == {holder.pk, other.pk}

    def test_next_answer_names_assignments_taken_back(self, client: Client) -> None:
        task = make_open_task(4)
        holder, other = (
            make_judge(task.test_set.campaign, name) for name in ("1", "2")
        )
        held = store_fill(holder, most=2)
        while judge_one_hit(other) is not None:
            pass
        find_none_left(other, task)
        lend(other)
        assert holder.user is not None
        client.force_login(holder.user)
        block = assigned_blocks(held[0])[0]
        in_hand = [str(assignment.public_id) for assignment in held]
        body = {
            "block": str(block.public_id),
            "labels": ranks(block),
            "after": in_hand[-1],
            "in_hand": in_hand,
        }
        address = reverse("judging-judgment", args=[uuid4()])
        told = client.put(address, body, content_type="application/json").json()
        assert told["taken_back"] == [in_hand[1]]

    def test_less_is_lent_ahead_the_more_judges_are_at_work(self) -> None:
        task = make_open_task(20)
        campaign = task.test_set.campaign
        stores = [
            len(store_fill(make_judge(campaign, str(number)))) for number in range(4)
        ]
        assert stores == sorted(stores, reverse=True)
        assert stores[0] > stores[-1]
        left = HIT.objects.filter(task=task).pooled().available().count()
        assert left >= len(stores)


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_hit_that_is_being_answered_is_not_taken_back(self) -> None:
        task = make_open_task(4)
        holder, other = (
            make_judge(task.test_set.campaign, name) for name in ("1", "2")
        )
        held = store_fill(holder, most=2)
        while judge_one_hit(other) is not None:
            pass
        find_none_left(other, task)
        with transaction.atomic():
            assignment_lock(held[1].pk)
            assert meanwhile(lambda: assignment_lend(judge=other)) is None
        assert assignment_lend(judge=other) is not None

    def test_one_untouched_hit_goes_to_one_of_two_judges_who_ask_at_once(self) -> None:
        task = make_open_task(4)
        campaign = task.test_set.campaign
        holder, *others = (make_judge(campaign, name) for name in ("1", "2", "3"))
        held = store_fill(holder, most=2)
        HIT.objects.filter(task=task).available().update(completed_at=Now())
        for judge in others:
            find_none_left(judge, task)
        with ThreadPoolExecutor(2) as pool:
            lent = list(pool.map(lend_on_connection, others))
        assert [None if each is None else each.hit_id for each in lent].count(
            held[1].hit_id,
        ) == 1
        assert lent.count(None) == 1


def lend_on_connection(judge: Judge) -> Assignment | None:
    """Lend a HIT on a connection of its own."""
    try:
        return assignment_lend(judge=judge)
    finally:
        connection.close()


def meanwhile(work: Callable[[], Any]) -> Any:
    """Return what `work` returns on another connection, where it may not wait for a lock."""

    def run() -> Any:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()
