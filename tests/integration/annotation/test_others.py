"""What concerns one judge, one test set or one panel leaves the others as they are."""

from typing import Any

import pytest

from annotation.models import (
    HIT,
    Block,
    JudgeAccount,
    RankingRequest,
    SamplingState,
    TrainingBlock,
)
from annotation.selectors import JudgeStatus, judge_status, judge_statuses
from annotation.selectors.hits import hit_state, hits_explained
from annotation.selectors.onboarding import test_sets_on_offer as sets_on_offer
from annotation.selectors.pool import test_sets_to_work_on as sets_to_work_on
from annotation.selectors.training import hits_training
from annotation.services import (
    TrainingRefusedError,
    pool_fill,
    quality_action_revert,
    quality_action_take,
    sampling_state_record,
    tour_leave,
    training_plan,
    training_propose,
    work_request,
)
from annotation.services.judging.notifications import ranking_request, ranking_request_clear
from annotation.services.lending.lend import leases_release
from annotation.services.planning.blocks import hits_prepare
from annotation.services.planning.for_judge import judge_plan
from campaign.models import BadReference, Campaign, Judge, TestSet
from campaign.services import bad_reference_review, bad_references_make
from tests.at_work import expire, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_test_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def test_set(campaign: Campaign) -> TestSet:
    return make_test_set(campaign)


@pytest.fixture
def other_set(campaign: Campaign) -> TestSet:
    return make_test_set(campaign, name="other")


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(campaign)


@pytest.fixture
def other(campaign: Campaign) -> Judge:
    return make_judge(campaign, "judge02")


def damage_approve(test_set: TestSet) -> None:
    bad_references_make(test_set=test_set, seed=5)
    for row in BadReference.objects.of(test_set.pk):
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)


class TestQuality:
    def test_two_judges_may_be_stopped_and_reinstated_for_the_same(
        self, judge: Judge, other: Judge, test_set: TestSet
    ) -> None:
        organiser = make_organiser(test_set.campaign)
        first, second = (
            quality_action_take(judge=each, test_set=test_set, action="pause", user=organiser)
            for each in (judge, other)
        )
        quality_action_revert(action=first, user=organiser)
        assert [judge_status(each) for each in (judge, other)] == [
            JudgeStatus.GOOD,
            JudgeStatus.PAUSED,
        ]
        assert judge_statuses(judge.pk) == {}
        quality_action_revert(action=second, user=organiser)
        assert judge_status(other) == JudgeStatus.GOOD


def test_comparisons_of_one_test_set_are_not_those_of_another(
    test_set: TestSet, other_set: TestSet
) -> None:
    for each, system in ((test_set, "amber"), (other_set, "birch")):
        sampling_state_record(
            test_set_id=each.pk, watermark=1, systems=[system], wins=[[0]], ties=[[0]]
        )
    assert SamplingState.objects.get(test_set=test_set).systems == ["amber"]


def test_comparisons_replace_earlier_ones_alone(test_set: TestSet) -> None:
    for watermark, system in ((2, "amber"), (3, "birch"), (1, "cobalt")):
        sampling_state_record(
            test_set_id=test_set.pk, watermark=watermark, systems=[system], wins=[[0]], ties=[[0]]
        )
    state = SamplingState.objects.get()
    assert (state.watermark, state.systems) == (3, ["birch"])


def test_the_ranking_of_one_test_set_is_requested_once(
    test_set: TestSet, other_set: TestSet, django_capture_on_commit_callbacks: Any
) -> None:
    ranking_request_clear(test_set_id=other_set.pk)
    for messages in (1, 0):
        with django_capture_on_commit_callbacks() as sent:
            ranking_request(test_set_id=test_set.pk)
        assert len(sent) == messages
    requested = RankingRequest.objects.filter(requested_at__isnull=False)
    assert [row.test_set_id for row in requested] == [test_set.pk]


def test_one_judge_leaves_the_tour(judge: Judge, other: Judge) -> None:
    tour_leave(judge=judge, how=Judge.Tour.DONE)
    other.refresh_from_db()
    assert other.tour == ""


class TestTraining:
    def test_it_is_proposed_from_damage_of_its_own_test_set(
        self, test_set: TestSet, other_set: TestSet
    ) -> None:
        damage_approve(other_set)
        with pytest.raises(TrainingRefusedError):
            training_propose(test_set=test_set, count=1)
        assert not TrainingBlock.objects.exists()

    def test_each_test_set_has_its_own(
        self, judge: Judge, test_set: TestSet, other_set: TestSet
    ) -> None:
        for each in (test_set, other_set):
            damage_approve(each)
            training_propose(test_set=each, count=1)
            assert training_plan(test_set_id=each.pk, judge_id=judge.pk) == 1
        planned = hits_training(judge=judge, test_set_id=test_set.pk)
        assert {hit.test_set_id for hit in planned} == {test_set.pk}


def test_a_hit_that_was_given_back_is_available_again(judge: Judge, test_set: TestSet) -> None:
    def state() -> str:
        return hit_state(hits_explained(test_set_id=test_set.pk).order_by("number")[0])

    assert state() == "available"
    assignment = lend(judge)
    assert state() == "lent"
    expire(assignment)
    leases_release()
    assert state() == "available"
    judge_all_of(assignment)
    assert state() == "done"


class TestTestSets:
    def test_a_judge_works_on_the_one_they_chose(
        self, judge: Judge, test_set: TestSet, other_set: TestSet
    ) -> None:
        assert sets_to_work_on(judge) == [test_set, other_set]
        judge.chosen_test_set = other_set
        assert sets_to_work_on(judge) == [other_set]

    def test_the_worker_is_asked_for_the_one_they_chose(
        self, judge: Judge, test_set: TestSet, other_set: TestSet
    ) -> None:
        JudgeAccount.objects.create(judge=judge, test_set=other_set)
        judge.chosen_test_set = test_set
        judge.save()
        work_request(judge=judge)
        asked = JudgeAccount.objects.filter(requested_at__isnull=False)
        assert [account.test_set_id for account in asked] == [test_set.pk]


class TestPlanning:
    def test_what_was_seen_of_one_test_set_is_planned_of_another(
        self, campaign: Campaign, judge: Judge
    ) -> None:
        make_test_set(campaign, documents=(3,), planned=1)
        lend(judge)
        unseen = make_test_set(campaign, name="unseen", documents=(3,), planned=0)
        assert judge_plan(test_set_id=unseen.pk, judge_id=judge.pk) > 0

    def test_nothing_is_planned_for_a_judge_who_asked_for_nothing(
        self, campaign: Campaign, judge: Judge
    ) -> None:
        test_set = make_test_set(campaign, planned=0)
        JudgeAccount.objects.create(judge=judge, test_set=test_set)
        pool_fill(test_set_id=test_set.pk, size=0)
        assert not HIT.objects.exists()

    def test_blocks_are_written_for_one_test_set(
        self, test_set: TestSet, other_set: TestSet
    ) -> None:
        assert hits_prepare(test_set_id=test_set.pk, count=1) == 1
        assert set(Block.objects.values_list("hit__test_set", flat=True)) == {test_set.pk}
        assert hits_prepare(test_set_id=other_set.pk, count=1) == 1

    @pytest.mark.usefixtures("test_set")
    def test_a_judge_who_judged_again_did_no_more_sentences(self, judge: Judge) -> None:
        assignment = lend(judge)
        for _again in range(2):
            judge_all_of(assignment)
        [offer] = sets_on_offer(judge=judge)
        assert (offer.done, offer.left) == (3, 4)
