"""Each change of a judge can be sent over REST and on the page, and is made."""

from dataclasses import fields
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.api.judges import (
    CampaignJudgeChangeSerializer,
    CampaignJudgeSerializer,
    judge_changes,
)
from annotation.pages.judges import JudgeForm
from annotation.selectors.judges import campaign_judges
from campaign.models import Campaign, Judge, System, Task
from campaign.services.judge_groups import judge_group_create
from campaign.services.judges import JudgeChanges, judge_change
from tests.factories import make_judge, make_organiser

pytestmark = pytest.mark.django_db

#: A value of each change, as REST sends and returns it.
VALUES: dict[str, Any] = {
    "address": "ada@example.org",
    "languages": ["de"],
    "expertise": ["law"],
    "groups": ["experts"],
    "conflicts": ["_ref"],
}


def test_every_change_of_a_judge_can_be_sent() -> None:
    names = {field.name for field in fields(JudgeChanges)} - {"no_conflicts"}
    assert set(VALUES) == names
    assert set(CampaignJudgeChangeSerializer().fields) - {"confirm"} == names
    assert set(JudgeForm.base_fields) == names


@pytest.fixture
def judge(task: Task) -> Judge:
    judge_group_create(campaign=task.test_set.campaign, name="experts")
    return make_judge(task.test_set.campaign)


def _shown(judge: Judge, name: str) -> Any:
    """Return a field of the judge, read again, as REST returns it."""
    row = campaign_judges(campaign=judge.campaign).get(pk=judge.pk)
    return CampaignJudgeSerializer(row).data[name]


@pytest.mark.parametrize("name", VALUES)
def test_each_change_sent_over_rest_is_made(judge: Judge, name: str) -> None:
    assert _shown(judge, name) != VALUES[name]
    changes = judge_changes(judge.campaign, judge, {name: VALUES[name]})
    judge_change(judge=judge, changes=changes)
    assert _shown(judge, name) == VALUES[name]


@pytest.mark.parametrize("name", VALUES)
def test_each_change_on_the_page_is_made(judge: Judge, name: str) -> None:
    campaign: Campaign = judge.campaign
    sent = {
        "groups": [group.pk for group in campaign.judge_groups.all()],
        "conflicts": [System.objects.get(test_set__campaign=campaign, name="_ref").pk],
        "expertise": "law",
    }
    form = JudgeForm(
        {name: sent.get(name, VALUES[name])},
        judge=judge,
        campaign=campaign,
    )
    assert form.is_valid(), form.errors
    judge_change(judge=judge, changes=form.changes(judge))
    assert _shown(judge, name) == VALUES[name]
    # Otherwise the next save would empty it.
    assert JudgeForm(judge=judge, campaign=campaign).initial[name]


def test_a_judge_is_saved_on_the_page(judge: Judge) -> None:
    client = Client()
    client.force_login(make_organiser(judge.campaign))
    address = reverse("campaign-judge", args=[judge.campaign.slug, judge.pk])
    assert client.post(address, {"address": VALUES["address"]}).status_code == 302
    assert _shown(judge, "address") == VALUES["address"]
