"""HITs go to judges one to one, however many ask at once."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import HIT, Assignment, Exposure, Judgment
from annotation.services.lending import lend as lending
from annotation.services.lending.lend import assignments_release, leases_release
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Task
from campaign.services.judges import conflict_declare
from campaign.texts.languages import reads_languages
from tests.at_work import assignment_lend, expire, judge_all_of, judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_task


def lend_ahead(judge: Judge, in_hand: list[Assignment]) -> Assignment | None:
    """What a page with these is lent beside them."""
    public_ids = [each.public_id for each in in_hand]
    lent = lending.assignment_lend(
        judge=judge,
        after=public_ids[-1],
        in_hand=public_ids,
    )
    return None if lent is None else lent.assignment


@pytest.mark.django_db
class TestLending:
    def test_the_hit_still_held_is_returned(self) -> None:
        judge = make_judge(make_task(make_campaign()).test_set.campaign)
        assert lend(judge) == lend(judge)

    def test_the_next_is_lent_ahead_and_no_more_than_that(self) -> None:
        judge = make_judge(make_task(make_campaign()).test_set.campaign)
        first = lend(judge)
        second = lend(judge, after=first)
        assert second.hit_id != first.hit_id
        assert lend(judge, after=first) == second
        assert lend(judge) == first
        assert Assignment.objects.count() == 2

    def test_up_to_twenty_blocks_are_lent_ahead(self) -> None:
        judge = make_judge(
            make_task(make_campaign(), documents=(60,), planned=20).test_set.campaign,
        )
        held = [lend(judge)]
        while (ahead := lend_ahead(judge, held)) is not None:
            held.append(ahead)
        assert len(held) == 6
        assert len({segment for each in held for segment in each.hit.segment_ids}) == 18
        minutes = [
            (each.expires_at - timezone.now()).total_seconds() / 60 for each in held
        ]
        assert minutes[0] > 55
        assert all(15 < each < 25 for each in minutes[1:])
        # Where a page has fewer, what it lacks comes first.
        assert lend_ahead(judge, held[:2]) == held[2]

    def test_others_find_as_many_as_a_judge_holds_ahead(self) -> None:
        judge = make_judge(
            make_task(make_campaign(), documents=(60,), planned=6).test_set.campaign,
        )
        held = [lend(judge)]
        while (ahead := lend_ahead(judge, held)) is not None:
            held.append(ahead)
        assert len(held) == 3

    def test_hit_that_is_judged_has_a_longer_lease_than_those_ahead(self) -> None:
        campaign = make_campaign(lease_minutes=60)
        judge = make_judge(
            make_task(campaign, documents=(60,), planned=20).test_set.campaign,
        )
        ahead = lend_ahead(judge, [lend(judge)])
        assert ahead is not None
        half_an_hour = timezone.now() + timedelta(minutes=30)
        assert ahead.expires_at < half_an_hour
        # The page goes on to it.
        lend_ahead(judge, [ahead])
        ahead.refresh_from_db()
        assert ahead.expires_at > half_an_hour

    def test_the_leases_of_what_is_in_hand_are_extended_unless_others_have_it(
        self,
    ) -> None:
        campaign = make_task(
            make_campaign(),
            documents=(60,),
            planned=20,
        ).test_set.campaign
        judge = make_judge(campaign, "judge01")
        first = lend(judge)
        second, third = lend_ahead(judge, [first]), None
        assert second is not None
        third = lend_ahead(judge, [first, second])
        assert third is not None
        for each in (second, third):
            expire(each)
        assert lend(make_judge(campaign, "judge02")).hit_id == second.hit_id
        judge_all_of(first)
        lend_ahead(judge, [second, third])
        for each in (second, third):
            each.refresh_from_db()
        assert second.expires_at < timezone.now() < third.expires_at
        assert HIT.objects.get(pk=third.hit_id).available_at == third.expires_at

    def test_judges_get_only_languages_they_read(self) -> None:
        campaign = make_task(make_campaign()).test_set.campaign
        arabic = make_task(campaign, name="ar", target_language="ar")
        judge = make_judge(campaign, languages=["en", "ar"])
        assert lend(judge).hit.task == arabic
        assert (
            assignment_lend(judge=make_judge(campaign, "cz", languages=["cs", "en"]))
            is None
        )

    @pytest.mark.parametrize(
        ("languages", "is_lent"),
        [
            (["en", "de"], True),
            (["en", "de-DE"], True),
            (["en-GB", "de-DE"], False),
            (["en", "de-AT"], False),
            (["en", "den"], False),
        ],
    )
    def test_judges_of_a_language_get_its_regions(
        self,
        languages: list[str],
        is_lent: bool,
    ) -> None:
        """SQL and Python decide alike."""
        campaign = make_task(make_campaign(), target_language="de-DE").test_set.campaign
        judge = make_judge(campaign, languages=languages)
        assert (assignment_lend(judge=judge) is not None) == is_lent
        assert reads_languages(languages, ["en", "de-DE"]) == is_lent

    def test_judges_get_only_subjects_they_know(self) -> None:
        campaign = make_campaign()
        make_task(campaign, name="law", expertise=["law", "patents"])
        general = make_task(campaign, name="general")
        assert lend(make_judge(campaign, "1", expertise=["law"])).hit.task == general
        lawyer = make_judge(campaign, "2", expertise=["patents", "law", "cooking"])
        assert lend(lawyer).hit.task.test_set.name == "law"

    def test_a_judge_never_sees_a_segment_twice(self) -> None:
        task = make_task(make_campaign(), documents=(9, 6), planned=60)
        judge = make_judge(task.test_set.campaign)
        while judge_one_hit(judge) is not None:
            pass
        seen = Counter(Judgment.objects.values_list("block__segment", flat=True))
        assert len(seen) > 6
        assert set(seen.values()) == {1}

    def test_copies_for_other_judges_go_to_other_judges(self) -> None:
        task = make_task(make_campaign(), planned=0)
        design_change(task=task, redundancy=3)
        hits_plan(task_id=task.pk, count=3)
        judges = [make_judge(task.test_set.campaign, f"judge{i}") for i in range(3)]
        held = [lend(judge).hit for judge in judges]
        assert sorted(hit.purpose for hit in held) == [
            "first",
            "redundancy",
            "redundancy",
        ]
        assert len({tuple(hit.segment_ids) for hit in held}) == 1
        assert all(judge_one_hit(judge) for judge in judges)
        assert all(judge_one_hit(judge) is None for judge in judges)

    @pytest.mark.parametrize("asked", [3, 4, 6])
    def test_a_judge_is_done_after_what_is_asked_of_a_judge(self, asked: int) -> None:
        task = make_task(
            make_campaign(blocks_per_judge=asked),
            documents=(30,),
            planned=40,
        )
        judge = make_judge(task.test_set.campaign)
        first = lend(judge)
        ahead = assignment_lend(judge=judge, after=first)
        assert (ahead is None) == (asked == 3)
        judge_all_of(first)
        if ahead is not None:
            judge_all_of(ahead)
        assert assignment_lend(judge=judge) is None
        assert work_request(judge=judge).reason == "done"
        assert (
            assignment_lend(judge=make_judge(task.test_set.campaign, "other"))
            is not None
        )


@pytest.mark.django_db
class TestLeases:
    @pytest.fixture
    def task(self) -> Task:
        return make_task(make_campaign(), blocks_wanted=1)

    def test_an_expired_hit_goes_to_another_judge(self, task: Task) -> None:
        first = lend(make_judge(task.test_set.campaign, "judge01"))
        other = make_judge(task.test_set.campaign, "judge02")
        assert assignment_lend(judge=other) is None
        expire(first)
        assert lend(other).hit_id == first.hit_id

    @pytest.mark.parametrize("marked", [False, True])
    def test_an_expired_hit_is_resumed_by_its_judge_if_still_there(
        self,
        task: Task,
        marked: bool,
    ) -> None:
        judge = make_judge(task.test_set.campaign)
        first = lend(judge)
        expire(first)
        if marked:
            assert leases_release() == 1
        again = lend(judge)
        assert again == first
        assert again.released_at is None
        assert again.expires_at > timezone.now()
        assert Exposure.objects.count() == len(first.hit.segment_ids)

    def test_a_judge_whose_expired_hit_went_elsewhere_gets_another(self) -> None:
        campaign = make_task(make_campaign()).test_set.campaign
        judge = make_judge(campaign, "judge01")
        first = lend(judge)
        expire(first)
        assert lend(make_judge(campaign, "judge02")).hit_id == first.hit_id
        assert lend(judge).hit_id != first.hit_id
        first.refresh_from_db()
        assert first.released_at is not None

    def test_only_leases_that_ran_out_are_released(self) -> None:
        campaign = make_task(make_campaign()).test_set.campaign
        lent = [lend(make_judge(campaign, f"judge{i}")) for i in range(3)]
        expire(lent[1])
        judge_all_of(lent[2])
        assert leases_release() == 1
        assert Assignment.objects.get(released_at__isnull=False) == lent[1]

    def test_a_late_judgment_is_kept_and_the_hit_is_not_lent_again(
        self,
        task: Task,
    ) -> None:
        late = lend(make_judge(task.test_set.campaign, "late"))
        expire(late)
        leases_release()
        judge_all_of(late)
        assert Judgment.objects.count() == len(late.hit.segment_ids)
        assert assignment_lend(judge=make_judge(task.test_set.campaign, "next")) is None

    @pytest.mark.parametrize("hours", [-3, 3])
    def test_a_servers_wrong_clock_changes_nothing(
        self,
        hours: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Only the database's clock counts: planned, lent, held, released, submitted."""
        right = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: right() + timedelta(hours=hours))
        task = make_task(make_campaign(), blocks_wanted=6)
        judge = make_judge(task.test_set.campaign)
        first = lend(judge)
        assert lend(judge) == first
        assert leases_release() == 0
        assert abs(first.expires_at - right() - timedelta(hours=1)) < timedelta(
            minutes=5,
        )
        judge_all_of(first)
        first.refresh_from_db()
        assert first.completed_at is not None
        assert abs(first.completed_at - right()) < timedelta(minutes=5)
        other = lend(make_judge(task.test_set.campaign, "other"))
        assert other.hit_id != first.hit_id


