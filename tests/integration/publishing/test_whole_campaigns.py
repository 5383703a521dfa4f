"""What becomes of published results when a campaign is deleted for good."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from campaign.models import Campaign
from campaign.services.campaigns import bin_empty, campaign_delete
from ranking.models import PublishedResult
from ranking.services.published_results.publish import result_publish
from tests.integration.ranking.writing import TestSetWriter


@pytest.mark.django_db
def test_deleted_for_good_they_are_gone(judged: TestSetWriter, client: Client) -> None:
    result = result_publish(task=judged.task, by=None)
    campaign = judged.campaign
    campaign_delete(campaign=campaign, typed_name=campaign.name, by=None)
    # Until then whoever cites it finds it.
    assert client.get(f"/results/{result.address}/").status_code == 200
    Campaign.objects.update(state_since=Now() - timedelta(days=31))
    assert bin_empty() == ["autumn"]
    assert not PublishedResult.objects.exists()
    assert client.get(f"/results/{result.address}/").status_code == 404
