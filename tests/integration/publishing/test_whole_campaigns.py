"""What becomes of published results when a campaign moves, is cloned, or is deleted for good."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from campaign.database.cell_ids import cell_ids_begin
from campaign.models import Campaign
from campaign.services import bin_empty, campaign_delete
from campaign.texts.canonical_json import digest_of
from cells.databases import asked_by_default
from cells.forgetting import campaign_forget
from cells.moving import campaign_move
from ranking.models import PublishedResult
from ranking.services.publishing import result_publish
from tests.factories import make_campaign
from tests.integration.publishing.conftest import ranked_task
from tests.integration.ranking.writing import TestSetWriter
from tests.second_database import second_database


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


@pytest.fixture
def target(transactional_db: None, settings: Settings) -> Iterator[BaseDatabaseWrapper]:
    """The database of another cell."""
    with second_database("cell", is_copy=True) as other:
        settings.CELL = 1
        with asked_by_default(other):
            cell_ids_begin(using=DEFAULT_DB_ALIAS)
        settings.CELL = 0
        yield other


@pytest.mark.thorough
@pytest.mark.usefixtures("as_owner")
@pytest.mark.django_db(transaction=True)
def test_they_move_with_their_campaign(target: BaseDatabaseWrapper, client: Client) -> None:
    judged = ranked_task(make_campaign("autumn"))
    address = f"/results/{result_publish(task=judged.task, by=None).address}/"
    campaign_move(campaign=judged.campaign, target=target, say=lambda _line: None)
    assert client.get(address).status_code == 404
    with asked_by_default(target):
        result = PublishedResult.objects.get()
        assert digest_of(result.content) == result.digest
        assert client.get(address).status_code == 200
    campaign_forget(campaign=judged.campaign)
    assert not PublishedResult.objects.exists()
