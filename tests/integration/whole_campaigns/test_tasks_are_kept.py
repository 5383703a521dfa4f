"""Tasks beside the ranking of a test set are wherever its campaign is: cloned, rehearsed."""

import pytest
from django.test import TestCase

from annotation.models import Design, Judgment, QualityRule, TrainingBlock
from annotation.services.planning.designs import design_change
from annotation.services.quality import RuleTerms, quality_rule_add
from annotation.services.training import training_propose
from campaign.models import BadReference, Campaign, CampaignState, Protocol, Task
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.campaigns import rehearsal_begin, task_close, task_create
from campaign.services.jobs import job_run
from ranking.models import RankingSettings, StoppingRule
from ranking.services.ranking_settings import ranking_settings_change, stopping_rule_set
from tests.factories import make_campaign, make_organiser, make_task
from whole_campaigns.cloning import campaign_clone

pytestmark = pytest.mark.django_db

TWO = Protocol.TWO_OUTPUTS


@pytest.fixture
def ranking() -> Task:
    campaign = make_campaign(state=CampaignState.DRAFT)
    return make_task(
        campaign,
        documents=(20,),
        identical=(),
        planned=0,
        blocks_wanted=20,
    )


@pytest.fixture
def task(ranking: Task) -> Task:
    """With a row of each kind that organisers make of a task."""
    user = make_organiser(ranking.test_set.campaign)
    task = task_create(
        test_set=ranking.test_set,
        protocol=TWO,
        by=user,
        blocks_wanted=40,
        blocks_per_segment=3,
    )
    bad_references_make(test_set=task.test_set, seed=3)
    bad_reference_review(
        bad_reference=BadReference.objects.in_order()[0],
        approve=True,
        reviewer=user,
    )
    training_propose(task=task, count=1)
    design_change(
        task=task,
        kind="balanced",
        systems_per_block=2,
        seed=9,
        changed_by=user,
    )
    ranking_settings_change(task=task, confidence=0.8, reason="Pairs.", changed_by=user)
    stopping_rule_set(task=task, judgments=500, reason="Money.", changed_by=user)
    terms = RuleTerms(
        measure="seconds",
        direction="below",
        threshold=2.0,
        minimum=30,
        action="warn",
        task=task,
    )
    quality_rule_add(campaign=task.test_set.campaign, terms=terms, user=user)
    return task


def of_two_outputs(campaign: Campaign) -> Task:
    return Task.objects.of(campaign).get(protocol=TWO)


def test_a_clone_has_them_with_all_that_organisers_set(task: Task) -> None:
    task_close(task=task)
    source = task.test_set.campaign
    clone = campaign_clone(
        source=source,
        slug="again",
        name="Again",
        texts=True,
        people=False,
        by=None,
    ).campaign
    assert Task.objects.of(clone).count() == 2
    made = of_two_outputs(clone)
    assert made.test_set == clone.test_sets.get()
    assert (made.blocks_wanted, made.blocks_per_segment, made.closed_at) == (
        40,
        3,
        None,
    )
    design = Design.objects.get(task=made)
    assert design.kind == "balanced"
    assert design.seed != 9
    assert TrainingBlock.objects.get(task=made).segment.test_set == made.test_set
    assert RankingSettings.objects.get(task=made).confidence == 0.8
    assert StoppingRule.objects.get(task=made).judgments == 500
    assert QualityRule.objects.get(campaign=clone).task == made
    # That of the ranking is its own.
    assert (
        Design.objects.get(task__in=Task.objects.of(clone).exclude(pk=made.pk)).kind
        == "uniform"
    )


@pytest.mark.thorough
def test_a_rehearsal_has_them_and_simulated_judges_share_them(task: Task) -> None:
    campaign = task.test_set.campaign
    job = rehearsal_begin(
        campaign=campaign,
        bots=2,
        skill=1.0,
        share=1.0,
        seed=5,
        by=None,
    )
    with TestCase.captureOnCommitCallbacks():
        assert job_run(job_id=job.pk)
    job.refresh_from_db()
    assert job.error == ""
    rehearsal = Campaign.objects.get(rehearsal_of=campaign)
    made = of_two_outputs(rehearsal)
    # That of a rehearsal is the campaign's own.
    assert Design.objects.get(task=made).seed == 9
    judged = Judgment.objects.filter(judge__campaign=rehearsal)
    # Nobody sees a sentence twice: each simulated judge has one of the tasks.
    assert set(judged.values_list("judge__pseudonym", "task__protocol")) == {
        ("bot-001", TWO),
        ("bot-002", "ranking"),
    }
