"""Published results over REST: the same services as on the page, for the same people."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from ranking.models import PublishedResult
from ranking.services.published_results.publish import result_publish
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def at(writer: TestSetWriter, version: int | None = None) -> str:
    address = f"/api/v1/tasks/{writer.task.pk}/published-results/"
    return address if version is None else f"{address}{version}/"


def patch(client: Client, writer: TestSetWriter, **body: Any) -> Any:
    return client.patch(at(writer, 1), body, content_type="application/json")


def test_an_organiser_publishes_and_reads_it(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    body = {"anonymous": ["cobalt"], "authors": ["Lind, Jon"], "firmness": False}
    made = as_organiser.post(at(judged), body, content_type="application/json")
    assert made.status_code == 201
    result = PublishedResult.objects.get()
    said = made.json()
    assert said["digest"] == result.digest
    assert said["url"] == f"http://testserver/results/{result.address}/"
    assert said["content"] == result.content
    assert said["ranking"] == result.run_id
    assert said["names"] == result.labels
    assert result.published_by is not None
    assert as_organiser.get(at(judged, 1)).json() == said
    listed = as_organiser.get(at(judged)).json()["results"]
    brief = {
        name: value
        for name, value in said.items()
        if name not in {"content", "names", "wordings"}
    }
    assert listed == [brief]


def post(client: Client, writer: TestSetWriter, **body: Any) -> Any:
    sent = {"firmness": False} | body
    return client.post(at(writer), sent, content_type="application/json")


@pytest.mark.thorough
def test_changeable_fields_of_a_result_change(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    until = timezone.now() + timedelta(days=1)
    result = result_publish(task=judged.task, by=None, embargo_until=until)
    said = patch(as_organiser, judged, reviewer_link=True).json()
    assert said["is_embargoed"]
    assert Client().get(said["reviewer_url"]).status_code == 200
    said = patch(as_organiser, judged, reviewer_link=False, embargo_until=None).json()
    assert (said["reviewer_url"], said["embargo_until"], said["is_embargoed"]) == (
        None,
        None,
        False,
    )
    assert Client().get(said["url"]).status_code == 200
    refused = patch(as_organiser, judged, embargo_until=until.isoformat())
    assert (refused.status_code, list(refused.json()["errors"])) == (
        400,
        ["embargo_until"],
    )
    assert patch(as_organiser, judged, retraction_reason="Wrong.").json()[
        "retracted_at"
    ]
    assert (
        patch(as_organiser, judged, retraction_reason="").json()["retracted_at"] is None
    )
    result.refresh_from_db()
    assert result.digest == said["digest"]
