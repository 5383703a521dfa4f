"""Exported files in an object store, by django-storages and boto3, which speak S3 to a server on this machine."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from campaign.models import FilePart, KeptFile
from campaign.services.exported_files import exported_files_delete
from campaign.services.jobs import jobs_run_waiting
from tests.integration.exports.test_rest_and_page import api, asked, body_of, page
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter
from tests.s3_stand_in import S3StandIn, s3_stand_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(settings: Any) -> Iterator[S3StandIn]:
    with s3_stand_in() as found:
        backend = "storages.backends.s3.S3Storage"
        options = {**found.options, "max_memory_size": 1024}
        settings.STORAGES = {
            **settings.STORAGES,
            "exports": {"BACKEND": backend, "OPTIONS": options},
        }
        yield found


def job_of(client: Client, answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.get(
        f"/api/v1/campaigns/autumn/jobs/{answer.json()['job']}/",
    ).json()
    return found


@pytest.mark.thorough
def test_a_job_writes_an_object_that_is_downloaded_whole_and_by_range(
    as_organiser: Client,
    news: TestSetWriter,
    store: S3StandIn,
) -> None:
    answer = asked(as_organiser, news, kind="counted", file_format="jsonl")
    assert jobs_run_waiting() == 1
    described = as_organiser.get(
        api(news, f"{job_of(as_organiser, answer)['result']['file']}/"),
    ).json()
    ((key, content),) = store.objects.items()
    assert key.startswith("exports/")
    assert key.endswith(described["name"])
    assert sha256(content).hexdigest() == described["sha256"]
    assert not FilePart.objects.exists()
    assert body_of(as_organiser.get(described["url"])) == content
    part = as_organiser.get(described["url"], headers={"Range": "bytes=7-20"})
    assert (part.status_code, body_of(part)) == (206, content[7:21])
    assert body_of(as_organiser.get(f"{page(news)}{described['id']}/")) == content
    assert exported_files_delete(list(KeptFile.objects.all())) == 1
    assert store.objects == {}


@pytest.mark.thorough
def test_failing_storage_is_reported_by_job_and_page(
    as_organiser: Client,
    news: TestSetWriter,
    store: S3StandIn,
) -> None:
    store.trouble = 403
    answer = asked(as_organiser, news, kind="counted", file_format="jsonl")
    assert jobs_run_waiting() == 1
    job = job_of(as_organiser, answer)
    assert job["state"] == "failed"
    assert "(ClientError)" in job["error"]
    assert "secret-of-the-storage" not in str(job)
    assert "Contact the operator" in text_of(as_organiser.get(page(news)))
    assert not KeptFile.objects.exists()
    # Mended, it is asked for once more.
    store.trouble = None
    asked(as_organiser, news, kind="counted", file_format="jsonl")
    assert jobs_run_waiting() == 1
    address = f"{page(news)}{KeptFile.objects.get().pk}/"
    store.trouble = 403
    refused = as_organiser.get(address)
    assert refused.status_code == 503
    store.trouble = None
    store.objects.clear()
    assert as_organiser.get(address).status_code == 404


@pytest.mark.thorough
def test_a_file_in_an_object_store_that_cannot_be_deleted_stops_nothing(
    as_organiser: Client,
    news: TestSetWriter,
    store: S3StandIn,
) -> None:
    asked(as_organiser, news, kind="counted", file_format="jsonl")
    assert jobs_run_waiting() == 1
    store.trouble = 403
    assert exported_files_delete(list(KeptFile.objects.all())) == 1
    assert not KeptFile.objects.exists()
