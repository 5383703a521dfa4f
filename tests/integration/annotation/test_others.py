"""What concerns one judge, one test set or one panel leaves the others as they are."""

from uuid import uuid4

import pytest

from annotation.models import (
    HIT,
    JudgeAccount,
    SamplingState,
    TrainingBlock,
)
from annotation.selectors.judges import JudgeStatus, judge_status, judge_statuses
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.onboarding import tasks_on_offer as sets_on_offer
from annotation.selectors.progress import judge_work
from annotation.services.lending.lend import leases_release
from annotation.services.planning.for_judge import judge_plan
from annotation.services.planning.pool import pool_fill, sampling_state_record
from annotation.services.quality import (
    JudgeDecision,
    quality_action_revert,
    quality_action_take,
)
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.training import TrainingRefusedError, training_propose
from campaign.models import Campaign, Judge, Task
from tests.at_work import expire, judge_all_of, lend
from tests.damaged_references import damaged_references_approve
from tests.factories import make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign)


@pytest.fixture
def other_set(campaign: Campaign) -> Task:
    return make_task(campaign, name="other")


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(campaign)


@pytest.fixture
def other(campaign: Campaign) -> Judge:
    return make_judge(campaign, "judge02")


class TestQuality:
    def test_two_judges_may_be_stopped_and_reinstated_for_the_same(
        self,
        judge: Judge,
        other: Judge,
        task: Task,
    ) -> None:
        organiser = make_organiser(task.test_set.campaign)
        first, second = (
            quality_action_take(
                judge=each,
                task=task,
                decision=JudgeDecision(action="pause", user=organiser),
            )
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


def test_comparisons_of_one_task_are_not_those_of_another(
    task: Task,
    other_set: Task,
) -> None:
    for each, system in ((task, "amber"), (other_set, "birch")):
        sampling_state_record(
            task_id=each.pk,
            watermark=1,
            systems=[system],
            wins=[[0]],
            ties=[[0]],
        )
    assert SamplingState.objects.get(task=task).systems == ["amber"]


def test_comparisons_replace_earlier_ones_alone(task: Task) -> None:
    for watermark, system in ((2, "amber"), (3, "birch"), (1, "cobalt")):
        sampling_state_record(
            task_id=task.pk,
            watermark=watermark,
            systems=[system],
            wins=[[0]],
            ties=[[0]],
        )
    state = SamplingState.objects.get()
    assert (state.watermark, state.systems) == (3, ["birch"])


class TestTraining:
    def test_training_is_proposed_only_from_damage_of_its_task(
        self,
        task: Task,
        other_set: Task,
    ) -> None:
        damaged_references_approve(other_set)
        with pytest.raises(TrainingRefusedError):
            training_propose(task=task, count=1)
        assert not TrainingBlock.objects.exists()


@pytest.mark.usefixtures("task")
def test_judged_blocks_of_a_returned_hit_count_as_done(
    judge: Judge,
) -> None:
    assignment = lend(judge)
    first, *others = assigned_blocks(assignment)
    judgment_submit(
        assigned=first,
        client_id=uuid4(),
        sent=SentJudgment(labels=[1] * len(first.candidates)),
    )
    assert (judge_work(judge).blocks_done, judge_work(judge).blocks_held) == (
        1,
        len(others),
    )
    expire(assignment)
    leases_release()
    assert (judge_work(judge).blocks_done, judge_work(judge).blocks_held) == (1, 0)


class TestPlanning:
    def test_segments_seen_in_one_task_are_planned_in_another(
        self,
        campaign: Campaign,
        judge: Judge,
    ) -> None:
        make_task(campaign, documents=(3,), planned=1)
        lend(judge)
        unseen = make_task(campaign, name="unseen", documents=(3,), planned=0)
        assert judge_plan(task_id=unseen.pk, judge_id=judge.pk) > 0

    def test_nothing_is_planned_for_a_judge_who_asked_for_nothing(
        self,
        campaign: Campaign,
        judge: Judge,
    ) -> None:
        task = make_task(campaign, planned=0)
        JudgeAccount.objects.create(judge=judge, task=task)
        pool_fill(task_id=task.pk, size=0)
        assert not HIT.objects.exists()

    @pytest.mark.usefixtures("task")
    def test_a_judge_who_judged_again_did_no_more_sentences(self, judge: Judge) -> None:
        assignment = lend(judge)
        for _again in range(2):
            judge_all_of(assignment)
        [offer] = sets_on_offer(judge=judge)
        assert (offer.sentences_done, offer.sentences_left) == (3, 4)
