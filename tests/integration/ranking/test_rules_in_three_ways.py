"""Rules by page and REST: they ask alike, and do the same."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import QualityAction, QualityRule
from annotation.selectors.judges import excluded_judges
from annotation.services.quality import quality_rule_add
from campaign.models import Campaign, User
from ranking.selectors.quality_rules import (
    rule_effects,
)
from ranking.services.quality_rules import (
    rules_preview,
)
from tests.integration.ranking.twelve_judges import (
    JUDGES,
    judges_judge,
    rank_again,
    terms,
)
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    return judges_judge(writer)


BODY = {
    "action": "exclude",
    "measure": "reference",
    "direction": "below",
    "threshold": 1.0,
    "minimum": 10,
}


def rest(client: Client, campaign: Campaign, part: str, **body: Any) -> Any:
    address = f"/api/v1/campaigns/{campaign.slug}/rules/{part}"
    return client.post(address, json.dumps(body), content_type="application/json")


def by_page(client: Client, campaign: Campaign) -> None:
    address = reverse("quality-rules", args=[campaign.slug])
    form = {**BODY, "threshold": "100 %"}
    asked = client.post(address, form)
    assert "Would exclude 11 of 12 judges: j01, j02, " in asked.content.decode()
    assert client.post(address, {**form, "act": "yes"}).status_code == 409
    assert not QualityRule.objects.exists()
    code = rules_preview(campaign=campaign, terms=[terms()]).code
    assert code in asked.content.decode()
    client.post(address, {**form, "act": "yes", "confirmed": code})


def by_rest(client: Client, campaign: Campaign) -> None:
    preview = rest(client, campaign, "preview/", **BODY).json()
    assert preview["exclude"] == JUDGES[1:]
    assert preview["words"] == [
        f"Would exclude 11 of 12 judges: {', '.join(JUDGES[1:-1])} and j11.",
    ]
    refused = rest(client, campaign, "", **BODY)
    assert (refused.status_code, refused.json()["effects"]) == (409, preview)
    assert not QualityRule.objects.exists()
    done = rest(client, campaign, "", **BODY, confirm=preview["confirm"])
    assert (done.status_code, done.json()["effects"]) == (201, preview)


@pytest.mark.parametrize("way", [by_page, by_rest])
def test_page_and_rest_ask_alike_and_do_the_same(
    as_organiser: Client,
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
    way: Any,
) -> None:
    code = rules_preview(campaign=campaign, terms=[terms()])
    way(as_organiser, campaign)
    rule = QualityRule.objects.get()
    assert (rule.threshold, rule.minimum, rule.created_by) == (1.0, 10, organiser)
    actions = QualityAction.objects.order_by("pk").select_related("judge")
    # As the preview says, with who confirmed it.
    assert [(row.judge.pseudonym, row.evidence) for row in actions] == [
        (act.judge.pseudonym, act.evidence | {"confirmed_by": "Olga"})
        for act in code.acts
    ]


@pytest.mark.parametrize("way", ["page", "rest"])
def test_a_rule_that_waits_is_released_alike(
    as_organiser: Client,
    judged: TestSetWriter,
    campaign: Campaign,
    organiser: User,
    way: str,
) -> None:
    rule = quality_rule_add(campaign=campaign, terms=terms(), user=organiser)
    rank_again(judged)
    code = rule_effects([rule], campaign=campaign).code
    if way == "page":
        listed = as_organiser.get(reverse("quality-rules", args=[campaign.slug]))
        assert "This rule needs your approval." in listed.content.decode()
        address = reverse("quality-rule-act", args=[campaign.slug, rule.pk])
        assert "11 of 12 judges: j01, " in as_organiser.get(address).content.decode()
        assert as_organiser.post(address, {"act": "yes"}).status_code == 409
        as_organiser.post(address, {"act": "yes", "confirmed": code})
    else:
        waiting = as_organiser.get(
            f"/api/v1/campaigns/{campaign.slug}/rules/{rule.pk}/act/",
        )
        assert waiting.json()["confirm"] == code
        assert rest(as_organiser, campaign, f"{rule.pk}/act/").status_code == 409
        rest(as_organiser, campaign, f"{rule.pk}/act/", confirm=code)
    assert excluded_judges(campaign_id=campaign.pk) == JUDGES[1:]
