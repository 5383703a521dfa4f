"""The page that changes how rank ranges are made."""

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Task, User
from ranking.api.ranking_settings import RankingSettingsSerializer
from ranking.models import RankingSettings
from ranking.services.runs import ranking_run_compute
from ranking.tasks import rank_what_is_due
from tests.factories import make_campaign, make_organiser
from tests.integration.machines.answering import machine_judges
from tests.integration.protocols.judging import rated_task
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def page_of(writer: TestSetWriter) -> str:
    return reverse("ranking-settings", args=[writer.campaign.slug, writer.task.pk])


@pytest.mark.thorough
def test_the_page_offers_levels_in_words_and_changes_the_level(
    as_organiser: Client,
    organiser: User,
    varied: TestSetWriter,
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
            address,
            {"method": "expected_wins", "resample": "judges"},
        ).status_code
        == 409
    )
    assert not RankingSettings.objects.filter(task=task).exists()


HINT = "a metric or machine judge completes the human judgments"


def link_to_prediction(campaign: Campaign, task: Task) -> str:
    metrics = reverse("metrics", args=[campaign.slug, task.pk])
    return f'<a href="{metrics}#predicted_ranking">'


def test_pages_with_a_method_link_to_the_prediction_powered_ranking(
    as_organiser: Client,
    judged: TestSetWriter,
) -> None:
    link = link_to_prediction(judged.campaign, judged.task)
    metrics = reverse("metrics", args=[judged.campaign.slug, judged.task.pk])
    for address in (page_of(judged), addresses(judged)["dashboard"]):
        page = as_organiser.get(address).content.decode()
        assert link in page
        assert HINT in page
    # There is nothing to complete the judgments yet.
    before = as_organiser.get(metrics).content.decode()
    assert '<p class="quiet" id="predicted_ranking">' in before
    machine_judges(judged.campaign, judged.task)
    after = as_organiser.get(metrics).content.decode()
    assert '<section class="result" id="predicted_ranking"' in after
    assert '<p class="quiet" id="predicted_ranking">' not in after


def test_rest_names_the_analysis_where_it_describes_methods(
    as_organiser: Client,
    judged: TestSetWriter,
) -> None:
    kinds = as_organiser.get(f"/api/v1/tasks/{judged.task.pk}/analyses/kinds/").json()
    [ranking] = [kind for kind in kinds["results"] if kind["name"] == "ranking"]
    [method] = [each for each in ranking["options"] if each["name"] == "method"]
    assert "predicted_ranking" in method["help"]
    assert "predicted_ranking" in {kind["name"] for kind in kinds["results"]}
    described = RankingSettingsSerializer().fields["method"].help_text
    assert "predicted_ranking" in str(described)


def test_settings_of_scored_outputs_link_to_the_prediction_powered_ranking(
    client: Client,
) -> None:
    campaign = make_campaign()
    task = rated_task(campaign)
    client.force_login(make_organiser(campaign))
    for name in ("ranking-settings", "test-set-dashboard"):
        address = reverse(name, args=[campaign.slug, task.pk])
        assert (
            link_to_prediction(campaign, task) in client.get(address).content.decode()
        )
