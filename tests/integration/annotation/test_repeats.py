"""Shares of repeats are reached by real judges, through the services their browsers use."""

from collections import defaultdict
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import HIT, Assignment, HITSequence
from annotation.selectors.hits import plans_read
from annotation.services.planning.designs import design_change
from annotation.services.planning.for_judge import reservations_withdraw
from annotation.services.planning.pool import pool_fill
from campaign.models import Judge
from campaign.services.judges import conflict_declare
from tests.at_work import assignment_lend, expire, judge_one_hit, lend, repeat_is_due
from tests.factories import make_campaign, make_judge, make_long_task

pytestmark = pytest.mark.django_db

GAP = 6


@pytest.mark.thorough
def test_over_a_thousand_hits_the_shares_are_those_asked_for() -> None:
    task = make_long_task(make_campaign(), segments=150, systems=3)
    design_change(
        task=task,
        kind="balanced",
        segments_per_hit=1,
        inter_share=0.15,
        intra_share=0.1,
        repeat_gap=GAP,
    )
    judges = [make_judge(task.test_set.campaign, f"judge{i:02}") for i in range(20)]
    for _round in range(50):
        pool_fill(task_id=task.pk, size=50)
        for judge in judges:
            assert judge_one_hit(judge) is not None
    lent = list(
        Assignment.objects.order_by("judge", "ordinal").values_list(
            "judge",
            "ordinal",
            "hit__purpose",
            "hit__repeats",
            "hit_id",
        ),
    )
    assert len(lent) == 1000
    shares = {
        purpose: sum(row[2] == purpose for row in lent) / len(lent)
        for purpose in ("intra", "inter")
    }
    # By chance, of the HITs that may be repeats: three standard deviations.
    assert shares["intra"] / (1 - (GAP + 1) / 50) == pytest.approx(0.1, abs=0.03)
    # Of what is planned for everybody, which intra repeats are not.
    assert shares["inter"] / (1 - shares["intra"]) == pytest.approx(0.15, abs=0.01)
    _gaps_check(lent)


def _gaps_check(lent: list[tuple[int, int, str, int | None, int]]) -> None:
    seen: dict[tuple[int, int], list[tuple[int, int, str]]] = defaultdict(list)
    for judge, ordinal, purpose, repeats, hit in lent:
        seen[judge, repeats or hit].append((ordinal, hit, purpose))
    repeated = {key: rows for key, rows in seen.items() if len(rows) > 1}
    assert repeated
    plans = plans_read([row[1] for rows in repeated.values() for row in rows])
    for rows in repeated.values():
        (first, own, purpose), (again, repeat, its_purpose) = rows
        assert (purpose != "intra", its_purpose) == (True, "intra")
        assert again - first - 1 >= GAP
        for one, other in zip(plans[own].blocks, plans[repeat].blocks, strict=True):
            assert sorted(one.candidates) == sorted(other.candidates)
            assert one.candidates != other.candidates


class TestIntra:
    @pytest.fixture
    def judge(self) -> Judge:
        """One with five HITs done and a repeat of one of them planned."""
        task = make_long_task(make_campaign(), segments=90, systems=3)
        design_change(task=task, intra_share=0.5, repeat_gap=3)
        judge = make_judge(task.test_set.campaign)
        for _hit in range(5):
            pool_fill(task_id=task.pk, size=20)
            judge_one_hit(judge)
            repeat_is_due(judge, is_due=False)
        repeat_is_due(judge)
        pool_fill(task_id=task.pk, size=20)
        return judge

    def test_repeat_is_lent_to_its_judge_only(self, judge: Judge) -> None:
        repeat = HIT.objects.incomplete().get(purpose="intra")
        assert repeat.reserved_for == judge
        HIT.objects.filter(pk=repeat.pk).update(reserved_until=timezone.now())
        HIT.objects.incomplete().exclude(pk=repeat.pk).update(
            completed_at=timezone.now(),
        )
        assert assignment_lend(judge=make_judge(judge.campaign, "other")) is None
        assert lend(judge).hit == repeat

    def test_repeat_brings_no_check_closer(self, judge: Judge) -> None:
        before = judge.accounts.get().hits_since_check
        assert lend(judge).hit.purpose == "intra"
        account = judge.accounts.get()
        assert (account.hits_since_check, account.hits_since_repeat) == (before, 0)

    @pytest.mark.thorough
    @pytest.mark.usefixtures("judge")
    def test_one_is_planned_at_a_time(self) -> None:
        task = HIT.objects.latest("pk").task_id
        pool_fill(task_id=task, size=20)
        assert HIT.objects.incomplete().filter(purpose="intra").count() == 1

    @pytest.mark.thorough
    def test_unclaimed_repeat_releases_its_blocks(self, judge: Judge) -> None:
        repeat = HIT.objects.incomplete().get(purpose="intra")
        sequence = HITSequence.objects.get()
        HIT.objects.filter(pk=repeat.pk).update(reserved_until=timezone.now())
        judge.accounts.update(last_lent_at=timezone.now() - timedelta(days=2))
        pool_fill(task_id=repeat.task_id, size=0)
        repeat.refresh_from_db()
        assert repeat.withdrawn_at is not None
        lent = assignment_lend(judge=judge)
        assert lent is None or lent.hit_id != repeat.pk
        after = HITSequence.objects.get()
        assert after.blocks_planned == sequence.blocks_planned - 3
        assert sum(after.segment_blocks) == sum(sequence.segment_blocks) - 3

    def test_a_repeat_that_shows_what_the_judge_has_an_interest_in_is_not_lent(
        self,
        judge: Judge,
    ) -> None:
        repeat = HIT.objects.incomplete().get(purpose="intra")
        system = repeat.task.test_set.systems.get(pk=repeat.system_ids[0])
        conflict_declare(judge=judge, system=system)
        assert assignment_lend(judge=judge) is None
        assert not repeat.assignments.exists()

    @pytest.mark.thorough
    def test_a_repeat_that_the_judge_had_in_hand_is_not_withdrawn(
        self,
        judge: Judge,
    ) -> None:
        """It was left, and waits for the same judge; another one nobody came for is withdrawn."""
        repeat = HIT.objects.incomplete().get(purpose="intra")
        held = lend(judge)
        assert held.hit == repeat
        expire(held)
        HIT.objects.filter(pk=repeat.pk).update(reserved_until=timezone.now())
        assert reservations_withdraw(task_id=repeat.task_id) == 0
        repeat.refresh_from_db()
        assert repeat.withdrawn_at is None
        assert lend(judge) == held