@pytest.mark.django_db
def test_a_judge_whose_last_hit_was_taken_back_is_lent_another_in_its_place() -> None:
    """What they held counted as taken until then, and was all that is asked of them."""
    task = make_task(
        make_campaign(blocks_per_judge=1),
        systems=("a", "b", "c", "d"),
        identical=(),
        planned=0,
    )
    design_change(task=task, systems_per_block=2, segments_per_hit=1)
    hits_plan(task_id=task.pk, count=20)
    judge = make_judge(task.test_set.campaign)
    held = lend(judge)
    assert assignment_lend(judge=judge, after=held) is None
    conflict_declare(
        judge=judge,
        system=task.test_set.systems.get(pk=held.hit.system_ids[0]),
    )
    again = lend(judge)
    assert again != held
    assert assignment_lend(judge=judge, after=again) is None


@pytest.mark.django_db
def test_leaving_judge_keeps_completed_hits() -> None:
    """An earlier judge came late with the whole HIT while this one still held it."""
    task = make_task(make_campaign(), planned=1)
    late = lend(make_judge(task.test_set.campaign, "late"))
    expire(late)
    judge = make_judge(task.test_set.campaign)
    held = lend(judge)
    judge_all_of(late)
    done = HIT.objects.get()
    assert done.completed_at is not None
    assignments_release(judge=judge)
    held.refresh_from_db()
    assert held.released_at is not None
    assert HIT.objects.get().available_at == done.available_at
