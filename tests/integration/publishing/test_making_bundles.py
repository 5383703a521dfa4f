"""A bundle is made by a worker, and fetched from the page, over REST and by a command."""

import io
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import InternalError, transaction
from django.test import Client
from django.utils import timezone

from campaign.models import Job, Segment
from campaign.services.jobs import job_cancel, jobs_run_waiting
from ranking.export.bundles import result_bundle_make
from ranking.models import BundlePart, PublishedResult, ResultBundle
from ranking.selectors.result_bundles import bundle_bytes
from ranking.services.publishing import (
    PublishingRefusedError,
    result_bundle_ask,
    result_publish,
    result_retract,
    result_reviewer_link_make,
)
from tests.integration.publishing.bundled import bundled, files_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_texts_that_are_no_longer_wanted_are_not_stored(judged: TestSetWriter) -> None:
    Segment.objects.update(source_text="Tajná věta.")
    result = result_publish(task=judged.task, by=None, with_texts=True)
    as_asked = ResultBundle.objects.get()
    job = as_asked.job
    assert job is not None
    job_cancel(job=job)
    # A worker has read it, and is at it.
    result_bundle_ask(result=PublishedResult.objects.get(pk=result.pk), with_texts=False)

    with pytest.raises(PublishingRefusedError, match="asked for anew"):
        result_bundle_make(bundle=as_asked)

    assert not BundlePart.objects.exists()
    made = result_bundle_make(bundle=ResultBundle.objects.get())
    assert "texts.jsonl" not in files_of(b"".join(bundle_bytes(made)))


def test_a_worker_makes_it_and_the_page_offers_it(judged: TestSetWriter, client: Client) -> None:
    result = result_publish(task=judged.task, by=None)
    page = f"/results/{result.address}/"
    assert "bundle.zip" not in client.get(page).content.decode()
    assert client.get(f"{page}bundle.zip").status_code == 404

    assert jobs_run_waiting() == 1

    bundle = ResultBundle.objects.get()
    assert bundle.job is not None
    assert (bundle.job.state, bundle.job.name) == ("done", "news, version 1")
    shown = client.get(page).content.decode()
    assert "Judgments as CSV" in shown
    assert bundle.digest in shown
    answer = client.get(f"{page}bundle.zip")
    assert sha256(b"".join(answer)).hexdigest() == bundle.digest
    assert answer["Content-Length"] == str(bundle.size)
    assert answer["Cache-Control"] == "public, max-age=300"
    judgments = b"".join(client.get(f"{page}judgments.csv"))
    known = bundle.file("judgments.csv")
    assert known is not None
    assert sha256(judgments).hexdigest() == known["sha256"]
    assert known["sha256"] in shown
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


def test_a_made_bundle_stays_and_one_that_is_missing_is_asked_for(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    result, _zipped = bundled(judged.task)
    with pytest.raises(PublishingRefusedError, match="stays as it is"):
        result_bundle_ask(result=result, with_texts=True)
    bundle = ResultBundle.objects.get()
    with pytest.raises(InternalError, match="Cannot update"), transaction.atomic():
        ResultBundle.objects.filter(pk=bundle.pk).update(has_texts=True)
    # The page of a result from before there were bundles.
    ResultBundle.objects.all().delete()
    page = f"/campaigns/autumn/tasks/{judged.task.pk}/publish/"
    assert "Make the bundle" in as_organiser.get(page).content.decode()
    as_organiser.post(f"{page}1/bundle/", {"texts": "on"})
    assert "The bundle is being made." in as_organiser.get(page).content.decode()
    job = ResultBundle.objects.get().job
    assert job is not None
    Job.objects.exclude(pk=job.pk).delete()
    jobs_run_waiting()
    assert ResultBundle.objects.get().is_made
    assert ResultBundle.objects.get().has_texts
    shown = as_organiser.get(page).content.decode()
    assert ResultBundle.objects.get().digest in shown
    assert "Make the bundle" not in shown


def test_it_is_fetched_over_rest_and_by_a_command(
    judged: TestSetWriter, as_organiser: Client, tmp_path: Path
) -> None:
    at = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    sent = {"texts": True, "firmness": False}
    made = as_organiser.post(at, sent, content_type="application/json")
    assert made.json()["bundle"]["is_made"] is False
    assert made.json()["bundle"]["texts"] is True
    assert as_organiser.get(f"{at}1/bundle/").status_code == 404
    path = tmp_path / "written.zip"
    out = io.StringIO()
    call_command("write_bundle", "autumn", "news", str(path), stdout=out)
    bundle = ResultBundle.objects.get()
    assert out.getvalue() == f"{bundle.digest}  {path}\n"
    assert sha256(path.read_bytes()).hexdigest() == bundle.digest
    told = as_organiser.get(f"{at}1/").json()["bundle"]
    assert (told["is_made"], told["bytes"], told["sha256"]) == (True, bundle.size, bundle.digest)
    assert (
        told["url"]
        == f"http://testserver/results/{PublishedResult.objects.get().address}/bundle.zip"
    )
    fetched = b"".join(as_organiser.get(f"{at}1/bundle/"))
    assert fetched == path.read_bytes()
    again = as_organiser.post(f"{at}1/bundle/", {}, content_type="application/json")
    assert (again.status_code, list(again.json()["errors"])) == (400, ["texts"])
    with pytest.raises(CommandError, match="no such version"):
        call_command("write_bundle", "autumn", "news", str(path), "--result-version", "7")
