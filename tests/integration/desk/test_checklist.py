"""The checklist of a draft: what is done, missing and wrong."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.selectors.tasks import preparation
from annotation.services.tasks import task_rules_change
from campaign.models import Campaign, CampaignState, Protocol, Task
from campaign.models.campaign import Judged
from campaign.services.instructions import instructions_write
from desk.pages.checklist import Step, StepState, steps_of
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db

NAMES = [
    *("Texts", "Systems", "Design", "People", "Instructions"),
    *("Preview as judge", "Rehearse", "Open"),
]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(state=CampaignState.DRAFT)


def states(campaign: Campaign) -> dict[str, str]:
    steps = steps_of(campaign, preparation(campaign=campaign))
    assert [step.name for step in steps] == NAMES
    return {step.name: str(step.state) for step in steps}


def steps_by_name(campaign: Campaign) -> dict[str, Step]:
    steps = steps_of(campaign, preparation(campaign=campaign))
    return {step.name: step for step in steps}


def said(campaign: Campaign, name: str) -> str:
    steps = steps_of(campaign, preparation(campaign=campaign))
    return " ".join(next(step for step in steps if step.name == name).lines)


def test_a_new_campaign_lacks_texts_systems_and_people(campaign: Campaign) -> None:
    assert states(campaign) == {
        "Texts": StepState.MISSING,
        "Systems": StepState.MISSING,
        "Design": StepState.OPTIONAL,
        "People": StepState.MISSING,
        "Instructions": StepState.OPTIONAL,
        "Preview as judge": StepState.OPTIONAL,
        "Rehearse": StepState.OPTIONAL,
        "Open": StepState.MISSING,
    }
    assert "Texts, Systems, People" in said(campaign, "Open")
    steps = steps_of(campaign, preparation(campaign=campaign))
    buttons = {step.name: step.button for step in steps}
    names = [name for name, button in buttons.items() if button]
    assert names == ["Texts", "People", "Instructions"]


def test_overview_of_draft_shows_no_progress_before_judgments(client: Client) -> None:
    campaign = make_campaign(state=CampaignState.DRAFT)
    make_task(campaign, planned=0)
    client.force_login(make_organiser(campaign))
    address = reverse("campaign-detail", args=[campaign.slug])
    body = client.get(address).content.decode()
    assert "Before opening" in body
    assert "No judgments in 14 days" not in body
    Campaign.objects.update(state=CampaignState.OPEN)
    assert "No judgments in 14 days" in client.get(address).content.decode()


def test_completed_steps_are_checked(campaign: Campaign) -> None:
    make_task(campaign, planned=0)
    make_judge(campaign)
    instructions_write(
        campaign=campaign,
        language="en",
        text="Rank.",
        demands_acceptance=False,
    )
    found = states(campaign)
    assert {found.pop("Open")} == {StepState.MISSING}
    assert {found.pop("Preview as judge"), found.pop("Rehearse")} == {
        StepState.OPTIONAL,
    }
    assert set(found.values()) == {StepState.DONE}
    assert "segments" in said(campaign, "Texts")
    assert "Complete first" not in said(campaign, "Open")
    (next_step,) = filter(
        lambda step: step.is_needed,
        steps_of(campaign, preparation(campaign=campaign)),
    )
    assert next_step.name == "Open"


@pytest.mark.parametrize(
    ("languages", "state"),
    [([], StepState.DONE), (["en", "de"], StepState.DONE), (["en"], StepState.WRONG)],
)
def test_checklist_requires_a_judge_who_reads_both_languages(
    campaign: Campaign,
    languages: list[str],
    state: StepState,
) -> None:
    task = make_task(campaign, planned=0)
    task.test_set.source_language, task.test_set.target_language = "en", "de"
    task.test_set.save()
    make_judge(campaign, languages=languages)
    assert states(campaign)["People"] == state
    assert (task.test_set.name in said(campaign, "People")) == (
        state == StepState.WRONG
    )


def test_one_system_is_too_few(campaign: Campaign) -> None:
    make_task(
        campaign,
        systems=("only",),
        identical=(),
        with_reference=False,
        planned=0,
    )
    assert states(campaign)["Systems"] == StepState.WRONG
    assert "Systems" in said(campaign, "Open")


@pytest.mark.parametrize(
    ("protocol", "address"),
    [
        (Protocol.RATING, "criteria"),
        (Protocol.SPANS, "error-scheme"),
        (Protocol.RANKING, None),
    ],
)
def test_design_leads_to_what_judges_are_asked(
    protocol: Protocol,
    address: str | None,
) -> None:
    campaign = make_campaign(state=CampaignState.DRAFT)
    task = make_task(campaign)
    Task.objects.filter(pk=task.pk).update(protocol=protocol)
    steps = {
        step.name: step for step in steps_of(campaign, preparation(campaign=campaign))
    }
    expected = reverse(address, args=[campaign.slug, task.pk]) if address else ""
    assert steps["Design"].see_address == expected


@pytest.mark.parametrize(
    ("protocol", "rules", "page"),
    [
        (Protocol.RANKING, {"question": "Rank by faith."}, "test-set-settings"),
        (Protocol.RATING, {"criteria": "mos", "all_at_once": True}, "criteria"),
    ],
)
def test_usual_question_is_noticed_unless_translations_are_judged(
    campaign: Campaign,
    protocol: Protocol,
    rules: dict[str, object],
    page: str,
) -> None:
    task = make_task(campaign, planned=0)
    Task.objects.filter(pk=task.pk).update(protocol=protocol)
    assert "Question" not in steps_by_name(campaign)
    campaign.judged = Judged.SUMMARIES
    step = steps_by_name(campaign)["Question"]
    assert step.state == StepState.OPTIONAL
    assert step.address == reverse(page, args=[campaign.slug, task.pk])
    task.refresh_from_db()
    task_rules_change(task=task, rules=rules)
    assert steps_by_name(campaign)["Question"].state == StepState.DONE


def test_protocol_without_a_question_needs_none(campaign: Campaign) -> None:
    task = make_task(campaign, planned=0)
    Task.objects.filter(pk=task.pk).update(protocol=Protocol.EDITING)
    campaign.judged = Judged.SUMMARIES
    assert "Question" not in steps_by_name(campaign)
