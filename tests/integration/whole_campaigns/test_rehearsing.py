"""A campaign is rehearsed by simulated judges in a clone, nothing of it changes, and the clone goes for good."""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Judgment
from annotation.selectors.work_time import time_sheet
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.training import training_propose
from campaign.models import (
    ActivityEvent,
    Campaign,
    CampaignState,
    Job,
    JobKind,
    JobState,
    System,
    SystemKind,
    Task,
    Transition,
    User,
)
from campaign.selectors.rehearsals import rehearsal_state
from campaign.services.campaigns import (
    RehearsalRefusedError,
    campaign_delete,
    campaign_state_change,
    rehearsal_begin,
    rehearsal_end_later,
)
from campaign.services.instructions import instructions_write
from campaign.services.jobs import job_run
from desk.selectors.alerts import campaign_facts
from ranking.services.runs import ranking_run_compute
from tests.counters import counters_by_row, counters_stored
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_organiser, make_task
from whole_campaigns.campaign_rows import TABLES, campaign_rows
from whole_campaigns.cloning import CloneRefusedError, campaign_clone
from whole_campaigns.rehearsing import _SystemQuality

pytestmark = pytest.mark.django_db(transaction=True)

# Of which no two systems are nearly as good.
SEED = 142


def quality(name: str) -> float:
    """Return the average quality of a system in rehearsals."""
    system = System(name=name, kind=SystemKind.SYSTEM)
    return _SystemQuality.of(system, SEED).average


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(state=CampaignState.DRAFT)
    make_task(campaign, documents=(60, 60), identical=(), planned=0, blocks_wanted=240)
    instructions_write(
        campaign=campaign,
        language="en",
        text="Read.",
        demands_acceptance=True,
    )
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def rehearse(campaign: Campaign, organiser: User, **asked: Any) -> Campaign:
    values = {"bots": 6, "skill": 1.0, "share": 0.2, "seed": SEED} | asked
    job = rehearsal_begin(campaign=campaign, by=organiser, **values)
    assert job_run(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DONE, "")
    return Campaign.objects.get(rehearsal_of=campaign)


def rows_of(campaign: Campaign) -> dict[str, list[Any]]:
    """Return all rows of a campaign but those that say that it was rehearsed."""
    return {
        model._meta.label: list(campaign_rows(model, campaign.pk))
        for model in TABLES
        if model not in (Job, ActivityEvent)
    }


def rows_everywhere() -> dict[str, int]:
    with connection.cursor() as cursor:
        found = {}
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT count(*) FROM {table}")
            found[table] = cursor.fetchone()[0]
    return found


@pytest.mark.thorough
def test_bots_of_perfect_skill_find_the_truth_and_the_campaign_stays_as_it_is(
    campaign: Campaign,
    organiser: User,
) -> None:
    before = rows_of(campaign)
    clone = rehearse(campaign, organiser, share=1.0)
    assert rows_of(campaign) == before
    task = Task.objects.of(clone).get()
    assert judgments_number(task_id=task.pk) >= 240
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    ranked = [row["system"] for row in run.result["systems"] if row["system"] != "_ref"]
    assert ranked == sorted(ranked, key=quality, reverse=True)
    assert counters_stored(task_id=task.pk) == counters_by_row(task_id=task.pk)


@pytest.mark.thorough
def test_pace_forecast_and_time_sheet_fill_up(
    campaign: Campaign,
    organiser: User,
) -> None:
    clone = rehearse(campaign, organiser, share=0.5, skill=0.8)
    task = Task.objects.of(clone).get()
    judgments_number(task_id=task.pk)
    # It ends closed, and only what is open has a forecast.
    Campaign.objects.filter(pk=clone.pk).update(state=CampaignState.OPEN)
    clone.refresh_from_db()
    (facts,) = campaign_facts(campaigns=[clone], now=timezone.localtime())
    (overview,) = facts.overviews
    assert overview.days_of_work >= 7
    assert overview.pace > 0
    assert overview.at_work == 0
    assert overview.end is not None
    sheet = time_sheet(campaign=clone)
    assert [row.judge.pseudonym for row in sheet] == [
        f"bot-{n:03}" for n in range(1, 7)
    ]
    assert all(row.total.active_seconds > 60 and not row.total.untimed for row in sheet)


def said(clone: Campaign) -> list[Any]:
    rows = Judgment.objects.filter(task__test_set__campaign=clone).order_by("pk")
    return list(rows.values_list("judge__pseudonym", "labels", "active_ms"))


@pytest.mark.thorough
@pytest.mark.parametrize("is_design_chosen", [True, False])
def test_the_same_seed_gives_the_same_rehearsal(
    campaign: Campaign,
    organiser: User,
    is_design_chosen: bool,
) -> None:
    if is_design_chosen:
        design_change(task=Task.objects.of(campaign).get(), seed=5)
    first = said(rehearse(campaign, organiser, skill=0.7))
    again = rehearse(campaign, organiser, skill=0.7)
    assert said(again) == first
    assert Campaign.objects.filter(rehearsal_of=campaign).count() == 1
    assert said(rehearse(campaign, organiser, skill=0.7, seed=12)) != first


