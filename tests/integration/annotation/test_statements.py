"""What lending reads in one query, and what is stored in one statement."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models import OuterRef
from django.db.models.functions import Now
from django.utils import timezone

from annotation.models import HIT, Assignment, Exposure, Judgment, Skip
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.designs import design_in_force
from annotation.selectors.judges import actions_that_stop, judge_status, judge_statuses
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.pool import HITRequest, has_available_hit
from annotation.selectors.pool import tasks_open_to_judge as sets_open_to_judge
from annotation.selectors.progress import judge_work
from annotation.services.lending.choose import hit_claim, lending_context_lock
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.quality import (
    JudgeDecision,
    judge_reinstate,
    quality_action_take,
)
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Campaign, Judge, System
from tests.at_work import expire, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(blocks_per_judge=40)


@pytest.mark.django_db
class TestLendingContext:
    @pytest.mark.parametrize(
        ("languages", "expertise", "names"),
        [
            ([], [], ["general", "ar"]),
            (["en", "de"], [], ["general"]),
            (["en", "ar"], ["law"], ["ar"]),
            (["en"], ["law"], []),
            ([], ["law"], ["general", "ar", "law"]),
        ],
    )
    def test_the_tasks_are_those_open_to_the_judge(
        self,
        campaign: Campaign,
        languages: list[str],
        expertise: list[str],
        names: list[str],
    ) -> None:
        made = {
            row.test_set.name: row.pk
            for row in (
                make_task(campaign, name="general", planned=0),
                make_task(campaign, name="ar", target_language="ar", planned=0),
                make_task(campaign, name="law", expertise=["law"], planned=0),
            )
        }
        textless = make_task(campaign, name="imported", planned=0)
        textless.test_set.segments.update(source_text=None)
        make_task(make_campaign("other"), planned=0)
        judge = make_judge(campaign, languages=languages, expertise=expertise)
        found = [each.task.pk for each in lending_context_lock(judge).tasks]
        assert found == [made[name] for name in names]
        assert found == [each.pk for each in sets_open_to_judge(judge)]

    def test_the_design_and_the_account_are_the_latest(
        self,
        campaign: Campaign,
    ) -> None:
        task = make_task(campaign)
        design_change(task=task, intra_share=0.25)
        judge = make_judge(campaign)
        lend(judge, after=lend(judge))
        [row] = lending_context_lock(judge).tasks
        design = design_in_force(task_id=task.pk)
        assert design is not None
        assert row.design == design
        assert row.design.intra_share == 0.25
        assert row.account == judge.accounts.get()
        assert (row.account.hits_lent, row.account.intra_lent) == (2, 0)

    def test_a_stop_holds_until_it_is_taken_back(self, campaign: Campaign) -> None:
        task, judge = make_task(campaign), make_judge(campaign)
        organiser = make_organiser(campaign)
        for action in ("warn", "pause", "exclude"):
            quality_action_take(
                judge=judge,
                task=task,
                decision=JudgeDecision(action=action, user=organiser),
            )
            stopped = Judge.objects.filter(pk=judge.pk).filter(
                pk__in=actions_that_stop(OuterRef("pk")).values("judge"),
            )
            found = lending_context_lock(judge).standing.status
            assert found.may_judge != stopped.exists() == (action != "warn")
            assert found == judge_status(judge) == judge_statuses(judge.pk)[judge.pk]
        judge_reinstate(judge=judge, user=organiser)
        assert (
            lending_context_lock(judge).standing.status == judge_status(judge) == "good"
        )

    def test_begun_is_what_is_held_or_may_be_held_again(
        self,
        campaign: Campaign,
    ) -> None:
        make_task(campaign, documents=(30,))
        judge = make_judge(campaign)
        done = lend(judge)
        ahead = lend(judge, after=done)
        judge_all_of(done)
        assert lending_context_lock(judge).begun == [ahead]
        expire(ahead)
        Assignment.objects.filter(pk=ahead.pk).update(released_at=Now())
        assert lending_context_lock(judge).begun == [ahead]
        HIT.objects.filter(pk=ahead.hit_id).update(completed_at=Now())
        assert lending_context_lock(judge).begun == []


def may_be_lent(
    hit: HIT,
    *,
    judge: Judge,
    conflicts: list[int],
    reserved: bool,
) -> bool:
    """Return whether the judge may be lent the HIT, reserved for them or of the pool, row by row."""
    now = timezone.now()
    seen = Exposure.objects.filter(judge=judge, is_repeat=False).values_list(
        "segment",
        flat=True,
    )
    if reserved:
        is_for_them = hit.reserved_for == judge and hit.purpose not in (
            "intra",
            "training",
        )
    else:
        is_for_them = hit.purpose in ("first", "redundancy", "inter") and (
            hit.reserved_until is None or hit.reserved_until <= now
        )
    return (
        is_for_them
        and hit.completed_at is None
        and hit.available_at <= now
        and not set(hit.system_ids).intersection(conflicts)
        and not set(hit.segment_ids).intersection(seen)
    )


@pytest.mark.django_db
def test_hits_are_claimed_in_order_if_the_judge_may_be_lent_them(
    campaign: Campaign,
) -> None:
    """HITs that are seen, lent, done, reserved for others, or show what the judge must not see."""
    task = make_task(campaign, documents=(12, 9), planned=30)
    judge, other = make_judge(campaign), make_judge(campaign, "judge02")
    lend(judge)
    lend(other)
    later = timezone.now() + timedelta(hours=1)
    for index, hit in enumerate(
        HIT.objects.filter(available_at__lte=Now()).order_by("number"),
    ):
        kept = {1: (judge, later), 2: (other, later), 3: (other, timezone.now())}.get(
            index % 5,
        )
        if kept is not None:
            hit.reserved_for, hit.reserved_until = kept
        hit.completed_at = timezone.now() if index % 7 == 6 else None
        hit.save()
    hits = list(HIT.objects.order_by("number"))
    systems = list(System.objects.values_list("pk", flat=True))
    claimed: set[int] = set()
    for conflicts in ([], [systems[0]], [systems[0], systems[3]], systems):
        request = HITRequest(judge.pk, task.pk, conflicts, "")
        pool, reserved = (
            [
                hit
                for hit in hits
                if may_be_lent(hit, judge=judge, conflicts=conflicts, reserved=reserved)
            ]
            for reserved in (False, True)
        )
        assert has_available_hit(request) == bool(pool or reserved)
        for source, own in [("pool", pool), ("reserved", reserved)]:
            assert numbers_taken(source, request) == [hit.number for hit in own]
            with transaction.atomic():
                found = hit_claim(source, request)
            assert found == (own[0] if own else None)
            if found is not None:
                claimed.add(found.pk)
    assert len(claimed) > 1


def numbers_taken(source: str, request: HITRequest) -> list[int]:
    """Return the numbers of all HITs of a source, one after the other; leave them as they are."""
    found = []
    with transaction.atomic():
        while (taken := hit_claim(source, request)) is not None:
            found.append(taken.number)
            HIT.objects.filter(pk=taken.pk).update(completed_at=Now())
        transaction.set_rollback(True)
    return found


@pytest.mark.django_db
def test_the_planner_is_asked_for_more_with_the_last_that_a_judge_can_be_lent(
    campaign: Campaign,
) -> None:
    """A HIT that repeats one of its segments is available too, but not to this judge."""
    task = make_task(campaign, documents=(9,), planned=9)
    judge = make_judge(campaign)
    waiting = judge.accounts.filter(requested_at__isnull=False)
    first, second, third, *others = HIT.objects.order_by("number")
    HIT.objects.filter(pk__in=[hit.pk for hit in others]).update(completed_at=Now())
    HIT.objects.filter(pk=third.pk).update(segment_ids=second.segment_ids)
    assert lend(judge).hit == first
    assert not waiting.exists()
    HIT.objects.filter(pk=first.pk).update(completed_at=Now())
    Assignment.objects.update(completed_at=Now())
    assert lend(judge).hit == second
    assert waiting.filter(task=task).exists()


@pytest.mark.django_db
def test_progress_is_what_the_history_says(campaign: Campaign) -> None:
    """Counted as assignments close, over judgments, revisions, skips, and skips judged after all."""
    make_task(campaign, documents=(40,), planned=20)
    judge = make_judge(campaign)
    for round_ in range(4):
        assignment = lend(judge)
        first, second, third = assigned_blocks(assignment)
        skip_submit(assigned=first, client_id=uuid4(), reason="other")
        _judge(second)
        if round_ % 2:
            _judge(first)
            _judge(second)
        _check_progress(judge)
        if round_ < 3:
            _judge(third)
            _judge(third)
        _check_progress(judge)
    work = judge_work(judge)
    assert (work.blocks_done, work.blocks_held) == (11, 1)
    assert judge.accounts.get().blocks_closed == 9


def _judge(block: AssignedBlock) -> Judgment:
    labels = [1 + place % 5 for place in range(len(block.candidates))]
    return judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(labels=labels, active_ms=9000),
    )


def _check_progress(judge: Judge) -> None:
    judged = Judgment.objects.filter(judge=judge).values_list("block", flat=True)
    skipped = Skip.objects.filter(judge=judge).values_list("block", flat=True)
    assert judge_work(judge).blocks_done == len({*judged, *skipped})


@pytest.mark.django_db(transaction=True)
def test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once(
    campaign: Campaign,
) -> None:
    make_task(campaign)
    judge = make_judge(campaign)
    assignment = lend(judge)
    # The same id twice, another id for the same block, and the other blocks.
    first, second, third = assigned_blocks(assignment)
    sent = [first, first, first, second, second, third]
    ids = [uuid4() for _ in sent]
    ids[1] = ids[0]
    together = Barrier(len(sent))

    def send(place: int) -> int:
        try:
            together.wait()
            labels: list[int | None] = [1] * len(sent[place].candidates)
            stored = judgment_submit(
                assigned=sent[place],
                client_id=ids[place],
                sent=SentJudgment(labels=labels),
            )
            return stored.pk
        finally:
            connection.close()

    with ThreadPoolExecutor(len(sent)) as pool:
        stored = list(pool.map(send, range(len(sent))))
    assert stored[0] == stored[1]
    assert len(set(stored)) == 5
    assert judgments_number(task_id=sent[0].task_id) == 5
    assert Judgment.objects.filter(supersedes__isnull=True).count() == 3
    assignment.refresh_from_db()
    assert assignment.completed_at is not None
    assert HIT.objects.get(pk=assignment.hit_id).completed_at is not None
    assert judge.accounts.get().blocks_closed == 3
