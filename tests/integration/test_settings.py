"""The rules of a campaign: one service, a page and a command, and what judges notice."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.selectors.judging import assigned_blocks
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Campaign, Task
from campaign.services.campaigns import campaign_change
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db
SETTINGS = "/campaigns/museum/settings/"
AS_IT_IS = {
    "judged_0": "translations",
    "show_source": "on",
    "show_reference": "on",
    "lease_minutes": "60",
}


@pytest.fixture
def task() -> Task:
    """Without a reference among the systems, which rankings leave out: each pair counts."""
    return make_task(make_campaign(), identical=(), with_reference=False)


@pytest.fixture
def page(client: Client, task: Task) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def words(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def rules(campaign: Campaign) -> tuple[Any, ...]:
    campaign.refresh_from_db()
    return (
        *(
            campaign.show_source,
            campaign.show_reference,
            campaign.allow_partial_ranking,
        ),
        *(campaign.pay, campaign.blocks_per_judge, campaign.lease_minutes),
    )


def test_the_page_shows_the_rules_and_changes_what_was_changed(
    page: Client,
    task: Task,
) -> None:
    section = page.get(f"/campaigns/museum/tasks/{task.pk}/bad-references/")
    assert SETTINGS in section.content.decode()
    assert 'value="60"' in page.get(SETTINGS).content.decode()
    change = {
        "judged_0": "translations",
        "show_source": "on",
        "allow_partial_ranking": "on",
        "pay": "voluntary",
        "blocks_per_judge": "45",
        "lease_minutes": "90",
    }
    answer = page.post(SETTINGS, change, follow=True)
    assert rules(task.test_set.campaign) == (True, False, True, "voluntary", 45, 90)
    assert "Saved: Show the reference; Allow partial ranking;" in words(answer)
    again = page.post(SETTINGS, change, follow=True)
    assert "No changes." in words(again)
    page.post(SETTINGS, {**AS_IT_IS, "blocks_per_judge": ""})
    assert rules(task.test_set.campaign) == (True, True, False, "", None, 60)


INVALID_VALUES = [
    ({"lease_minutes": "0"}, "greater than or equal to 1"),
    ({"lease_minutes": ""}, "This field is required"),
    ({"blocks_per_judge": "-3"}, "greater than or equal to 1"),
    ({"blocks_per_judge": "many"}, "Enter a whole number"),
    (
        {"show_source": "", "show_reference": ""},
        "Show the source, the reference, or both",
    ),
]


def test_invalid_values_are_refused_in_words_and_change_nothing(
    page: Client,
    task: Task,
    subtests: pytest.Subtests,
) -> None:
    before = rules(task.test_set.campaign)
    for change, said in INVALID_VALUES:
        with subtests.test(change=change, said=said):
            sent = {**AS_IT_IS, "pay": "voluntary", **change}
            answer = page.post(
                SETTINGS,
                {name: value for name, value in sent.items() if value},
            )
            assert answer.status_code == 400
            assert said in words(answer)
            assert rules(task.test_set.campaign) == before


def test_leases_and_hits_in_hand_keep_what_they_were_lent_with(task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    held = lend(judge)
    campaign_change(
        campaign=task.test_set.campaign,
        lease_minutes=5,
        blocks_per_judge=1,
    )
    judge.refresh_from_db()
    assert lend(judge).expires_at == held.expires_at
    for block in assigned_blocks(held):
        labels = list(range(1, len(block.candidates) + 1))
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
    assert assignment_lend(judge=judge) is None
    campaign_change(campaign=task.test_set.campaign, blocks_per_judge=6)
    further = lend(judge)
    begun = further.lease.lower
    assert begun is not None
    assert (further.expires_at - begun).total_seconds() == 5 * 60


def test_a_partial_ranking_compares_what_is_ranked_and_nothing_else(
    client: Client,
    task: Task,
) -> None:
    """From the judging API to the ranking: of five outputs, three ranked make three comparisons."""
    campaign_change(campaign=task.test_set.campaign, allow_partial_ranking=True)
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    asked = client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    hit = asked.json()
    assert hit["rules"] == {"protocol": "ranking", "partial": True}
    block = hit["blocks"][0]
    assert len(block["candidates"]) == 5

    def put(labels: list[int | None]) -> Any:
        body = {"block": block["id"], "labels": labels}
        address = f"/api/v1/judging/judgments/{uuid4()}/"
        return client.put(address, body, content_type="application/json")

    refused = put([1, None, None, None, None])
    assert refused.status_code == 400
    assert refused.json()["missing"] == [each["id"] for each in block["candidates"][1:]]
    assert put([2, None, 1, 2, None]).status_code == 200
    progress = client.get("/api/v1/judging/progress/?campaign=museum").json()
    assert progress["done"] == 1
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    counted = run.result["input"]
    assert (counted["comparisons"], counted["ties"]) == (3, 1)
