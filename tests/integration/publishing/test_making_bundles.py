"""A bundle is made by a worker, and fetched from the page, over REST and by a command."""

from datetime import timedelta
from hashlib import sha256

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import FilePart, Segment
from campaign.services.jobs import job_cancel, jobs_run_waiting
from ranking.models import PublishedResult
from ranking.pages.published import result_bundle_make
from ranking.services.publishing.bundles import result_bundle_ask
from ranking.services.publishing.naming import PublishingRefusedError
from ranking.services.publishing.publish import (
    result_publish,
    result_retract,
    result_reviewer_link_make,
)
from tests.integration.publishing.bundled import bundled, files_of, zip_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_texts_that_are_no_longer_wanted_are_not_stored(judged: TestSetWriter) -> None:
    Segment.objects.update(source_text="Tajná věta.")
    result = result_publish(task=judged.task, by=None, with_texts=True)
    as_asked = PublishedResult.objects.get()
    job = as_asked.bundle_job
    assert job is not None
    job_cancel(job=job)
    # A worker has read it, and is at it.
    result_bundle_ask(result=PublishedResult.objects.get(pk=result.pk), with_texts=False)

    with pytest.raises(PublishingRefusedError, match="a new one was requested"):
        result_bundle_make(result=as_asked)

    assert not FilePart.objects.exists()
    made = result_bundle_make(result=PublishedResult.objects.get())
    assert "texts.jsonl" not in files_of(zip_of(made))


@pytest.mark.thorough
def test_a_worker_makes_it_and_the_page_offers_it(judged: TestSetWriter, client: Client) -> None:
    result = result_publish(task=judged.task, by=None)
    page = f"/results/{result.address}/"
    assert "bundle.zip" not in client.get(page).content.decode()
    assert client.get(f"{page}bundle.zip").status_code == 404

    assert jobs_run_waiting() == 1

    result.refresh_from_db()
    bundle, job = result.bundle, result.bundle_job
    assert bundle is not None
    assert job is not None
    assert (job.state, job.name) == ("done", "news, version 1")
    shown = client.get(page).content.decode()
    assert bundle.digest in shown
    for each in result.bundle_files:
        assert f'href="{page}{each["name"]}"' in shown
    answer = client.get(f"{page}bundle.zip")
    assert sha256(b"".join(answer)).hexdigest() == bundle.digest
    assert answer["Content-Length"] == str(bundle.size)
    assert answer["Cache-Control"] == "public, max-age=300"
    judgments = b"".join(client.get(f"{page}judgments.csv"))
    known = result.bundled("judgments.csv")
    assert known is not None
    assert sha256(judgments).hexdigest() == known["sha256"]
    # As any other file of the result, whether or not it is retracted.
    result_retract(result=result, reason="Wrong.")
    assert client.get(f"{page}bundle.zip").status_code == 200


def test_an_embargo_holds_for_its_bundle(judged: TestSetWriter, client: Client) -> None:
    until = timezone.now() + timedelta(days=1)
    result, _zipped = bundled(judged.task, embargo_until=until)
    token = result_reviewer_link_make(result=result)
    for name in ("bundle.zip", "judgments.csv"):
        assert client.get(f"/results/{result.address}/{name}").status_code == 404
        answer = client.get(f"/results/{result.address}/review/{token}/{name}")
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        wrong = f"/results/{result.address}/review/{token}x/{name}"
        assert client.get(wrong).status_code == 404
