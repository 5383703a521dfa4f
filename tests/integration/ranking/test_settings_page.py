"""The page that changes how rank ranges are made."""

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import User
from ranking.models import RankingSettings
from ranking.services.runs import ranking_run_compute
from ranking.tasks import rank_what_is_due
from tests.factories import make_campaign, make_organiser
from tests.integration.protocols.judging import rated_task
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def page_of(writer: TestSetWriter) -> str:
    return reverse("ranking-settings", args=[writer.campaign.slug, writer.task.pk])


@pytest.mark.thorough
def test_the_page_offers_levels_in_words_and_changes_the_level(
    as_organiser: Client, organiser: User, varied: TestSetWriter
) -> None:
    ranking_run_compute(task_id=varied.task.pk)
    dashboard = addresses(varied)["dashboard"]
    assert page_of(varied) in as_organiser.get(dashboard).content.decode()
    shown = as_organiser.get(page_of(varied))
    assert "Choose this if only these judges matter:" in text_of(shown)
    assert 'value="two_way" id="id_resample_two_way"' in shown.content.decode()
    assert shown.content.decode().count(" checked>") == 2

    sent = {"resample": "blocks", "reason": "Few judges."}
    answer = as_organiser.post(page_of(varied), sent, follow=True)

    assert "Saved. The new ranking appears within seconds." in text_of(answer)
    settings = RankingSettings.objects.get()
    assert (settings.resample, settings.changed_by) == ("blocks", organiser)
    rank_what_is_due()
    page = text_of(as_organiser.get(dashboard))
    assert "95% rank ranges from 1,000 resamples of blocks. They treat blocks" in page
    assert "could have with other blocks. Scores are resampled" in page
    assert "Last changed by Olga" in text_of(as_organiser.get(page_of(varied)))
    again = as_organiser.post(page_of(varied), {"resample": "blocks"}, follow=True)
    assert "No changes." in text_of(again)
    refused = as_organiser.post(page_of(varied), {"resample": "docs"})
    assert refused.status_code == 400
    assert "Select a valid choice" in text_of(refused)
    assert RankingSettings.objects.count() == 1


def test_a_task_that_compares_nothing_has_nothing_to_set(client: Client) -> None:
    campaign = make_campaign()
    task = rated_task(campaign)
    client.force_login(make_organiser(campaign))
    address = reverse("ranking-settings", args=[campaign.slug, task.pk])
    shown = client.get(address)
    assert shown.status_code == 200
    assert "<form" not in shown.content.decode().partition('id="main"')[2]
    assert (
        client.post(
            address, {"method": "expected_wins", "resample": "judges"}
        ).status_code
        == 409
    )
    assert not RankingSettings.objects.filter(task=task).exists()