@pytest.mark.thorough
def test_rehearsal_is_deleted_when_the_campaign_opens(
    campaign: Campaign,
    organiser: User,
) -> None:
    before = rows_everywhere()
    clone = rehearse(campaign, organiser)
    campaign_state_change(campaign=campaign, transition=Transition.OPEN, by=organiser)
    job = Job.objects.get(kind=JobKind.REHEARSAL_END)
    assert job_run(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DONE, "")
    assert not Campaign.objects.filter(pk=clone.pk).exists()
    after = rows_everywhere()
    added = {
        table: after[table] - before[table]
        for table in after
        if after[table] != before[table]
    }
    assert added == {
        "campaign_job": 2,
        # That the campaign opened.
        "campaign_activityevent": 1,
    }


@pytest.mark.thorough
def test_rehearsal_is_deleted_with_its_campaign(
    campaign: Campaign,
    organiser: User,
) -> None:
    rehearse(campaign, organiser)
    assert campaign_delete(campaign=campaign, typed_name=campaign.name, by=organiser)
    assert not Campaign.objects.exists()


@pytest.mark.thorough
def test_a_change_of_texts_or_design_is_noticed(
    campaign: Campaign,
    organiser: User,
) -> None:
    rehearse(campaign, organiser)
    assert not rehearsal_state(campaign=campaign).is_outdated
    design_change(task=Task.objects.of(campaign).get(), systems_per_block=3)
    assert rehearsal_state(campaign=campaign).is_outdated
    rehearse(campaign, organiser)
    assert not rehearsal_state(campaign=campaign).is_outdated


@pytest.mark.thorough
def test_tasks_are_rehearsed_even_with_one_bot(
    campaign: Campaign,
    organiser: User,
) -> None:
    make_task(campaign, name="second", documents=(30,), planned=0, source_language="cs")
    clone = rehearse(campaign, organiser, bots=1, skill=0.5, share=0.2)
    counts = [
        Judgment.objects.of(row.pk).count()
        for row in Task.objects.filter(test_set__campaign=clone)
    ]
    assert counts == [48, 6]


def test_controls_are_judged_and_not_counted(
    campaign: Campaign,
    organiser: User,
) -> None:
    task = Task.objects.of(campaign).get()
    damaged_references_approve(task, seed=1)
    training_propose(task=task, count=2)
    clone = rehearse(campaign, organiser, bots=2, share=0.2)
    judged = Judgment.objects.filter(task__test_set__campaign=clone)
    assert judged.exclude(block__control="").count() == 4
    counted = Job.objects.get(kind=JobKind.REHEARSAL).result["blocks"]
    assert counted == judged.filter(block__control="").count() >= 48


@pytest.mark.thorough
def test_campaign_opened_meanwhile_is_not_rehearsed(
    campaign: Campaign,
    organiser: User,
) -> None:
    """Nobody waits for a rehearsal: whoever opens the campaign in its last moment has none."""
    job = rehearsal_begin(
        campaign=campaign,
        bots=1,
        skill=1.0,
        share=0.1,
        seed=1,
        by=organiser,
    )

    def open_meanwhile(**_given: int) -> None:
        Campaign.objects.filter(pk=campaign.pk).update(state=CampaignState.OPEN)

    with patch("whole_campaigns.rehearsing.ranking_request", open_meanwhile):
        job_run(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "Only draft campaigns" in job.error
    assert not Campaign.objects.filter(rehearsal_of=campaign).exists()


def test_a_rehearsal_is_neither_rehearsed_nor_cloned_nor_opened(
    campaign: Campaign,
    organiser: User,
) -> None:
    clone = rehearse(campaign, organiser, bots=2, share=0.1)
    values: dict[str, Any] = {
        "bots": 1,
        "skill": 1.0,
        "share": 1.0,
        "seed": 1,
        "by": organiser,
    }
    with pytest.raises(RehearsalRefusedError, match="cannot be rehearsed itself"):
        rehearsal_begin(campaign=clone, **values)
    with pytest.raises(CloneRefusedError, match="This is a rehearsal"):
        campaign_clone(
            source=clone,
            slug="new",
            name="New",
            texts=True,
            people=False,
            by=organiser,
        )
    with pytest.raises(Exception, match="This is a rehearsal"):
        campaign_state_change(
            campaign=clone,
            transition=Transition.REOPEN,
            by=organiser,
        )
    with (
        pytest.raises(Exception, match="campaign_rehearsal_immutable"),
        transaction.atomic(),
    ):
        Campaign.objects.filter(pk=clone.pk).update(rehearsal_of=None)


def test_impossible_rehearsal_is_refused_in_words(
    campaign: Campaign,
    organiser: User,
) -> None:
    values: dict[str, Any] = {
        "bots": 1,
        "skill": 1.0,
        "share": 1.0,
        "seed": 1,
        "by": organiser,
    }
    rehearsal_begin(campaign=campaign, **values)
    with pytest.raises(RehearsalRefusedError, match="already starting or ending"):
        rehearsal_begin(campaign=campaign, **values)
    empty = make_campaign("empty", state=CampaignState.DRAFT)
    with pytest.raises(RehearsalRefusedError, match="Add texts before"):
        rehearsal_begin(campaign=empty, **values)
    campaign_state_change(campaign=campaign, transition=Transition.OPEN, by=organiser)
    assert Job.objects.get(kind=JobKind.REHEARSAL).state == JobState.CANCELLED
    with pytest.raises(RehearsalRefusedError, match="Only draft campaigns"):
        rehearsal_begin(campaign=campaign, **values)
    assert rehearsal_end_later(campaign=campaign, by=organiser) is None
