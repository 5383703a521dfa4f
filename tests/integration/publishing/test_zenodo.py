"""Drafts at Zenodo: off unless the operator allows them, made once, never published; on a server that stands in."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Job, JobState
from campaign.services.jobs import job_cancel, job_retry, jobs_run_waiting
from ranking.export import zenodo as zenodo_client
from ranking.export.zenodo import Zenodo, ZenodoError
from ranking.models import PublishedResult
from ranking.pages.published import result_bundle_make
from ranking.services.publishing.content import PublishedWords
from ranking.services.publishing.publish import result_publish, result_retract
from tests.integration.publishing.bundled import zip_of
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter
from tests.zenodo_stand_in import TOKEN, ZenodoStandIn, zenodo_stand_in

pytestmark = pytest.mark.django_db

METADATA = {"title": "T", "creators": [{"name": "A"}], "description": "D"}


@pytest.fixture
def there() -> Iterator[ZenodoStandIn]:
    with zenodo_stand_in() as stand_in:
        yield stand_in


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was waited before something was tried again; no time passes."""
    found: list[float] = []
    monkeypatch.setattr(zenodo_client, "pause", found.append)
    return found


@pytest.fixture
def allowed(settings: Any, there: ZenodoStandIn, waited: list[float]) -> None:
    settings.ZENODO_UPLOADS = True
    settings.ZENODO_ADDRESSES = {"sandbox": there.address, "zenodo": "http://127.0.0.1:9"}


@pytest.fixture
def result(judged: TestSetWriter) -> PublishedResult:
    words = PublishedWords(authors=("Horáková, Marta",), acknowledgement="Thanks <all>.")
    made = result_publish(task=judged.task, by=None, words=words)
    result_bundle_make(result=made)
    Job.objects.all().delete()
    return PublishedResult.objects.select_related("task__test_set__campaign").get()


def page_of(result: PublishedResult) -> str:
    task = result.task
    return reverse("published-zenodo", args=[task.test_set.campaign.slug, task.pk, result.version])


def sent(**fields: str) -> dict[str, str]:
    return {"host": "sandbox", "licence": "cc-by-4.0", "token": TOKEN} | fields


def draft(there: ZenodoStandIn, content: bytes = b"zip", token: str = TOKEN) -> Any:
    return Zenodo(there.address, token).draft_make(
        METADATA,
        file_name="a b.zip",
        opened=lambda: io.BytesIO(content),
        size=len(content),
        sent=lambda _count: None,
    )


@pytest.mark.thorough
@pytest.mark.usefixtures("allowed")
def test_the_page_says_what_would_be_sent_and_a_worker_makes_a_draft(
    result: PublishedResult, as_organiser: Client, there: ZenodoStandIn
) -> None:
    room = reverse("publish", args=[result.task.test_set.campaign.slug, result.task_id])
    assert page_of(result) in as_organiser.get(room).content.decode()
    shown = text_of(as_organiser.get(page_of(result)))
    assert "Autumn, news (cs–en), version 1" in shown
    assert "Horáková, Marta" in shown
    assert f"quintet-{result.address}.zip" in shown
    # Escaped once, as Zenodo shows it.
    page = as_organiser.get(page_of(result)).content.decode()
    assert "<p>Thanks &lt;all&gt;.</p>" in page
    asked = as_organiser.post(page_of(result), sent(), follow=True)
    assert "Creating the draft" in text_of(asked)
    assert TOKEN not in asked.content.decode()
    job = Job.objects.get()
    assert job.parameters["sealed_token"]
    assert TOKEN not in str(Job.objects.values().get())

    jobs_run_waiting()

    job.refresh_from_db()
    assert job.result == {"number": 1000, "page": f"{there.address}/deposit/1000"}
    assert "sealed_token" not in job.parameters
    (metadata,) = there.drafts.values()
    assert metadata == job.parameters["metadata"]
    assert metadata["creators"] == [{"name": "Horáková, Marta"}]
    assert metadata["license"] == "cc-by-4.0"
    assert metadata["access_right"] == "open"
    assert "<p>Thanks &lt;all&gt;.</p>" in metadata["description"]
    assert there.files == {f"quintet-{result.address}.zip": zip_of(result)}
    # A draft, and it stays one.
    assert [method for method, _path in there.asked] == ["POST", "PUT"]
    assert not [path for _method, path in there.asked if "actions" in path]
    assert f'href="{job.result["page"]}"' in as_organiser.get(page_of(result)).content.decode()


@pytest.mark.thorough
@pytest.mark.usefixtures("allowed")
def test_a_token_that_is_refused_is_said_and_forgotten(
    result: PublishedResult, as_organiser: Client, there: ZenodoStandIn
) -> None:
    as_organiser.post(page_of(result), sent(token="another"))
    jobs_run_waiting()
    assert "It needs the deposit:write scope" in text_of(as_organiser.get(page_of(result)))
    assert "sealed_token" not in Job.objects.get().parameters
    # Begun again, it has no token any more.
    job_retry(job=Job.objects.get())
    jobs_run_waiting()
    assert "The token is no longer stored" in Job.objects.latest("pk").error
    assert there.asked == [("POST", "/api/deposit/depositions")]


@pytest.mark.thorough
@pytest.mark.usefixtures("allowed")
def test_a_job_that_is_stopped_forgets_the_token(
    result: PublishedResult, as_organiser: Client, there: ZenodoStandIn
) -> None:
    as_organiser.post(page_of(result), sent())
    again = as_organiser.post(page_of(result), sent())
    assert "is already in progress" in text_of(again)
    job_cancel(job=Job.objects.get())
    assert "sealed_token" not in Job.objects.get().parameters
    assert Job.objects.get().state == JobState.CANCELLED
    assert not there.asked


@pytest.mark.thorough
@pytest.mark.usefixtures("allowed")
def test_what_cannot_be_sent_is_refused(
    judged: TestSetWriter, result: PublishedResult, as_organiser: Client
) -> None:
    other = result_publish(task=judged.task, by=None)
    assert "no bundle yet" in text_of(as_organiser.get(page_of(other)))
    assert "no bundle yet" in text_of(as_organiser.post(page_of(other), sent()))
    result_retract(result=result, reason="Wrong.")
    assert "is retracted" in text_of(as_organiser.post(page_of(result), sent()))
    for wrong in (
        {"host": "elsewhere"},
        {"licence": "none"},
        {"token": ""},
        {"token": f"{TOKEN}\r\nHost: elsewhere"},
    ):
        assert as_organiser.post(page_of(other), sent(**wrong)).status_code == 400
    assert not Job.objects.filter(kind="zenodo_draft").exists()


def test_what_zenodo_refuses_is_said_in_its_words(
    there: ZenodoStandIn, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METADATA, "title", "")
    with pytest.raises(ZenodoError, match=r"\(400\): Validation error. metadata.title: Missing."):
        draft(there)
    with pytest.raises(ZenodoError, match="rejected the token"):
        draft(there, token="another")
    # Nothing of this passes by itself.
    assert waited == []


def test_a_token_goes_to_no_other_host(there: ZenodoStandIn, waited: list[float]) -> None:
    there.bucket_address = "http://127.0.0.1:9"
    with pytest.raises(ZenodoError, match="another host"):
        draft(there)
    assert there.drafts == {}
    there.trouble = {"POST": [302]}
    with pytest.raises(ZenodoError, match=r"\(302\)"):
        draft(there)
